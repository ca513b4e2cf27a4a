import ArgumentParser
import MemoCore
import MemoKit
import MemoTerminal
import OutboxCore

struct HistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "List the memos sent from this device, the latest first.",
        discussion: """
            With --json, an array of {"id", "createdAt" (RFC 3339, UTC), "status" (queued, \
            quarantined, sent, delivered, bounced, expired, refused, deleted), "reason" (or null), \
            "text" (null when it does not open)}.
            """
    )

    @Option(help: "The most memos to list.")
    var limit = 50

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        guard limit >= 0 else {
            throw ValidationError(Language.ofThisProcess.string(HelpText.limitNegative))
        }
    }

    func run() throws {
        let box = try MemoBox(folder: .current())
        box.summonAgentForNews()
        let entries = try box.history(limit: limit)
        guard !json else {
            StandardOutput.write(JSON.array(entries.map(\.json)).line)
            return
        }
        let language = Language.ofThisProcess
        if entries.isEmpty { StandardError.write(language.string(.historyEmpty) + "\n") }
        for entry in entries {
            let status = language.string(entry.status.text)
            let reason = entry.status.reason.map { $0.isPlain ? " (\($0))" : "" } ?? ""
            let title = entry.title ?? "(\(language.string(.memoUnreadable)))"
            StandardOutput.write(
                "\(Dates.local(entry.createdAt))  \(status)\(reason)  \(title)\n"
            )
        }
    }
}

extension HistoryEntry {
    fileprivate var json: JSON {
        .object([
            ("id", .string(id.description)),
            ("createdAt", .string(Dates.utc(createdAt))),
            ("status", .string(String(decoding: status.name, as: UTF8.self))),
            ("reason", .optional(status.reason?.description)),
            ("text", .optional(text)),
        ])
    }
}

struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Show how this device is doing; nothing that was written, and no address.",
        discussion: """
            With --json: {"folder", "key" (present, keyring, missing, permissions, unreadable), \
            "account" (boolean), "problem" (the first, or null), "problems": [sentence, ...], "outbox": {"queued", "parked", "quarantined", \
            "oldestAgeSeconds" (or null), "needsAttention"}, "agentErrors": [type, ...], "timeToText" and \
            "sendToReset": {"budgetMicroseconds", "medianMicroseconds" (or null), \
            "recentMicroseconds": [...]}}. Exits with 0 when nothing needs a person, \
            else with the code of the first problem: 69 memos cannot leave, 73 or 74 memos cannot \
            be stored, 75 something holds a lock, 77 the key cannot be used.
            """
    )

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        let diagnosis = Diagnosis(of: try DataFolder.current())
        StandardOutput.write(json ? diagnosis.json.line : diagnosis.text(in: .ofThisProcess))
        if let problem = diagnosis.problems.first { Ending.exit(problem.exitStatus) }
    }
}
