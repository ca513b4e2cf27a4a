import ArgumentParser
import Outbox
import OutboxCore
import RelaySQLite
import RelayServer

/// `memo-relay rotate-key`: a new key after a theft.
struct RotateKey: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate-key",
        abstract: "Seal all stored data again under a new key, after a backup was stolen.",
        discussion: """
            Stop the relay first. Addresses, names of devices, settings and mails that wait are sealed \
            under a new key, and the old one is removed from the key file. The secret of links, tags and \
            cursors is replaced: links in mails about new devices work no longer, bounces of mails that \
            were sent before are not recognised, and devices read their lists from the beginning. \
            Accounts, tokens and the memory of memos stay.

            A thief keeps what was stolen: the addresses, and the mails that waited. Tokens are not in a \
            backup. Backups of before open with the old key only, which each of them has beside it.

            The command may be killed at any moment: everything stays readable, and the next call \
            finishes the work.

            Exit codes: 0; 1 if the key is not replaced, or an old key is still needed; 64 for a mistake \
            in the options.
            """
    )

    @OptionGroup var database: DatabaseOptions

    func run() throws {
        let folder = try database.folder()
        let report: KeyRotationReport
        do throws(KeyRotationError) {
            let now = OutboxClock.system.wallTime()
            report = try OperatorDatabase.rotateKey(in: folder, at: now)
        } catch {
            throw complain(sentence(for: error))
        }
        print("records sealed again: \(report.resealed)")
        guard report.isFinished else {
            throw complain(
                "another command has read the key, so the old one stays. Run rotate-key again: it "
                    + "finishes this rotation."
            )
        }
        guard report.isOldKeyGone else {
            throw complain(
                "the new key is in use. An old one stays, because records are sealed under it that "
                    + "cannot be opened: \(report.unreadable). \"memo-relay dead-letters list\" shows "
                    + "mails that cannot be read."
            )
        }
        print("the old key is removed")
        if report.isContinued {
            print("An earlier rotation is finished. For a key of today run the command again.")
        }
    }

    private func sentence(for error: KeyRotationError) -> String {
        switch error {
        case .relayRuns:
            "a relay, or another rotation, uses \(database.data). Nothing was changed. Stop it first."
        case .folder(let code):
            "the folder \(database.data) cannot be locked (error \(code)). Nothing was changed."
        case .relay(let error):
            "\(database.sentence(for: error)) Everything stored is as readable as before; run "
                + "rotate-key again to finish."
        }
    }
}
