import Foundation
package import Outbox
package import OutboxCore
package import OutboxTesting

/// The parts of a script that does everything a store can do, and notes in a ledger what it was
/// promised. A script is a list of steps; a step that finds an operation missing does nothing.
package struct Scenario<Storage: OutboxStorage>: Sendable {
    package typealias Step = (Outbox<Storage>) throws -> Void

    /// How the disk behaves while the script runs.
    package enum Failing: Sendable {
        case never, once, forEver
    }

    package let ledger = Ledger()
    private let failing: Failing

    package init(failing: Failing = .never) {
        self.failing = failing
    }

    package func id(_ number: Int) -> OperationID {
        OperationID(time: ScenarioWorld.now, random: (0, UInt64(number)))
    }

    package func payload(_ number: Int) -> [UInt8] {
        ScenarioWorld.canary + [UInt8(truncatingIfNeeded: number)]
    }

    /// Adds operations; the identifiers of even numbers count as drawn for them.
    ///
    /// - Parameters:
    ///   - isFront: Whether the lane is empty so far, so that the first becomes its front.
    ///   - insert: How; together, by the storage, unless told.
    package func insert(
        _ numbers: [Int],
        padding: Int = 0,
        lane: OrderingKey? = nil,
        isFront: Bool = true,
        by insert: ((Outbox<Storage>, [SealedOperation]) throws -> Void)? = nil
    ) -> Step {
        { outbox in
            let operations = try numbers.map { number in
                let payload = payload(number) + [UInt8](repeating: 0, count: padding)
                ledger.expect(id(number), payload: payload)
                if let lane { ledger.line(id(number), in: lane) }
                return try outbox.seal(
                    kind: "note",
                    payload: payload,
                    id: id(number),
                    orderingKey: lane
                )
            }
            try ledger.insert(
                numbers.map {
                    (id($0), lane == nil || isFront && $0 == numbers[0] ? .eligible : .waiting)
                },
                // Taking an insert back may fail as well.
                failureChangesNothing: failing != .forEver
            ) {
                if let insert {
                    try insert(outbox, operations)
                } else {
                    try outbox.storage.insert(operations)
                }
            }
        }
    }

    package func wait(_ number: Int, _ cause: WaitCause) -> Step {
        change(number, to: .waiting) { outbox, entry in
            var envelope = try Envelope(decoding: entry.envelope)
            envelope.waitCause = cause
            envelope.attemptCount += 1
            envelope.nextEligibleAt = ScenarioWorld.now.advanced(by: .seconds(600))
            try outbox.storage.settle(.reschedule(envelope), for: id(number))
        }
    }

    /// - Parameter next: Becomes the front of the lane; without one the lane is blocked.
    package func park(_ number: Int, next: Int? = nil) -> Step {
        change(number, to: .parked, next.map { [($0, .eligible)] } ?? []) { outbox, entry in
            var envelope = try Envelope(decoding: entry.envelope)
            envelope.lastError = "refused"
            envelope = envelope.parked(next == nil ? .blockLane : .skipAndPark)
            try outbox.storage.settle(.park(envelope), for: id(number))
        }
    }

    /// - Parameter next: Becomes the front of the lane.
    package func remove(_ number: Int, next: Int? = nil) -> Step {
        { outbox in
            var changes = [(id(number), Standing.absent)]
            if let next { changes.append((id(next), .eligible)) }
            try ledger.change(changes, survivesPowerCut: false) {
                try outbox.storage.settle(.remove, for: id(number))
            }
        }
    }

    /// Removes several in one step.
    package func remove(_ numbers: [Int]) -> Step {
        { outbox in
            try ledger.change(numbers.map { (id($0), .absent) }, survivesPowerCut: false) {
                try outbox.storage.settle(
                    numbers.compactMap { number in
                        try outbox.storage.entry(for: id(number)).map {
                            Settlement(entry: $0.id, id: id(number), transition: .remove)
                        }
                    }
                )
            }
        }
    }

    package func endWaits(_ cause: WaitCause, of number: Int) -> Step {
        { outbox in
            guard ledger.promises[id(number)]?.standings == [.waiting] else { return }
            try ledger.change([(id(number), .eligible)]) {
                try outbox.storage.endWaits(for: cause)
            }
        }
    }

    /// - Parameter next: The former front of the lane, which is behind the operation from here on.
    package func retry(_ number: Int, next: Int? = nil) -> Step {
        change(number, to: .eligible, next.map { [($0, .waiting)] } ?? []) { outbox, _ in
            try outbox.retry(id(number))
        }
    }

    /// - Parameter next: Becomes the front of the lane.
    package func delete(_ number: Int, next: Int? = nil) -> Step {
        change(number, to: .absent, next.map { [($0, .eligible)] } ?? []) {
            try $0.storage.delete($1.id)
        }
    }

    package func quarantine(_ number: Int) -> Step {
        let step = change(number, to: .quarantined) { outbox, entry in
            try outbox.storage.quarantine(entry.id, reason: .unknownKey, as: nil)
        }
        return { outbox in
            try step(outbox)
            // The next process to open the store finds anew what could not be written.
            if failing != .never { ledger.allow(.eligible, id(number)) }
        }
    }

    private func change(
        _ number: Int,
        to standing: Standing,
        _ others: [(Int, Standing)] = [],
        _ body: @escaping (Outbox<Storage>, StoredEntry) throws -> Void
    ) -> Step {
        { outbox in
            let entry: StoredEntry?
            do {
                entry = try outbox.storage.entry(for: id(number))
            } catch {
                ledger.disturb()
                throw error
            }
            guard let entry else { return }
            try ledger.change(([(number, standing)] + others).map { (id($0), $1) }) {
                try body(outbox, entry)
            }
        }
    }

    /// Every kind of change, on nine operations from the number `first` on.
    package func everyChange(from first: Int = 1) -> [Step] {
        let n = (0...9).map { first - 1 + $0 }
        return [
            { try $0.storage.markUsed() },
            insert([n[1]]), insert([n[2]]), insert([n[3], n[4], n[5]]),
            wait(n[1], .network), park(n[2]), remove(n[3]), wait(n[4], .server),
            quarantine(n[5]), endWaits(.network, of: n[1]), retry(n[2]), retry(n[5]),
            insert([n[6], n[7]]), wait(n[1], .backoff), remove(n[6]), delete(n[4]),
            insert([n[8]]), remove(n[2]), park(n[8]), insert([n[9]]), remove([n[7], n[9]]),
        ]
    }
}

extension Scenario {
    /// The course of a lane, with five operations from the number `first` on.
    package func everyChangeOfLane(from first: Int) -> [Step] {
        let n = (0...4).map { first + $0 }
        return [
            insert([n[0]], lane: ScenarioWorld.lane), delete(n[0]),
            insert([n[1]], lane: ScenarioWorld.lane),
            insert([n[2]], lane: ScenarioWorld.lane, isFront: false),
            insert([n[3], n[4]], lane: ScenarioWorld.lane, isFront: false),
            remove(n[1], next: n[2]),
            park(n[2], next: n[3]), retry(n[2], next: n[3]), park(n[2]), delete(n[2], next: n[3]),
            remove(n[3], next: n[4]),
        ]
    }
}

/// The time and the keys of all scripts.
package enum ScenarioWorld {
    package static let now = WallTime(millisecondsSinceEpoch: 1_800_000_000_000)
    /// The lane of a script, and that of a store that is there before it.
    package static let lane = OrderingKey(bytes: Array("lane".utf8))
    package static let oldLane = OrderingKey(bytes: Array("old lane".utf8))
    /// How every payload begins.
    package static let canary = Array("a canary in a coal mine".utf8)
    package static let keys = MemoryKeyStore(keys: [.random()])

    /// Whether any payload of a script can be read in `bytes`.
    package static func isReadable(in bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var place = 0
            while let start = bytes.baseAddress, place + canary.count <= bytes.count,
                let found = memchr(
                    start + place,
                    Int32(canary[0]),
                    bytes.count - canary.count - place + 1
                )
            {
                if memcmp(found, canary, canary.count) == 0 { return true }
                place = start.distance(to: found) + 1
            }
            return false
        }
    }

    package static func outbox<Storage>(_ storage: Storage) -> Outbox<Storage> {
        Outbox(storage: storage, keys: keys, clock: ManualClock(wallTime: now).clock)
    }
}
