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
        @OptionGroup var choice: DeadLetterOptions

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
            var filter = DeadLetterFilter()
            filter.ids = [id]
            guard let letter = try await store.deadLetters(filter, limit: 1).first else {
                throw complain(noDeadLetter(id))
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
        @OptionGroup var choice: ChangeOptions

        func run(on store: some OperatedStore) async throws {
            try await choice.change("queued again") { filter in
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
        @OptionGroup var choice: ChangeOptions

        func run(on store: some OperatedStore) async throws {
            try await choice.change("discarded") { filter in try await store.discard(filter) }
        }
    }
}

/// A choice by conditions.
struct DeadLetterOptions: ParsableArguments {
    @Option(help: "Only this reason, or the reasons that begin with it and a dot: expired.")
    var reason: String?

    @Option(help: "Only recipients of this domain.")
    var domain: String?

    @Option(help: "Only mails that were queued longer ago: 90m, 12h or 3d.")
    var olderThan: Age?

    var isEmpty: Bool { reason == nil && domain == nil && olderThan == nil }

    func filter() throws -> DeadLetterFilter {
        var filter = DeadLetterFilter()
        filter.reason = reason
        filter.domain = domain
        filter.before = olderThan.map { age in
            OutboxClock.system.wallTime().advanced(by: Milliseconds(-age.length.count))
        }
        return filter
    }
}

/// A choice of letters to change: some, or explicitly all.
struct ChangeOptions: ParsableArguments {
    @Argument(help: "Identifiers: the letters', or the memos' as their senders' history has them.")
    var ids: [String] = []

    @OptionGroup var conditions: DeadLetterOptions

    @Flag(help: "All dead letters.")
    var all = false

    func validate() throws {
        _ = try ids.map(operationID)
        guard [!ids.isEmpty, !conditions.isEmpty, all].count(where: { $0 }) == 1 else {
            throw ValidationError(
                "Name the dead letters by their identifiers, or by --reason, --domain and "
                    + "--older-than, or all of them by --all."
            )
        }
    }

    /// Changes the chosen letters, and prints their number behind `done`.
    func change(
        _ done: String,
        _ change: (DeadLetterFilter) async throws -> [DeadLetter]
    ) async throws {
        var filter = try conditions.filter()
        let ids = try ids.map(operationID)
        if !ids.isEmpty { filter.ids = Set(ids) }
        let changed = try await change(filter)
        print("\(done): \(changed.count)")
        fflush(nil)
        let found = Set(changed.flatMap(\.identifiers))
        let missed = ids.filter { !found.contains($0) }
        for id in missed { _ = complain(noDeadLetter(id)) }
        if !missed.isEmpty { throw ExitCode(1) }
    }
}

/// A length of time as a person writes it: a number and `m`, `h` or `d`.
struct Age: ExpressibleByArgument {
    let length: Milliseconds

    init?(argument: String) {
        let units: [Character: Int64] = ["m": 60, "h": 3600, "d": 86_400]
        guard let unit = argument.last.flatMap({ units[$0] }),
            let count = Int64(argument.dropLast()), (0...100_000).contains(count)
        else { return nil }
        length = .seconds(count * unit)
    }
}

/// Checked by hand, because the parser's own messages repeat what was given.
private func operationID(_ argument: String) throws -> OperationID {
    guard let id = OperationID(text: argument.utf8) else {
        throw ValidationError("An identifier is a UUID, as the list shows it.")
    }
    return id
}

private func noDeadLetter(_ id: OperationID) -> String {
    "there is no dead letter \(id) that this can be done with."
}

extension DeadLetter {
    /// One line for a list: identifier, time, attempts, reason, domain, memo.
    fileprivate var line: String {
        "\(id)  \(queuedAt)  \(attempts)  \(reason)  \(domain ?? "-")  \(memoText)"
    }

    private var memoText: String { memo.map { "\($0)" } ?? "-" }

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
