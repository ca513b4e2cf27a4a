public import MemoCore
import MemoKit
public import Outbox
import OutboxCore

extension OutboxState {
    /// For a person, on one line.
    public func text(in language: Language) -> String {
        var parts = [
            language.string(AppText.queued, "\(pending + inFlight)"),
            language.string(AppText.parked, "\(parked)"),
            language.string(AppText.quarantined, "\(quarantined)"),
        ]
        if let oldestAge {
            parts.append(language.string(CommandText.oldest, "\(oldestAge.count / 1000)"))
        }
        return parts.joined(separator: "  ")
    }

    /// For a program; of an outbox that cannot be read, the same members without values.
    public static func fields(of state: OutboxState?) -> [(String, JSON)] {
        [
            ("queued", number(state.map { $0.pending + $0.inFlight })),
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
