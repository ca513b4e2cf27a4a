import ArgumentParser
import Essentials
import LibC
import Outbox
import OutboxCore
import RelayPostgres
import RelaySQLite
import RelayServer

/// Takes one mail from a mail server, whose words for an exit status are those of `sysexits.h`.
struct Bounce: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Record the bounce of a memo's mail, which a mail server gives on standard input.",
        discussion: """
            For a mail server that gives mails of the --bounce-address of "serve" to a program, \
            Postfix for example: "memo-bounce unix - n n - 2 pipe flags=DORq user=memo-relay \
            argv=/usr/local/bin/memo-relay bounce --data FOLDER" in master.cf. It works beside a relay \
            that runs. Exit status 0: the bounce is recorded, or the mail is none that a memo can \
            bounce by; such a mail is dropped, because an answer to it would reach a stranger. 75: \
            give the mail again later.
            """
    )

    @OptionGroup var database: DatabaseOptions

    @Option(
        help: """
            The address to which the mail came. By default ORIGINAL_RECIPIENT, X-Original-To, \
            Delivered-To or To.
            """
    )
    var recipient: String?

    /// The mail server gives the mail again later.
    private static let tryAgain: Int32 = 75
    /// A longer mail is read no further. Mail servers set such limits themselves.
    private static let longestInput = 64 << 20

    /// Runs the command of these arguments. A mistake in them keeps the mails in the mail server's
    /// queue: the parser's own exit status would make it drop them. No sentence quotes an argument.
    static func exitForMailServer(_ arguments: [String]) async -> Never {
        do {
            var command = try MemoRelay.parseAsRoot(arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            exit()
        } catch let code as ExitCode {
            exit(withError: code)
        } catch {
            guard MemoRelay.exitCode(for: error) == .validationFailure else {
                MemoRelay.exit(withError: error)
            }
            _ = complain(
                "bounce: the arguments are wrong; \"memo-relay bounce --help\" tells the right "
                    + "ones. The mail server keeps the mail and tries again."
            )
            exit(withError: ExitCode(tryAgain))
        }
    }

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment["ORIGINAL_RECIPIENT"]
        let recipients = [recipient, environment].compactMap { $0.map { Array($0.utf8) } }
        guard let mail = Self.readMail() else { throw later("the mail could not be read.") }
        do {
            let bounce = BounceMail(mail, to: recipients)
            let now = OutboxClock.system.wallTime()
            let result =
                switch DataPlace.named(database.data, key: database.key, isPooled: database.pooled)
                {
                case .success(.folder(let folder)):
                    try await bounce.record(at: now) { () throws(OperatorError) in
                        try OperatorDatabase(folder: folder)
                    }
                case .success(.database(let place, let key)):
                    try await bounce.record(at: now) { () throws(OperatorError) in
                        place.operators(key: key)
                    }
                case .failure(let mistake): throw later(mistake.sentence)
                }
            guard let sentence = Self.sentence(for: result) else {
                throw later("the relay has not yet stored that the mail server took the mail.")
            }
            print(sentence)
        } catch let error as OperatorError {
            throw later(database.sentence(for: error))
        }
    }

    private func later(_ sentence: String) -> ExitCode {
        _ = complain("bounce: \(sentence) The mail server keeps the mail and tries again.")
        return ExitCode(Self.tryAgain)
    }

    /// - Returns: `nil` for a bounce that must come again.
    private static func sentence(for result: BounceResult) -> String? {
        switch result {
        case .bounced: "recorded: the memo has bounced"
        case .expired: "recorded: the memo has expired"
        case .settledBefore: "nothing to record: the memo's last status is stored already"
        case .undecided: nil
        case .notFinal: "nothing to record: the report tells no failure for good"
        case .noReport: "nothing to record: the mail is no report of a mail server"
        case .noMemo: "nothing to record: the mail came to the address of no memo"
        }
    }

    /// Reads to the end, so that the mail server's writing does not fail, and keeps the beginning.
    private static func readMail() -> [UInt8]? {
        var mail: [UInt8] = []
        var total = 0
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while total < longestInput {
            let count = read(STDIN_FILENO, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            guard count > 0 else { break }
            total += count
            mail += buffer.prefix(min(count, DeliveryReport.longestMail - mail.count))
        }
        return mail
    }
}
