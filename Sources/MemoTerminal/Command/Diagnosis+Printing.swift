import MemoCore
public import MemoKit
public import MemoTexts
import Outbox
import OutboxCore
public import WireCore

/// The answer of `memo doctor`.
extension Diagnosis {
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
        for kind in TimingKind.allCases {
            let budget = "\(kind.budget.count)"
            let figures = TimingSummary(recentTimings[kind] ?? []).map { summary in
                language.string(
                    AppText.timing,
                    Self.milliseconds(summary.median, in: language),
                    Self.milliseconds(summary.latest, in: language),
                    budget
                )
            }
            table.add(language.string(kind.title), figures ?? language.string(.notMeasured))
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
        for kind in TimingKind.allCases {
            let recent = recentTimings[kind] ?? []
            members.append(
                (
                    kind.name,
                    .object([
                        ("budgetMicroseconds", .number(kind.budget.count * 1000)),
                        (
                            "medianMicroseconds",
                            TimingSummary(recent).map { .number($0.median) } ?? .null
                        ),
                        ("recentMicroseconds", .array(recent.map(JSON.number))),
                    ])
                )
            )
        }
        return .object(members)
    }
}

extension TimingKind {
    /// The name of the measurements for a program.
    fileprivate var name: String {
        switch self {
        case .timeToText: "timeToText"
        case .sendToReset: "sendToReset"
        }
    }

    /// The name of the measurements for a person.
    fileprivate var title: AppText {
        switch self {
        case .timeToText: .timeToText
        case .sendToReset: .sendToReset
        }
    }
}

extension Diagnosis.KeyState {
    fileprivate var text: CommandText {
        switch self {
        case .present: .keyPresent
        case .keyring: .keyInKeyring
        case .missing: .keyIsMissing
        case .permissions: .keyIsOpen
        case .unreadable: .keyIsUnreadable
        }
    }
}

extension AgentError {
    /// The sentence for a person, behind its time.
    fileprivate func text(in language: Language) -> String {
        let words = ReasonWords(reason, isParked: false)
        return Dates.local(time) + "  " + language.sentence(words)
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
