import ArgumentParser
import MemoCore
import MemoKit
import MemoProcesses
import MemoTerminal
import MemoTexts
import OutboxCore
import WireCore

struct HistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "List the memos sent from your devices, the latest first.",
        discussion: """
            With --json, an array of {"id", "createdAt" (RFC 3339, UTC), "status" (queued, \
            quarantined, sent, delivered, bounced, expired, refused, deleted, resent), "reason" (or \
            null), "text" (null when it does not open, and for a memo of another device), "device" (null \
            for this one; the name of another one, empty where it is signed out)}; resend prints {"id", "status"} of the new \
            memo. A memo of another device is shown without its text, which never leaves that device but as \
            a mail; memo sync brings the latest statuses. Below a memo that did not arrive stands the command that sends it again.
            """,
        subcommands: [Show.self, Resend.self, Delete.self]
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
        let box = try MemoBox.reading(.current())
        let age = box.askForNews()
        let entries = try box.history(limit: limit)
        let elsewhere = ((try? box.sharedView()) ?? nil)?.memos ?? []
        let lines = HistoryLine.merged(entries, elsewhere, limit: limit)
        guard !format.json else {
            StandardOutput.write(JSON.array(lines.map(\.json)).line)
            return
        }
        let language = Language.ofThisProcess
        if lines.isEmpty, limit > 0 {
            StandardError.write(language.string(.historyEmpty) + "\n")
        }
        let names = ShortIdentifier.ends(of: lines.map(\.id))
        for line in lines {
            let name = names[line.id] ?? line.id.description
            switch line {
            case .here(let entry): StandardOutput.write(entry.lines(named: name, in: language))
            case .elsewhere(let memo): StandardOutput.write(memo.lines(named: name, in: language))
            }
        }
        if case .past(let read) = age, entries.contains(where: { $0.status.newsPeriod != nil }) {
            let sentence =
                read.map { language.string(.newsAsOf, Dates.local($0)) }
                ?? language.string(.newsNever)
            StandardError.write(sentence + "\n")
        }
        // A failure means that the person is told once more.
        try? box.noteSeen(entries)
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show a memo as a whole, with its identifier."
        )

        @Argument(help: "The memo's identifier, as memo history prints it.")
        var id: String

        @OptionGroup var format: Format

        func run() throws {
            let box = try MemoBox.reading(.current())
            let entry = try box.historyEntry(named: id)
            if format.json {
                StandardOutput.write(entry.json.line)
            } else {
                let lines = entry.lines(named: entry.id.description, in: .ofThisProcess)
                StandardOutput.write(lines + "\n" + (entry.text.map { $0 + "\n" } ?? ""))
            }
            try? box.noteSeen([entry])
        }
    }

    struct Delete: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete",
            abstract: "Delete a memo from this device, its text too; one that waits is not sent."
        )

        @Argument(help: "The memo's identifier, as memo history prints it.")
        var id: String

        func run() throws {
            let box = try MemoBox(folder: .current())
            try box.deleteFromHistory(box.historyEntry(named: id).id)
            StandardError.write(Language.ofThisProcess.string(.memoDeleted) + "\n")
        }
    }

    struct Resend: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "resend",
            abstract: "Send a memo that did not arrive again, as a new memo."
        )

        @Argument(help: "The memo's identifier, as memo history prints it.")
        var id: String

        @OptionGroup var format: Format

        func run() throws {
            let box = try MemoBox(folder: .current())
            let entry = try box.historyEntry(named: id)
            SendCommand.finish(try box.resend(entry.id), in: box, isJSON: format.json)
        }
    }
}

/// A memo of this device, or of another one of the same person.
private enum HistoryLine {
    case here(HistoryEntry)
    case elsewhere(SharedView.Memo)

    var id: OperationID {
        switch self {
        case .here(let entry): entry.id
        case .elsewhere(let memo): memo.id
        }
    }

    private var time: WallTime {
        switch self {
        case .here(let entry): entry.createdAt
        case .elsewhere(let memo): memo.acceptedAt
        }
    }

    var json: JSON {
        switch self {
        case .here(let entry): entry.json
        case .elsewhere(let memo): memo.json
        }
    }

    /// The latest of both, in one order. Both are in theirs, the latest first.
    static func merged(
        _ here: [HistoryEntry],
        _ elsewhere: [SharedView.Memo],
        limit: Int
    ) -> [HistoryLine] {
        var lines: [HistoryLine] = []
        var rest = elsewhere[...]
        for entry in here {
            let line = HistoryLine.here(entry)
            while let memo = rest.first, memo.acceptedAt > line.time {
                lines.append(.elsewhere(memo))
                rest.removeFirst()
            }
            lines.append(line)
        }
        for memo in rest { lines.append(.elsewhere(memo)) }
        return Array(lines.prefix(limit))
    }
}

extension SharedView.Memo {
    fileprivate var json: JSON {
        .object([
            ("id", .string(id.description)),
            ("createdAt", .string(Dates.utc(acceptedAt))),
            ("status", .string(String(decoding: status.name, as: UTF8.self))),
            ("reason", .optional(status.reason?.description)),
            ("text", .null),
            ("device", .string(device ?? "")),
        ])
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
            ("device", .null),
        ])
    }
}

struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Show how this device is doing, and where memos go; nothing that was written.",
        discussion: """
            With --json: {"folder", "key" (present, keyring, missing, permissions, unreadable), \
            "account" (boolean), "isSignedIn" (false also when the server refuses the token), \
            "address" (or null), "relay" (or null), "problem" (the first, or null), "problems": [sentence, ...], "outbox": {"queued", "parked", "quarantined", \
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
