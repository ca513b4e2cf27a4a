import MemoKit
public import MemoTexts
public import Outbox
import OutboxCore
public import WireCore

extension OutboxState {
    /// The numbers on one line, for a person.
    public func text(in language: Language) -> String {
        var parts = [
            language.string(AppText.queued, "\(queued)"),
            language.string(AppText.parked, "\(parked)"),
            language.string(AppText.quarantined, "\(quarantined)"),
        ]
        if let oldestAge {
            parts.append(language.string(CommandText.oldest, language.words(for: oldestAge)))
        }
        return parts.joined(separator: "  ")
    }

    /// The numbers for a program. An outbox that cannot be read has the same members, all null.
    public static func fields(of state: OutboxState?) -> [(String, JSON)] {
        [
            ("queued", number(state.map(\.queued))),
            ("parked", number(state?.parked)),
            ("quarantined", number(state?.quarantined)),
            ("oldestAgeSeconds", number(state?.oldestAge.map { Int($0.count / 1000) })),
            ("needsAttention", state.map { .bool($0.needsAttention) } ?? .null),
        ]
    }

    private static func number(_ number: Int?) -> JSON {
        number.map { .number(Int64($0)) } ?? .null
    }
}
