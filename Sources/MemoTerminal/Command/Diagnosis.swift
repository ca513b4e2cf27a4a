import LibC
public import MemoCore
public import MemoKit
import Outbox
import OutboxCore

/// The state of a device, without any memo.
public struct Diagnosis {
    /// Everything that needs a person, the most serious first.
    public private(set) var problems: [MemoError] = []
    private let folder: DataFolder
    private let key: KeyState
    private var account = AccountStanding.unknown
    private var recipient: Account?
    private var outbox: OutboxState?
    private var needPerson = 0
    private var notArrived = 0
    private let agentErrors: [AgentError]
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
        // An agent that is called from here may note others.
        let failure = folder.agentFailure
        agentErrors = AgentError.all(inLog: folder.log)
        do {
            let box = try MemoBox(folder: folder)
            account = try box.accountStanding()
            outbox = try box.outboxState()
            needPerson = try box.entriesThatNeedPerson()
            notArrived = try box.unseenFailures()
            box.summonAgentForRest()
            for index in timings.indices {
                timings[index].recent = try box.timings(timings[index].kind).map(\.microseconds)
            }
            // Opens something sealed, so that a key that does not fit is noticed.
            recipient = try box.account()
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
        if account == .signedOutElsewhere { problems.append(.signedOutElsewhere) }
        if let outbox, outbox.queued > 0 {
            if account == .signedOut || account == .codeAsked { problems.append(.noAccount) }
            if let absence = folder.relayAbsence, account == .signedIn {
                problems.append(
                    .relayUnreached(
                        relay: recipient?.relay ?? "—",
                        since: absence.since,
                        reason: absence.reason.description,
                        waiting: outbox.queued
                    )
                )
            }
        }
        if needPerson > 0 { problems.append(.entriesNeedPerson(needPerson)) }
        if notArrived > 0 { problems.append(.memosNotArrived(notArrived)) }
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
            language.string(account.word)
        )
        if let recipient {
            table.add(language.string(AppText.address), recipient.address)
            table.add(language.string(.server), recipient.relay)
        }
        table.add(
            language.string(.outbox),
            outbox?.text(in: language) ?? language.string(.outboxUnreadable)
        )
        if agentErrors.isEmpty { table.add(language.string(.agentErrors), none) }
        for (index, error) in agentErrors.enumerated() {
            table.add(index == 0 ? language.string(.agentErrors) : "", error.text(in: language))
        }
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
            ("account", .bool(account == .signedIn || account == .signedOutElsewhere)),
            ("isSignedIn", .bool(account == .signedIn)),
            ("address", .optional(recipient?.address)),
            ("relay", .optional(recipient?.relay)),
            ("problem", .optional(problems.first?.description)),
            ("problems", .array(problems.map { JSON.string($0.description) })),
            ("outbox", .object(OutboxState.fields(of: outbox))),
            ("agentErrors", .array(agentErrors.map { .string($0.reason.description) })),
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
}

extension AccountStanding {
    /// The answer to the question whether a person is signed in.
    fileprivate var word: CommandText {
        switch self {
        case .signedIn: .yes
        case .signedOut, .unknown: .notSignedIn
        case .codeAsked: .codeEntryWaits
        case .signedOutElsewhere: .noLongerSignedIn
        }
    }
}
