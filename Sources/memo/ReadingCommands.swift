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
            quarantined, sent, delivered, bounced, expired, refused, deleted, resent), "reason" (or \
            null), "text" (null when it does not open)}; resend prints {"id", "status"} of the new \
            memo. Below a memo that did not arrive stands the command that sends it again.
            """,
        subcommands: [Resend.self]
    )

    @Option(help: "The most memos to list.")
    var limit = 50

    @OptionGroup var format: Format

    /// The parser gives an option of both commands to the first one; both see it here.
    struct Format: ParsableArguments {
        @Flag(help: "Print JSON.")
        var json = false
    }

    func validate() throws {
        guard limit >= 0 else {
            throw ValidationError(Language.ofThisProcess.string(HelpText.limitNegative))
        }
    }

    func run() throws {
        let box = try MemoBox(folder: .current())
        box.summonAgentForNews()
        let entries = try box.history(limit: limit)
        guard !format.json else {
            StandardOutput.write(JSON.array(entries.map(\.json)).line)
            return
        }
        let language = Language.ofThisProcess
        if entries.isEmpty { StandardError.write(language.string(.historyEmpty) + "\n") }
        for entry in entries { StandardOutput.write(entry.lines(in: language)) }
    }

    struct Resend: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Send a memo that did not arrive again, as a new memo."
        )

        @Argument(help: "The memo's identifier, as memo history prints it.")
        var id: String

        @OptionGroup var format: Format

        func run() throws {
            guard let id = OperationID(text: id.utf8) else { throw MemoError.notResendable }
            let box = try MemoBox(folder: .current())
            SendCommand.finish(try box.resend(id), in: box, isJSON: format.json)
        }
    }
}

extension HistoryEntry {
    fileprivate func lines(in language: Language) -> String {
        let word = language.string(status.text)
        let reason = status.reason.map { $0.isPlain ? " (\($0))" : "" } ?? ""
        let title = title ?? "(\(language.string(.memoUnreadable)))"
        let line = "\(Dates.local(createdAt))  \(word)\(reason)  \(title)\n"
        return status.isReplacedByResending ? line + "  memo history resend \(id)\n" : line
    }

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
