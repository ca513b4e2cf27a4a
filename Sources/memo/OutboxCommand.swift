import ArgumentParser
import Dispatch
import MemoCore
import MemoKit
import MemoProcesses
import MemoTerminal
import MemoTexts
import Outbox
import OutboxCore
import WireCore

struct OutboxCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "outbox",
        abstract: "What has not left this device yet.",
        discussion: """
            With --json, an entry is {"id" (or null), "number", "kind" (or null), "state" (queued, \
            parked, quarantined), "createdAt" (or null), "attempts", "nextEligibleAt" (or null), \
            "reason" (or null)}; show adds "text", list prints an array; watch prints, for each \
            change, {"queued", "parked", "quarantined", "oldestAgeSeconds" (or null), \
            "needsAttention" (something is damaged, parked or unreadable, or has waited for an \
            hour)}. What is damaged beyond single entries is said on standard error. An entry is \
            named by its identifier, or by its number: entry:NUMBER.
            """,
        subcommands: [
            List.self, Show.self, Watch.self, Retry.self, Export.self, Delete.self,
        ],
        defaultSubcommand: List.self
    )

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the entries."
        )

        @Option(help: "The most entries of each state to list.")
        var limit = 100
        @Flag(help: "Print JSON.")
        var json = false

        func validate() throws {
            guard limit >= 0 else {
                throw ValidationError(Language.ofThisProcess.string(HelpText.limitNegative))
            }
        }

        func run() throws {
            let box = try MemoBox.reading(.current())
            box.summonAgentForRest()
            let items = try box.outboxItems(limit: limit)
            for damage in try box.damage() {
                StandardError.complain(damage.sentence(in: .ofThisProcess))
            }
            guard !json else {
                StandardOutput.write(JSON.array(items.map { .object($0.fields) }).line)
                return
            }
            let language = Language.ofThisProcess
            if items.isEmpty { StandardError.write(language.string(.outboxEmpty) + "\n") }
            let names = ShortIdentifier.ends(of: items.compactMap(\.id))
            for item in items {
                StandardOutput.write(
                    box.lines(of: item, named: item.id.flatMap { names[$0] }, in: language)
                )
            }
            if try box.accountStanding() == .signedOutElsewhere {
                StandardError.complain(MemoError.signedOutElsewhere.sentence(in: language))
            }
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show an entry and its memo."
        )

        @Argument(help: "The entry's identifier, or entry:NUMBER.")
        var id: String
        @Flag(help: "Print JSON.")
        var json = false

        func run() throws {
            let box = try MemoBox.reading(.current())
            let item = try box.outboxItem(named: id)
            let text = try box.outboxText(item)
            if json {
                StandardOutput.write(JSON.object(item.fields + [("text", .string(text))]).line)
            } else {
                let lines = box.lines(of: item, named: item.id?.description, in: .ofThisProcess)
                StandardOutput.write(lines + "\n" + text + "\n")
            }
        }
    }

    struct Watch: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "watch",
            abstract: "Print how the outbox is doing, now and after each change, until Ctrl-C."
        )

        @Flag(help: "Print JSON, an object on a line.")
        var json = false

        func run() throws {
            let box = try MemoBox.reading(.current())
            box.summonAgentForRest()
            // An outbox that cannot be read fails here, and not in silence.
            _ = try box.outboxState()
            let (isJSON, language) = (json, Language.ofThisProcess)
            Task {
                for await state in box.outboxStates() {
                    StandardOutput.write(
                        isJSON
                            ? JSON.object(OutboxState.fields(of: state)).line
                            : state.text(in: language) + "\n"
                    )
                }
            }
            dispatchMain()
        }
    }

    struct Retry: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "retry",
            abstract: "Attempt an entry at once, or all that are queued or parked."
        )

        @Argument(help: "The entry's identifier, or entry:NUMBER; all without it.")
        var id: String?

        func run() throws {
            let box = try MemoBox(folder: .current())
            var number = 1
            if let id {
                try box.retry(box.outboxItem(named: id))
            } else {
                number = try box.retryAll()
            }
            let standing = try box.accountStanding()
            if try box.summonAgent() == .noAccount { throw MemoError.noAccount }
            if standing == .signedOutElsewhere { throw MemoError.signedOutElsewhere }
            StandardError.write(Language.ofThisProcess.string(.outboxRetried, "\(number)") + "\n")
        }
    }

    struct Export: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "export",
            abstract: "Print an entry's stored bytes, to keep a copy of one that cannot be read.",
            discussion: """
                Prints {"format": 1, "number", "id" (or null), "state", "reason" (or null), \
                "envelope", "record"}; the last two are the stored bytes in hexadecimal digits. \
                The memo in it stays sealed. Nothing is changed.
                """
        )

        @Argument(help: "The entry's identifier, or entry:NUMBER.")
        var id: String

        func run() throws {
            let box = try MemoBox.reading(.current())
            let item = try box.outboxItem(named: id)
            let entry = try box.export(item)
            let fields: [(String, JSON)] = [
                ("format", .number(1)),
                ("number", .number(item.number)),
                ("id", .optional(item.id?.description)),
                ("state", .string(item.state.rawValue)),
                ("reason", .optional(item.reason?.description)),
                ("envelope", .hexadecimal(entry.envelope)),
                ("record", .hexadecimal(entry.record)),
            ]
            StandardOutput.write(JSON.object(fields).line)
        }
    }

    struct Delete: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete",
            abstract: "Delete an entry for good; its memo is not sent."
        )

        @Argument(help: "The entry's identifier, or entry:NUMBER.")
        var id: String

        func run() throws {
            let box = try MemoBox(folder: .current())
            try box.delete(box.outboxItem(named: id))
        }
    }
}

extension OutboxItem {
    fileprivate var fields: [(String, JSON)] {
        [
            ("id", .optional(id?.description)),
            ("number", .number(number)),
            ("kind", .optional(kind?.description)),
            ("state", .string(state.rawValue)),
            ("createdAt", .optional(createdAt.map(Dates.utc))),
            ("attempts", .number(Int64(attempts))),
            ("nextEligibleAt", .optional(nextEligibleAt.map(Dates.utc))),
            ("reason", .optional(reason?.description)),
        ]
    }
}
