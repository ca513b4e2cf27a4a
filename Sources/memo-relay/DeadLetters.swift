import ArgumentParser
import LibC
import Outbox
import OutboxCore
import RelayServer

/// `memo-relay dead-letters`: the mails that the relay has given up.
struct DeadLetters: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dead-letters",
        abstract: "List, try again or discard the mails that the relay has given up.",
        discussion: """
            A dead letter is a mail that the mail server refused for good, or that has expired, or \
            that cannot be read. The relay may run meanwhile: it notices within a second. No \
            command shows a memo or an address. The domain is shown, because a whole domain is \
            what an operator can mend something for.

            Exit codes: 0; 1 if the database or the key cannot be used, or a dead letter that is \
            named does not exist; 64 for a mistake in the options.
            """,
        subcommands: [List.self, Show.self, Retry.self, Discard.self]
    )

    struct List: OperatorCommand {
        static let configuration = CommandConfiguration(abstract: "List the dead letters.")

        @OptionGroup var database: DatabaseOptions
        @OptionGroup var choice: MailConditions

        @Option(help: "The greatest number of letters.")
        var limit = 1000

        @Flag(help: "Print a JSON array.")
        var json = false

        func validate() throws {
            guard limit > 0 else { throw ValidationError("--limit must be at least 1.") }
        }

        func run(on store: some OperatedStore) async throws {
            let letters = try await store.deadLetters(choice.filter(), limit: limit)
            if json { return try printBytes(DeadLetter.json(letters)) }
            for letter in letters { print(letter.line) }
        }
    }

    struct Show: OperatorCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show a dead letter without its content."
        )

        @OptionGroup var database: DatabaseOptions

        @Argument(
            help: "An identifier: the letter's, or the memo's as its sender's history has it."
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
            guard let letter = try await store.deadLetters(filter, limit: 1).first else {
                throw complain(ListedKind.deadLetter.none(id))
            }
            if json { return try printBytes(letter.json()) }
            print(letter.lines)
        }
    }

    struct Retry: OperatorCommand {
        static let configuration = CommandConfiguration(
            abstract: "Queue dead letters again, to be tried at once.",
            discussion: """
                The devices of a memo's sender show the memo as accepted again. A letter that was \
                queued longer ago than a mail lives has one attempt. Someone who has meanwhile \
                sent the text again gets it twice.
                """
        )

        @OptionGroup var database: DatabaseOptions
        @OptionGroup var choice: MailChoice

        func run(on store: some OperatedStore) async throws {
            try await choice.change(.deadLetter, "queued again") { filter in
                try await store.retry(filter, at: OutboxClock.system.wallTime())
            }
        }
    }

    struct Discard: OperatorCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete dead letters for good.",
            discussion: "The records that say what became of the memos stay."
        )

        @OptionGroup var database: DatabaseOptions
        @OptionGroup var choice: MailChoice

        func run(on store: some OperatedStore) async throws {
            try await choice.change(.deadLetter, "discarded") { filter in
                try await store.discard(filter)
            }
        }
    }
}

extension DeadLetter {
    /// One line for a list: identifier, time, attempts, reason, domain, memo.
    fileprivate var line: String {
        "\(id)  \(queuedAt)  \(attempts)  \(reason)  \(domain ?? "-")  \(memoText)"
    }

    fileprivate var lines: String {
        """
        identifier: \(id)
        memo:       \(memoText)
        queued:     \(queuedAt)
        attempts:   \(attempts)
        reason:     \(reason)
        domain:     \(domain ?? "-")
        size:       \(bytes) bytes, sealed
        retry:      \(isRetryable ? "possible" : "not possible: its stored bytes cannot be read")
        """
    }
}
