import LibC
public import MemoCore
public import MemoKit
import Outbox
import OutboxCore

/// The state of a device, without any memo and without an address.
public struct Diagnosis {
    /// Everything that needs a person, the most serious first.
    public private(set) var problems: [MemoError] = []
    private let folder: DataFolder
    private let key: KeyState
    private var hasAccount = false
    private var outbox: OutboxState?
    private let agentErrors: [String]
    private var timings: [(name: String, title: AppText, kind: TimingKind, recent: [Int64])] = [
        ("timeToText", .timeToText, .timeToText, []),
        ("sendToReset", .sendToReset, .sendToReset, []),
    ]

    /// The state of the key, found without opening the key.
    private enum KeyState: String {
        case present, keyring, missing, permissions, unreadable

        var text: CommandText {
            switch self {
            case .present: .keyPresent
            case .keyring: .keyInKeyring
            case .missing: .keyIsMissing
            case .permissions: .keyIsOpen
            case .unreadable: .keyIsUnreadable
            }
        }
    }

    /// Reads the state of a device. Makes an empty folder and database where there is none, tries
    /// what storing needs, calls the agent where memos are queued, and changes nothing else.
    public init(of folder: DataFolder) {
        self.folder = folder
        key = Self.keyState(folder)
        let logged = Self.errorTypes(inLog: folder.log)
        // An agent that is called from here may note another one.
        let failure = folder.agentFailure
        agentErrors = (failure.map { [$0] } ?? []) + logged.filter { $0 != failure }
        do {
            let box = try MemoBox(folder: folder)
            hasAccount = try box.hasAccount()
            outbox = try box.outboxState()
            box.summonAgentForRest()
            for index in timings.indices {
                timings[index].recent = try box.timings(timings[index].kind).map(\.microseconds)
            }
            // Opens something sealed, so that a key that does not fit is noticed.
            _ = try box.account()
            _ = try box.settings()
            _ = try box.history(limit: 1)
            problems = try box.damage()
            try box.tryStoring()
        } catch {
            problems.insert(error, at: 0)
        }
        problems += deliveryProblems(failure)
    }

    /// The problems that keep stored memos from leaving.
    private func deliveryProblems(_ agentFailure: String?) -> [MemoError] {
        var problems: [MemoError] = []
        if AgentProgram.located() == nil { problems.append(.agentNotStarted(code: ENOENT)) }
        if let outbox {
            if !hasAccount, outbox.queued > 0 { problems.append(.noAccount) }
            let stuck = outbox.parked + outbox.quarantined
            if stuck > 0 { problems.append(.entriesNeedPerson(stuck)) }
        }
        if let agentFailure { problems.append(.agentCannotWork(agentFailure)) }
        return problems
    }

    /// The diagnosis as a table for a person.
    public func text(in language: Language) -> String {
        let none = language.string(.none)
        var table = Table()
        table.add(language.string(.folder), folder.path)
        table.add(language.string(.key), language.string(key.text))
        table.add(
            language.string(CommandText.signedIn),
            language.string(hasAccount ? .yes : .notSignedIn)
        )
        table.add(
            language.string(.outbox),
            outbox?.text(in: language) ?? language.string(.outboxUnreadable)
        )
        table.add(
            language.string(.agentErrors),
            agentErrors.isEmpty ? none : agentErrors.joined(separator: ", ")
        )
        for timing in timings {
            let budget = "\(timing.kind.budget.count)"
            let figures = TimingSummary(timing.recent).map { summary in
                language.string(
                    AppText.timing,
                    Self.milliseconds(summary.median, in: language),
                    Self.milliseconds(summary.latest, in: language),
                    budget
                )
            }
            table.add(language.string(timing.title), figures ?? language.string(.notMeasured))
        }
        for problem in problems {
            table.add(language.string(.problem), problem.sentence(in: language))
        }
        if problems.isEmpty { table.add(language.string(.problem), none) }
        return table.text
    }

    private static func milliseconds(_ microseconds: Int64, in language: Language) -> String {
        String(decoding: TimingSummary.milliseconds(microseconds, in: language), as: UTF8.self)
    }

    /// The diagnosis for a program.
    public var json: JSON {
        var members: [(String, JSON)] = [
            ("folder", .string(folder.path)),
            ("key", .string(key.rawValue)),
            ("account", .bool(hasAccount)),
            ("problem", .optional(problems.first?.description)),
            ("problems", .array(problems.map { JSON.string($0.description) })),
            ("outbox", .object(OutboxState.fields(of: outbox))),
            ("agentErrors", .array(agentErrors.map { JSON.string($0) })),
        ]
        for timing in timings {
            members.append(
                (
                    timing.name,
                    .object([
                        ("budgetMicroseconds", .number(timing.kind.budget.count * 1000)),
                        (
                            "medianMicroseconds",
                            TimingSummary(timing.recent).map { .number($0.median) } ?? .null
                        ),
                        ("recentMicroseconds", .array(timing.recent.map(JSON.number))),
                    ])
                )
            )
        }
        return .object(members)
    }

    private static func keyState(_ folder: DataFolder) -> KeyState {
        if let home = folder.keyHome, home != .file { return .keyring }
        let path = folder.key
        var status = stat()
        guard stat(path, &status) == 0 else { return errno == ENOENT ? .missing : .unreadable }
        if status.st_mode & 0o077 != 0 { return .permissions }
        return access(path, R_OK) == 0 ? .present : .unreadable
    }

    /// The values of `error=` in the last part of the log, each once, the latest first.
    private static func errorTypes(inLog path: String) -> [String] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        let size = lseek(descriptor, 0, SEEK_END)
        lseek(descriptor, max(0, size - 65536), SEEK_SET)
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = read(descriptor, &bytes, bytes.count)
        guard count > 0 else { return [] }
        let field = Array("error=".utf8)
        var types: [String] = []
        for word in bytes[..<count].split(whereSeparator: { $0 == 0x20 || $0 == 0x0A }).reversed() {
            guard word.starts(with: field) else { continue }
            let type = ReasonCode(utf8: Array(word.dropFirst(field.count)))
            if type.isPlain, !types.contains("\(type)") { types.append("\(type)") }
        }
        return types
    }
}
