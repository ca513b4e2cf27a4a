internal import ArgumentParser
internal import MemoKit
internal import MemoTerminal
internal import OutboxCore

struct OutboxCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "outbox",
        abstract: "What has not left this device yet.",
        discussion: """
            With --json, an entry is {"id" (or null), "number", "kind" (or null), "state" (queued, \
            parked, quarantined), "createdAt" (or null), "attempts", "nextEligibleAt" (or null), \
            "reason" (or null)}; show adds "text", list prints an array. An entry is named by its \
            identifier, or by its number: entry:NUMBER.
            """,
        subcommands: [List.self, Show.self, Retry.self, Delete.self],
        defaultSubcommand: List.self
    )

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the entries.")

        @Option(help: "The most entries of each state to list.")
        var limit = 100
        @Flag(help: "Print JSON.")
        var json = false

        func validate() throws {
            guard limit >= 0 else { throw ValidationError("--limit must not be negative.") }
        }

        func run() throws {
            let box = try MemoBox(folder: .current())
            box.summonAgentForRest()
            let items = try box.outboxItems(limit: limit)
            guard !json else {
                StandardOutput.write(JSON.array(items.map { .object($0.fields) }).line)
                return
            }
            if items.isEmpty { StandardError.write("The outbox is empty.\n") }
            for item in items { StandardOutput.write(item.line) }
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show an entry and its memo.")

        @Argument(help: "The entry's identifier, or entry:NUMBER.")
        var id: String
        @Flag(help: "Print JSON.")
        var json = false

        func run() throws {
            let box = try MemoBox(folder: .current())
            let item = try box.outboxItem(argument: id)
            let text = try box.outboxText(item)
            if json {
                StandardOutput.write(JSON.object(item.fields + [("text", .string(text))]).line)
            } else {
                StandardOutput.write(item.line + "\n" + StandardOutput.printable(text) + "\n")
            }
        }
    }

    struct Retry: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Attempt an entry at once, or all that are queued or parked."
        )

        @Argument(help: "The entry's identifier, or entry:NUMBER; all without it.")
        var id: String?

        func run() throws {
            let box = try MemoBox(folder: .current())
            if let id {
                try box.retry(box.outboxItem(argument: id))
            } else {
                try box.retryAll()
            }
            if try box.summonAgent() == .noAccount { throw MemoError.noAccount }
        }
    }

    struct Delete: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete an entry for good; its memo is not sent."
        )

        @Argument(help: "The entry's identifier, or entry:NUMBER.")
        var id: String

        func run() throws {
            let box = try MemoBox(folder: .current())
            try box.delete(box.outboxItem(argument: id))
        }
    }
}

extension MemoBox {
    /// The entry that a person means: by its identifier, or by `entry:` and its number.
    fileprivate func outboxItem(argument: String) throws -> OutboxItem {
        if argument.hasPrefix("entry:"), let number = Int64(argument.dropFirst("entry:".count)) {
            return try outboxItem(number: number)
        }
        guard let id = OperationID(text: argument.utf8) else { throw MemoError.unknownOperation }
        return try outboxItem(id)
    }
}

extension OutboxItem {
    fileprivate var fields: [(String, JSON)] {
        [
            ("id", .optional(id?.description)),
            ("number", .integer(number)),
            ("kind", .optional(kind?.description)),
            ("state", .string(state.rawValue)),
            ("createdAt", .optional(createdAt.map(Dates.utc))),
            ("attempts", .integer(Int64(attempts))),
            ("nextEligibleAt", .optional(nextEligibleAt.map(Dates.utc))),
            ("reason", .optional(reason)),
        ]
    }

    fileprivate var line: String {
        var line = "\(id?.description ?? "entry:\(number)")  \(state.rawValue)"
        if let createdAt { line += "  since \(Dates.local(createdAt))" }
        if attempts > 0 { line += "  \(attempts) attempts" }
        if let reason { line += "  \(reason)" }
        if let nextEligibleAt { line += "  next \(Dates.local(nextEligibleAt))" }
        return line + "\n"
    }
}
