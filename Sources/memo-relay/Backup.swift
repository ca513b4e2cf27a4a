import ArgumentParser
import OutboxCore
import RelaySQLite
import RelayServer

/// `memo-relay backup`: a copy of the relay's data, from which a relay can be restored.
struct Backup: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy the relay's database and key into a new folder.",
        discussion: """
            The relay may run meanwhile: the copy is of one moment, and no memo waits for it. Memos that \
            were accepted behind that moment, while the copy was made, are named. The \
            folder appears when it is whole and on the disk. It lets a reader open every address and \
            every mail that waits: keep it as secret as the folder of the relay.

            To restore, stop the relay, put the copy in place of the relay's whole folder, with \
            the same owner, and start the relay. Memos that the relay has accepted since the \
            backup, and has not mailed, are lost; devices that have signed out since are signed \
            in again. Mails of the backup that have left since leave again, with the same \
            Message-ID.

            Exit codes: 0; 1 if the copy cannot be made, in which case nothing is left of it; 64 \
            for a mistake in the options.
            """
    )

    @OptionGroup var database: DatabaseOptions

    @Argument(help: "The folder to make. Its parent has to exist.")
    var folder: String

    private var path: String {
        var path = folder[...]
        while path.count > 1, path.last == "/" { path.removeLast() }
        return String(path)
    }

    func validate() throws {
        guard !folder.isEmpty else { throw ValidationError("The folder needs a name.") }
    }

    func run() throws {
        let opened: OperatorDatabase
        do {
            opened = try database.openFolder()
        } catch let error as OperatorError {
            throw complain(database.sentence(for: error))
        }
        do throws(BackupError) {
            let report = try opened.backUp(to: path)
            print("backed up: \(path) (database of \(report.bytes) bytes, and the key)")
            if !report.missing.isEmpty { print(sentence(about: report.missing)) }
        } catch {
            throw complain(sentence(for: error))
        }
    }

    /// Names at most so many memos.
    private static let named = 10

    private func sentence(about missing: [OperationID]) -> String {
        let rest = missing.count - Self.named
        let names = missing.prefix(Self.named).map { "\n  \($0)" }.joined()
        return "The relay goes on, and the copy is of one moment. It does not hold these memos, "
            + "which were accepted behind it:\(names)" + (rest > 0 ? "\n  and \(rest) more" : "")
    }

    private func sentence(for error: BackupError) -> String {
        switch error {
        case .exists: "\(path) exists. Nothing was changed. Name a folder that does not."
        case .cannotCreate(let code):
            "\(path) cannot be made (error \(code)). No backup was made. Its parent folder has to "
                + "exist, and this user has to be able to write it."
        case .relay(.unusable(.diskFull)):
            "the database does not fit onto the disk of \(path). No backup was made."
        case .relay(.unusable(.failed(let code))):
            "the database cannot be copied to \(path) (\(code)). No backup was made."
        case .relay(let error): database.sentence(for: error)
        }
    }
}
