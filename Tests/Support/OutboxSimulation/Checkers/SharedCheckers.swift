import MemoSyncCore
import OutboxCore
import RelayAPI
import SyncCore

/// A change that a browser has stored stays stored until the relay has it, the person has changed it again,
/// or the person has given it up: whatever the relay answers, and however often pages begin anew. Until
/// then it is what the browser shows.
struct ChangesKept: Checker {
    let name = "no change of what devices share is lost"

    /// A value that a device wants a field to have; of a record that it wants to be no more, no field.
    private struct Wish: Hashable {
        let record: RecordKey
        var field: [UInt8] = []
        var value: [UInt8] = []
    }

    /// The changes that wait, for each browser.
    private var waiting: [String: Set<Wish>] = [:]
    /// All that settings ever were at the relay, and the devices that it has signed out.
    private var applied: Set<Wish> = []
    private var givenUp: Set<Wish> = []

    mutating func problem(with observation: Observation, at time: Milliseconds) -> String? {
        switch observation {
        case .settingsChanged(let settings):
            for (name, field) in settings.fields {
                applied.insert(
                    Wish(
                        record: .settings,
                        field: Array(name.utf8),
                        value: Array(field.value.utf8)
                    )
                )
            }
        case .signedOut(let device): applied.insert(Wish(record: .device(device)))
        case .givingUp(let record, let change): givenUp.formUnion(Self.wishes(record, change))
        case .stored(let records, let browser, _):
            if let record = records.shared.first(where: { !Self.showsWishes($0) }) {
                return "a \(text(record.key.kind)) does not show a change that waits"
            }
            let now = Self.wishes(in: records.shared)
            let before = waiting.updateValue(now, forKey: browser) ?? []
            for wish in before.subtracting(now) where !isAnswered(wish, by: now) {
                return "\(text(wish.field)) was to be \(text(wish.value)) on \(browser)"
            }
        default: break
        }
        return nil
    }

    private func isAnswered(_ wish: Wish, by now: Set<Wish>) -> Bool {
        applied.contains(wish) || givenUp.contains(wish)
            || now.contains { $0.record == wish.record && $0.field == wish.field }
    }

    private static func wishes(_ record: RecordKey, _ change: SyncChange) -> [Wish] {
        if change.intent == .delete { return [Wish(record: record)] }
        return change.fields.map { Wish(record: record, field: $0.name, value: $0.value) }
    }

    private static func wishes(in records: [SyncRecord]) -> Set<Wish> {
        var wishes: Set<Wish> = []
        for record in records {
            for change in record.changes where change.state != .accepted {
                wishes.formUnion(Self.wishes(record.key, change))
            }
        }
        return wishes
    }

    private static func showsWishes(_ record: SyncRecord) -> Bool {
        var wished: [[UInt8]: [UInt8]] = [:]
        for change in record.changes {
            for field in change.fields { wished[field.name] = field.value }
        }
        guard let fields = record.fields else { return wished.isEmpty }
        if record.changes.last?.intent == .delete { return false }
        return wished.allSatisfy { name, value in
            fields.contains { $0.name == name && $0.value == value }
        }
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}

/// A change of the settings is not earlier than what its author saw when making it, whatever the wall clock
/// of the device says: as long as the relay's own goes forwards.
struct StampsFollow: Checker {
    let name = "a change is not earlier than what its author saw"

    /// The latest time in the settings that an author saw, for each value that is like no other.
    private var seen: [[UInt8]: WallTime] = [:]
    private var isClockMoved = false

    mutating func problem(with observation: Observation, at time: Milliseconds) -> String? {
        switch observation {
        case .relayClockMoved: isClockMoved = true
        case .stored(let records, _, _):
            for record in records.shared where record.key == .settings {
                note(record)
            }
        case .settingsChanged(let settings):
            let field = settings.fields[String(decoding: Self.field, as: UTF8.self)]
            guard let field, !isClockMoved, let seen = seen[Array(field.value.utf8)] else {
                return nil
            }
            if field.time < seen.millisecondsSinceEpoch {
                return "\(field.value) was set before what its author saw"
            }
        default: break
        }
        return nil
    }

    /// A value is stored first by its author, beside the settings that the author saw.
    private mutating func note(_ record: SyncRecord) {
        let latest = record.base?.fields.map(\.stamp.time).max()
        for change in record.changes {
            for field in change.fields where field.name == Self.field && seen[field.value] == nil {
                seen[field.value] = latest ?? .distantPast
            }
        }
    }

    private static let field = SharedSetting.subject.name
}

/// Once faults are over, all devices have the settings and the devices that the relay has.
struct DevicesAgree: Checker {
    let name = "all devices of a person come to agree"

    private var found: [String: SharedFound] = [:]

    mutating func problem(with observation: Observation, at time: Milliseconds) -> String? {
        switch observation {
        case .shares(let found, let device): self.found[device] = found
        case .sharesAtRelay(let relay):
            for (device, found) in found.sorted(by: { $0.key < $1.key }) where found != relay {
                return "\(device) has \(found), the relay \(relay)"
            }
        default: break
        }
        return nil
    }
}
