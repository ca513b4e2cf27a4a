internal import ArgumentParser
internal import MemoKit
internal import MemoTerminal
internal import OutboxCore

struct HistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "List the memos sent from this device, the latest first.",
        discussion: """
            With --json, an array of {"id", "createdAt" (RFC 3339, UTC), "status" (queued, sent, \
            refused, deleted), "reason" (or null), "text" (null when it does not open)}.
            """
    )

    @Option(help: "The most memos to list.")
    var limit = 50

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        guard limit >= 0 else { throw ValidationError("--limit must not be negative.") }
    }

    func run() throws {
        let box = try MemoBox(folder: .current())
        box.summonAgentForRest()
        let entries = try box.history(limit: limit)
        guard !json else {
            StandardOutput.write(JSON.array(entries.map(\.json)).line)
            return
        }
        if entries.isEmpty { StandardError.write("No memos yet.\n") }
        for entry in entries {
            let status = entry.status.reason.map { "\(entry.status.name) (\($0))" }
            let subject = entry.text.map(SubjectRule.subject(of:)) ?? "(cannot be opened)"
            StandardOutput.write(
                "\(Dates.local(entry.createdAt))  \(status ?? entry.status.name)  \(subject)\n"
            )
        }
    }
}

extension HistoryEntry {
    fileprivate var json: JSON {
        .object([
            ("id", .string(id.description)),
            ("createdAt", .string(Dates.utc(createdAt))),
            ("status", .string(status.name)),
            ("reason", .optional(status.reason?.description)),
            ("text", .optional(text)),
        ])
    }
}
