import ArgumentParser
import LibC
import Outbox
import OutboxCore
import RelayServer

/// `memo-relay queue`: the mails that the relay has yet to hand over.
struct QueueCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "queue",
        abstract: "List, hold, release or attempt the mails that the relay has yet to hand over.",
        discussion: """
            A mail is due, or waits after a failure, or is held. The relay may run meanwhile: it \
            notices within a second. No command shows a memo or an address. The domain is shown, \
            because a whole domain is what an operator can mend something for; mails of codes \
            have none. Mails that the relay has given up: memo-relay dead-letters.

            Exit codes: 0; 1 if the database or the key cannot be used, or a mail that is named \
            does not exist; 64 for a mistake in the options.
            """,
        subcommands: [List.self, Show.self, Hold.self, Release.self, Retry.self]
    )

    struct List: OperatorCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the mails that are due, wait, or are held.",
            discussion: """
                A line has the identifier, the time of queueing, the failed attempts, the next \
                attempt, the last failure, the domain, and the memo.
                """
        )

        @OptionGroup var database: DatabaseOptions
        @OptionGroup var choice: MailConditions

        @Option(help: "The greatest number of mails.")
        var limit = 1000

        @Flag(help: "Print a JSON array.")
        var json = false

        func validate() throws {
            guard limit > 0 else { throw ValidationError("--limit must be at least 1.") }
        }

        func run(on store: some OperatedStore) async throws {
            let mails = try await store.waitingMails(choice.filter(), limit: limit)
            if json { return try printBytes(WaitingMail.json(mails)) }
            for mail in mails { print(mail.line) }
        }
    }

    struct Show: OperatorCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show a mail without its content."
        )

        @OptionGroup var database: DatabaseOptions

        @Argument(
            help: "An identifier: the mail's, or the memo's as its sender's history has it."
        )
        var id: String

        @Flag(help: "Print a JSON object.")
        var json = false

        func validate() throws {
            _ = try operationID(id)
        }

        func run(on store: some OperatedStore) async throws {
            let id = try operationID(id)
            var filter = MailFilter()
            filter.ids = [id]
            guard let mail = try await store.waitingMails(filter, limit: 1).first else {
                throw complain(ListedKind.waiting.none(id))
            }
            if json { return try printBytes(mail.json()) }
            print(mail.lines)
        }
    }

    struct Hold: OperatorCommand {
        static let configuration = CommandConfiguration(
            abstract: "Hold mails: none is attempted before it is released.",
            discussion: """
                A held mail stays held when the relay is started again. Its memo stays accepted, \
                and no age ends it. A mail that is being handed over at this moment may arrive, \
                or become a dead letter; else it is held. Mails that are queued later are not held.
                """
        )

        @OptionGroup var database: DatabaseOptions
        @OptionGroup var choice: MailChoice

        func run(on store: some OperatedStore) async throws {
            try await choice.change(.waiting, "held") { filter in
                try await store.hold(filter, at: OutboxClock.system.wallTime())
            }
        }
    }

    struct Release: OperatorCommand {
        static let configuration = CommandConfiguration(
            abstract: "Release held mails, to be tried at once.",
            discussion: """
                A mail that was queued longer ago than a mail lives has one attempt. The mail of a \
                code that has expired is dropped.
                """
        )

        @OptionGroup var database: DatabaseOptions
        @OptionGroup var choice: MailChoice

        func run(on store: some OperatedStore) async throws {
            try await choice.change(.held, "released") { filter in
                try await store.release(filter)
            }
        }
    }

    struct Retry: OperatorCommand {
        static let configuration = CommandConfiguration(
            abstract: "Attempt mails at once that wait after a failure.",
            discussion: "Held mails stay held."
        )

        @OptionGroup var database: DatabaseOptions
        @OptionGroup var choice: MailChoice

        func run(on store: some OperatedStore) async throws {
            try await choice.change(.waiting, "due at once") { filter in
                try await store.attemptNow(filter)
            }
        }
    }
}

extension WaitingMail {
    /// One line for a list: identifier, time, attempts, next attempt, reason, domain, memo.
    fileprivate var line: String {
        "\(id)  \(queuedAt)  \(attempts)  \(heldSince == nil ? dueText : "held")  "
            + "\(reason ?? "-")  \(domain ?? "-")  \(memoText)"
    }

    private var dueText: String { dueAt.map { "\($0)" } ?? "now" }

    fileprivate var lines: String {
        """
        identifier: \(id)
        memo:       \(memoText)
        content:    \(kind ?? "unknown: the bookkeeping cannot be read")
        queued:     \(queuedAt)
        attempts:   \(attempts)
        reason:     \(reason ?? "-")
        next:       \(heldSince.map { "held since \($0)" } ?? dueText)
        domain:     \(domain ?? "-")
        size:       \(bytes) bytes, sealed
        """
    }
}
