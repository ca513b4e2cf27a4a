import Outbox
import OutboxCore

/// The contract of lanes. Operations are inserted in another order than that of their identifiers,
/// so that a storage that confuses the two is found out.
extension StorageConformance {
    static var laneChecks: [Check] {
        [
            Check(description: "of a lane only the first inserted is eligible") { storage in
                try storage.insert([3, 1, 2].map { operation($0, laneA) })
                try expect(eligible(storage) == [3])
                try expect(try storage.eligible(at: now, limit: 9).nextEligibleAt == nil)
                try expect(try storage.counts() == OutboxCounts(queued: 3))
                let listed = try storage.entries(in: .queued, after: nil, limit: 9)
                try expect(listed.count == 3 && listed.allSatisfy { $0.state == .queued })
            },
            Check(description: "a lane goes on in the order of insertion") { storage in
                for numbers in [[5, 2], [4], [1, 3]] {
                    try storage.insert(numbers.map { operation($0, laneA) })
                }
                for number in [5, 2, 4, 1, 3] {
                    try expect(eligible(storage) == [number])
                    try storage.settle(.remove, for: id(operation(number)))
                }
                try storage.insert([operation(6, laneA)])
                try expect(eligible(storage) == [6])
            },
            Check(description: "lanes are independent of each other and of what is in none") {
                try $0.insert([
                    operation(6, laneA), operation(5, laneB), operation(4, nil),
                    operation(3, laneA), operation(2, laneB), operation(1, nil),
                ])
                try expect(eligible($0) == [1, 4, 5, 6])
                try $0.settle(.remove, for: id(operation(5)))
                try expect(eligible($0) == [1, 2, 4, 6])
            },
            Check(description: "a front that waits holds up its lane, and only that") {
                try $0.insert([operation(3, laneA), operation(2, laneA), operation(1, laneB)])
                let later = now.advanced(by: .seconds(5))
                try $0.settle(.reschedule(waiting(3, laneA, until: later)), for: id(operation(3)))
                try expect(eligible($0) == [1])
                try expect(try $0.eligible(at: now, limit: 9).nextEligibleAt == later)
                try expect(eligible($0, at: later) == [1, 3])
            },
            Check(description: "a deleted front makes way for the next one") { storage in
                try storage.insert([3, 1, 2].map { operation($0, laneA) })
                try delete(3, storage)
                try expect(eligible(storage) == [1])
                try delete(2, storage)
                try expect(eligible(storage) == [1])
                try delete(1, storage)
                try expect(try storage.counts() == OutboxCounts())
            },
            Check(description: "a parked front lets its lane go on, unless it blocks it") {
                try $0.insert([operation(4, laneA), operation(3, laneA)])
                try $0.insert([operation(2, laneB), operation(1, laneB)])
                try $0.settle(.park(envelope(4, laneA, .skipAndPark)), for: id(operation(4)))
                try expect(eligible($0) == [2, 3])
                try $0.settle(.park(envelope(2, laneB, .blockLane)), for: id(operation(2)))
                try expect(eligible($0) == [3])
                try expect(try $0.counts() == OutboxCounts(queued: 2, parked: 2))
                try $0.insert([operation(5, laneB)])
                try expect(eligible($0) == [3])
                try delete(2, $0)
                try expect(eligible($0) == [1, 3])
            },
            Check(description: "a quarantined front lets its lane go on, unless it blocks it") {
                try $0.insert([operation(4, laneA), operation(3, laneA)])
                try $0.insert([operation(2, laneB), operation(1, laneB)])
                try $0.quarantine(entry(4, $0), reason: .record, as: nil)
                let blocking = envelope(2, laneB, .blockLane)
                try $0.quarantine(entry(2, $0), reason: .unknownKey, as: blocking)
                try expect(eligible($0) == [3])
                let kept = try $0.entry(for: id(operation(2)))
                try expect(kept?.envelope == blocking.encoded())
                try expect(kept?.record == operation(2, laneB).record)
                try $0.requeue(entry(2, $0), as: blocking.madeEligible())
                try expect(eligible($0) == [2, 3])
                try $0.quarantine(entry(2, $0), reason: .unknownKey, as: nil)
                try expect(eligible($0) == [1, 3])
            },
            Check(description: "one that is queued again has its old place") { storage in
                try storage.insert([5, 1, 3, 2].map { operation($0, laneA) })
                try storage.settle(.park(envelope(5, laneA, .skipAndPark)), for: id(operation(5)))
                try storage.settle(.park(envelope(1, laneA, .skipAndPark)), for: id(operation(1)))
                try expect(eligible(storage) == [3])
                try storage.requeue(entry(1, storage), as: operation(1, laneA).envelope)
                try expect(eligible(storage) == [1])
                // The earlier front is in flight, and its attempt ends now.
                let later = now.advanced(by: .seconds(5))
                try storage.settle(
                    .reschedule(waiting(3, laneA, until: later)),
                    for: id(operation(3))
                )
                try expect(eligible(storage) == [1])
                try expect(try storage.eligible(at: now, limit: 9).nextEligibleAt == nil)
                try storage.requeue(entry(5, storage), as: operation(5, laneA).envelope)
                for number in [5, 1] {
                    try expect(eligible(storage) == [number])
                    try storage.settle(.remove, for: id(operation(number)))
                }
                try expect(try storage.eligible(at: now, limit: 9).nextEligibleAt == later)
                try expect(eligible(storage, at: later) == [3])
            },
            Check(description: "one that blocks its lane and is queued again is its front") {
                try $0.insert([operation(2, laneA), operation(1, laneA)])
                try $0.settle(.park(envelope(2, laneA, .blockLane)), for: id(operation(2)))
                try $0.requeue(entry(1, $0), as: operation(1, laneA).envelope)
                try expect(eligible($0).isEmpty)
                try $0.requeue(entry(2, $0), as: operation(2, laneA).envelope)
                try expect(eligible($0) == [2])
            },
            Check(description: "queueing again what is gone changes no lane") {
                try $0.insert([operation(2, laneA), operation(1, laneA)])
                let gone = try entry(2, $0)
                try delete(2, $0)
                try $0.requeue(gone, as: operation(2, laneA).envelope)
                try $0.settle(.reschedule(operation(2, laneA).envelope), for: id(operation(2)))
                try expect(eligible($0) == [1])
            },
            Check(description: "waits behind a front are listed, and end, behind it") {
                try $0.insert([operation(2, laneA), operation(1, laneA)])
                for number in [1, 2] {
                    let until = now.advanced(by: .seconds(Int64(number)))
                    try $0.settle(
                        .reschedule(waiting(number, laneA, until: until)),
                        for: id(operation(number))
                    )
                }
                let waits = try $0.entries(waitingFor: .network, beyond: now, limit: 9)
                try expect(waits.map(\.operationID) == [2, 1].map { id(operation($0)) })
                try $0.endWaits(for: .network)
                try expect(eligible($0) == [2])
                try expect(
                    try $0.entries(waitingFor: .network, beyond: now, limit: 9).isEmpty
                )
                try $0.settle(.remove, for: id(operation(2)))
                try expect(eligible($0) == [1])
            },
            Check(
                description: "after any course of events each lane has its one front",
                drawing: { try checkLanes(seed: $1, over: [$0]) }
            ),
        ]
    }

    static var laneA: OrderingKey { OrderingKey(bytes: [0]) }
    static var laneB: OrderingKey { OrderingKey(bytes: [0, 255]) }

    private static func envelope(
        _ number: Int,
        _ lane: OrderingKey,
        _ policy: LanePolicy
    ) -> Envelope {
        operation(number, lane).envelope.parked(policy)
    }

    private static func waiting(
        _ number: Int,
        _ lane: OrderingKey,
        until moment: WallTime
    ) -> Envelope {
        var envelope = operation(number, lane).envelope
        envelope.nextEligibleAt = moment
        envelope.waitCause = .network
        envelope.attemptCount = 1
        return envelope
    }

    static func entry(_ number: Int, _ storage: Storage) throws -> EntryID {
        guard let entry = try storage.entry(for: id(operation(number))) else {
            throw ConformanceFailure(
                file: #fileID,
                line: #line,
                circumstances: "operation \(number) is not there"
            )
        }
        return entry.id
    }

    private static func delete(_ number: Int, _ storage: Storage) throws {
        try storage.delete(entry(number, storage))
    }

    /// The numbers of the eligible operations.
    static func eligible(_ storage: Storage, at moment: WallTime = now) throws -> [Int] {
        let eligible = try storage.eligible(at: moment, limit: 9)
        return eligible.entries.map { Int($0.record[0]) }
    }
}
