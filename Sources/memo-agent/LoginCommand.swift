import ArgumentParser
import MemoCourier
import MemoDelivery
import MemoKit
import MemoProcesses
import MemoSharing
import MemoTexts

struct LoginCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Sign in: memos go to ADDRESS from then on.",
        discussion: """
            The server mails a code to ADDRESS; type it in, or give it as a line on \
            standard input. A server's URL is https, or http on this very machine.

            With --json: {"status", "relay"}, and "formerToken": "valid" when the relay did not \
            revoke the token that this device had before.
            """
    )

    @Argument(help: "The mail address that memos are to arrive at.")
    var address: String

    @Option(help: "The server's URL. Default: $MEMO_RELAY, else http://127.0.0.1:8080.")
    var relay: String?

    @Flag(help: "Print the result as JSON.")
    var json = false

    mutating func run() async throws {
        let report = Report(json: json)
        do {
            let location = try RelayLocation(relay ?? RelayLocation.configured)
            let signIn = SignIn(box: try MemoBox(folder: .current()))
            let isFormerRevoked = try await signIn.signIn(
                address,
                at: location,
                in: .ofThisProcess
            ) { complaint in
                CodePrompt.ask(after: complaint, in: .ofThisProcess)
            }
            var result = ["status": "signed-in", "relay": location.text]
            if !isFormerRevoked { result["formerToken"] = "valid" }
            report.success(result) {
                $0.string(.signedInTo, address, location.text)
                    + (isFormerRevoked ? "" : "\n" + $0.string(.signedInFormerValid))
            }
        } catch let error as any EndingError {
            throw report.failure(error)
        }
    }
}

struct LogoutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "Sign out: the server revokes this device's token.",
        discussion: """
            History and unsent memos stay; they leave after the next login. So do changes of settings that \
            the server has not confirmed, for the next login to the same account.
            """
    )

    @Flag(help: "Print the result as JSON.")
    var json = false

    @Flag(help: "Give up the changes of settings that the server has not confirmed.")
    var discardChanges = false

    mutating func run() async throws {
        let report = Report(json: json)
        do {
            let box = try MemoBox(folder: .current())
            // An account that does not open has no records that do.
            let shared = try? SharedBox(box: box, client: .ofEnvironment)
            let isRevoked = try await SignIn(box: box).signOut()
            if discardChanges {
                try await shared?.discard()
            } else if let pending = try? shared?.pendingChanges(), pending > 0 {
                report.tell([report.language.string(.changesKept, "\(pending)")])
            }
            guard isRevoked else {
                throw report.failure(CommandText.signedOutUntold, .unavailable)
            }
            report.success(["status": "signed-out"]) { $0.string(.signedOut) }
        } catch let error as any EndingError {
            throw report.failure(error)
        }
    }
}
