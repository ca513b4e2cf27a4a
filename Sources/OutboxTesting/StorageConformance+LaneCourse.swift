import Outbox
import OutboxCore

extension StorageConformance {
    /// Takes several open storages over the same files through a random course of events, and compares
    /// each of them, after every event, with an array that looks at all its elements.
    ///
    /// - Parameters:
    ///   - storages: The storages. Each makes some of the events, as another process would.
    /// - Throws: ``ConformanceFailure``, which names the seed; or the error of a storage.
    static func checkLanes(seed: UInt64, steps: Int = 300, over storages: [Storage]) throws {
        var course = LaneCourse(random: SeededRandom(seed: seed))
        for step in 1...steps {
            let event = try course.next(on: storages[course.pick(storages.count)])
            for (number, storage) in storages.enumerated() {
                let circumstances =
                    "seed \(seed), step \(step): \(event), storage \(number + 1) of \(storages.count)"
                let limit = 1 + course.pick(6)
                let expected = course.eligible
                let found = try storage.eligible(at: now, limit: limit)
                try expect(
                    found.entries.map(\.operationID) == Array(expected.ids.prefix(limit)),
                    circumstances
                )
                let isAll = expected.ids.count < limit
                try expect(found.nextEligibleAt == (isAll ? expected.next : nil), circumstances)
                try expect(try storage.counts() == course.counts, circumstances)
            }
        }
    }

    /// The content of a queue, and its random events.
    private struct LaneCourse {
        struct Entry {
            var state = OperationState.queued
            var envelope: Envelope
        }

        var random: SeededRandom
        /// The entries, in the order of insertion.
        var entries: [Entry] = []
        var lastNumber = 0

        mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

        var eligible: (ids: [OperationID], next: WallTime?) {
            var lanes: Set<OrderingKey> = []
            let fronts = entries.filter { entry in
                guard let lane = entry.envelope.orderingKey else { return entry.state == .queued }
                guard entry.state == .queued || entry.envelope.blocksLane else { return false }
                return lanes.insert(lane).inserted && entry.state == .queued
            }
            let due = fronts.map(\.envelope).sorted {
                $0.nextEligibleAt != $1.nextEligibleAt
                    ? $0.nextEligibleAt < $1.nextEligibleAt : $0.id < $1.id
            }
            return (
                due.filter { $0.nextEligibleAt <= now }.map(\.id),
                due.first { $0.nextEligibleAt > now }?.nextEligibleAt
            )
        }

        var counts: OutboxCounts {
            OutboxCounts(
                queued: entries.count { $0.state == .queued },
                parked: entries.count { $0.state == .parked },
                quarantined: entries.count { $0.state == .quarantined }
            )
        }

        /// - Returns: The event, in words.
        mutating func next(on storage: Storage) throws -> String {
            if entries.isEmpty || entries.count < 12 && pick(3) == 0 {
                let inserted = (0...pick(2)).map { _ in new() }
                try storage.insert(inserted)
                entries += inserted.map { Entry(envelope: $0.envelope) }
                return "inserted \(inserted.count)"
            }
            let index = pick(entries.count)
            let id = entries[index].envelope.id
            guard let stored = try storage.entry(for: id) else {
                return "an operation was lost"
            }
            switch pick(12) {
            case 0, 1, 2:
                try storage.settle(.remove, for: id)
                entries.remove(at: index)
                return "removed \(id)"
            case 3:
                try storage.delete(stored.id)
                entries.remove(at: index)
                return "deleted \(id)"
            case 4 where entries[index].state == .queued, 5 where entries[index].state == .queued:
                entries[index].envelope.waitCause = WaitCause(rawValue: UInt8(1 + pick(3)))!
                entries[index].envelope.nextEligibleAt =
                    now.advanced(by: .seconds(Int64(pick(4)) - 1))
                try storage.settle(.reschedule(entries[index].envelope), for: id)
                return "rescheduled \(id)"
            case 6:
                let parked = entries[index].envelope.parked(policy())
                entries[index] = Entry(state: .parked, envelope: parked)
                try storage.settle(.park(parked), for: id)
                return "parked \(id), blocking: \(parked.blocksLane)"
            case 7:
                let kept = pick(2) == 0 ? nil : entries[index].envelope.parked(policy())
                entries[index] = Entry(
                    state: .quarantined,
                    envelope: kept ?? entries[index].envelope
                )
                try storage.quarantine(stored.id, reason: .unknownKey, as: kept)
                return "quarantined \(id), blocking: \(entries[index].envelope.blocksLane)"
            case 8:
                let cause = WaitCause(rawValue: UInt8(1 + pick(3)))!
                try storage.endWaits(for: cause)
                for other in entries.indices
                where entries[other].state == .queued
                    && entries[other].envelope.waitCause == cause
                {
                    entries[other].envelope = entries[other].envelope.madeEligible()
                }
                return "ended waits"
            case 9, 10: return try settleSeveral(on: storage)
            default:
                let again = entries[index].envelope.madeEligible()
                entries[index] = Entry(envelope: again)
                try storage.requeue(stored.id, as: again)
                return "queued \(id) again"
            }
        }

        private mutating func settleSeveral(on storage: Storage) throws -> String {
            var settlements: [Settlement] = []
            var left: [Entry] = []
            for var entry in entries {
                let id = entry.envelope.id
                guard pick(3) == 0, let stored = try storage.entry(for: id)?.id else {
                    left.append(entry)
                    continue
                }
                if pick(2) == 0 {
                    settlements.append(Settlement(entry: stored, id: id, transition: .remove))
                    continue
                }
                entry = Entry(state: .parked, envelope: entry.envelope.parked(policy()))
                settlements.append(
                    Settlement(entry: stored, id: id, transition: .park(entry.envelope))
                )
                left.append(entry)
            }
            try storage.settle(settlements.shuffled(using: &random))
            entries = left
            return "settled \(settlements.map(\.id))"
        }

        /// A new operation. Identifiers are not in the order of insertion.
        private mutating func new() -> SealedOperation {
            lastNumber += 1
            let number = lastNumber ^ pick(8) << 20
            let lane = pick(4)
            return operation(number, lane == 0 ? nil : OrderingKey(bytes: [UInt8(lane)]))
        }

        private mutating func policy() -> LanePolicy { pick(2) == 0 ? .skipAndPark : .blockLane }
    }
}
