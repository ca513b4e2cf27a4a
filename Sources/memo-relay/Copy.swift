import ArgumentParser
import Essentials
import Outbox
import RelayPostgres
import RelaySQLite
import RelayServer

/// `memo-relay copy`: from a data folder into a database that several relays share.
struct Copy: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy a relay's data from its folder into a PostgreSQL database.",
        discussion: """
            Stop the relay of the folder first. Accounts, devices with their tokens, memos, mails that wait, \
            and all else are copied as they are sealed, and the key beside them. Then each table is read again on \
            both sides and compared. The database has to be empty; the command makes the tables.

            The command may be killed at any moment: the same command goes on where it was. From its beginning \
            no relay serves from the folder, and one serves from the database only when all is \
            copied: two relays with the same mails would send them twice. "memo-relay copy --from \
            sqlite:FOLDER --cancel" lets a relay serve from the folder again; first make sure that none serves \
            from the database.

            Exit codes: 0; 1 if the copy is not finished; 64 for a mistake in the options.
            """
    )

    @Option(help: "The folder of the relay's database and key: sqlite:FOLDER.")
    var from: String

    @Option(
        help: """
            The PostgreSQL database: postgres://USER@HOST/DATABASE. Its password is as for \
            "memo-relay serve".
            """
    )
    var to: String?

    @Option(help: "The key file of the relays of the PostgreSQL database, which is made.")
    var key: String?

    @Flag(help: "A pooler in transaction mode stands before the PostgreSQL database.")
    var pooled = false

    @Flag(help: "Give the copy up: let a relay serve from the folder again.")
    var cancel = false

    @Option(help: "The file of settings that has the password of the database.")
    var config: String?

    private static let scheme = "sqlite:"

    private var folder: String { String(from.dropFirst(Self.scheme.count)) }

    func validate() throws {
        guard from.hasPrefix(Self.scheme), !folder.isEmpty else {
            throw ValidationError("--from names a data folder: sqlite:FOLDER.")
        }
        guard cancel ? to == nil && key == nil : to != nil && key != nil else {
            throw ValidationError(
                cancel
                    ? "--cancel goes with --from alone."
                    : "--to and --key are needed: the database, and the key file for its relays."
            )
        }
    }

    func run() async throws {
        do {
            if cancel { return try cancelCopy() }
            try await copy()
        } catch let error as StoreCopyError {
            throw complain(sentence(for: error))
        }
    }

    private func cancelCopy() throws(StoreCopyError) {
        let hadBegun = try SQLiteCopySource(folder: folder).cancel()
        print(hadBegun ? "cancelled: a relay may serve from \(folder)" : "no copy had begun")
    }

    private func copy() async throws {
        guard let to, let key else { return }
        let place: PostgreSQLPlace
        switch DataPlace.named(to, key: key, isPooled: pooled) {
        case .success(.database(let named, _)): place = named
        case .success(.folder):
            throw complain("--to names a PostgreSQL database: postgres://USER@HOST/DATABASE.")
        case .failure(let mistake):
            throw complain(mistake.sentence.replacing("--data", with: "--to"))
        }
        let source = try SQLiteCopySource(folder: folder)
        let target = try await place.copyTarget()
        try source.copyKey(to: key)
        guard let tables = try await StoreCopy(from: source, to: target).run() else {
            return print("was copied before; nothing is left to do")
        }
        for table in tables {
            print("\(table.name)\t\(table.digest.rows)\t\(table.digest.text)")
        }
        print("copied, and equal on both sides")
    }

    private func sentence(for error: StoreCopyError) -> String {
        let resumed = "The folder is as it was. The same command goes on where it was."
        return switch error {
        case .sourceInUse:
            "a relay, or another command, uses \(folder). Nothing was changed. Stop it first."
        case .sourceFolder(let code):
            "the folder \(folder) cannot be locked (error \(code)). Nothing was changed."
        case .sourceRotates:
            "a rotation of the key in \(folder) is not finished. Nothing was changed. Run "
                + "\"memo-relay rotate-key\" first."
        case .source(.noDatabase):
            "the folder \(folder) has no relay's database. Nothing was changed."
        case .source(.unusable(let fault)): fault.sentence(folder: folder)
        case .source(.key):
            "the key file \(folder)/key is missing, damaged, or not this user's. Nothing was copied. Run "
                + "this as the user of the relay, or put the key back from a backup."
        case .otherKey:
            "the key file \(key ?? "") has another key. Nothing was copied. Name a file that does not "
                + "exist."
        case .key(let error):
            "the key file \(key ?? "") cannot be made (\(error)). Nothing was copied. Its folder has to "
                + "exist, and this user has to be able to write it."
        case .targetHasData:
            "the database has data of a relay already. Nothing was changed in it. Name an empty one."
        case .otherCopy:
            "the database has a part of another copy. Nothing was changed in it. Name an empty one."
        case .met: "another process copies into the database. \(resumed)"
        case .target(let fault): "\(fault.sentence(ofDatabaseWith: key ?? "")) \(resumed)"
        case .different(let tables):
            "these tables of the folder have changed since the copy began: "
                + "\(tables.joined(separator: ", ")). No relay can serve from the database. Make it "
                + "anew, empty, and run the command again."
        }
    }
}
