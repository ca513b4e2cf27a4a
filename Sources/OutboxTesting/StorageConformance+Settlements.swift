package import Outbox
package import OutboxCore

/// The contract of recording the outcomes of several attempts at once.
extension StorageConformance {
    static var settlementChecks: [Check] {
        [
            Check(description: "outcomes of every kind are recorded together") {
                try $0.insert((1...4).map(operation))
                let later = now.advanced(by: .seconds(5))
                let rescheduled = waiting(2, until: later, .backoff)
                let parked = waiting(3, until: now, .nothing)
                let unsettled = try $0.settle([
                    settlement(1, .remove, $0), settlement(2, .reschedule(rescheduled), $0),
                    settlement(3, .park(parked), $0),
                ])
                try expect(unsettled.isEmpty)
                try expect(eligible($0) == [4])
                try expect(try $0.eligible(at: now, limit: 9).nextEligibleAt == later)
                try expect(try $0.counts() == OutboxCounts(queued: 2, parked: 1))
                try expect(try $0.entry(for: id(operation(1))) == nil)
                try expect(try envelope(2, $0) == rescheduled)
                try expect(try envelope(3, $0) == parked)
            },
            Check(description: "no outcomes change nothing") {
                try $0.insert([operation(1)])
                try $0.settle([])
                try expect(eligible($0) == [1])
            },
            Check(description: "what is gone keeps no other outcome from being recorded") {
                try $0.insert((1...3).map(operation))
                let parked = waiting(2, until: now, .nothing)
                let settlements = [
                    try settlement(1, .remove, $0), try settlement(2, .park(parked), $0),
                    try settlement(3, .remove, $0),
                ]
                try $0.delete(settlements[0].entry)
                try $0.delete(settlements[1].entry)
                let unsettled = try $0.settle(settlements)
                try expect(
                    Set(unsettled) == Set(settlements.prefix(2).map { Unsettled($0.entry, .gone) })
                )
                try expect(try $0.counts() == OutboxCounts())
            },
            Check(description: "an entry that holds another operation now keeps it") { storage in
                let parked = waiting(1, until: now, .nothing)
                for transition in [DeliveryMachine.Transition.remove, .park(parked)] {
                    try storage.insert([operation(1)])
                    let first = try settlement(1, transition, storage)
                    try storage.delete(first.entry)
                    // The storage may give the freed entry number to the second operation, or a new
                    // one.
                    try storage.insert([operation(2)])
                    let second = try settlement(2, transition, storage)
                    let unsettled = try storage.settle([
                        first,
                        Settlement(entry: second.entry, id: first.id, transition: transition),
                    ])
                    try expect(
                        Set(unsettled) == [
                            Unsettled(first.entry, .gone), Unsettled(second.entry, .gone),
                        ]
                    )
                    try expect(eligible(storage) == [2])
                    try expect(try envelope(2, storage) == operation(2).envelope)
                    try storage.delete(second.entry)
                }
            },
            Check(description: "an operation that is inserted anew is another entry") { storage in
                try storage.insert([operation(1), operation(2)])
                let before = try settlement(1, .remove, storage)
                try storage.delete(before.entry)
                try storage.insert([operation(1)])
                try storage.settle([before])
                try expect(eligible(storage) == [1, 2])
            },
            Check(description: "outcomes of a lane's front and of the next one let it go on") {
                try $0.insert([3, 1, 2].map { operation($0, laneA) })
                try $0.insert([6, 4, 5].map { operation($0, laneB) })
                try $0.settle([
                    settlement(3, .remove, $0), settlement(1, .remove, $0),
                    settlement(4, .remove, $0),
                    settlement(6, .park(operation(6, laneB).envelope), $0),
                ])
                try expect(eligible($0) == [2, 5])
                try expect(try $0.counts() == OutboxCounts(queued: 2, parked: 1))
            },
            Check(description: "a front that blocks its lane does, whatever is recorded with it") {
                try $0.insert([3, 1, 2].map { operation($0, laneA) })
                let blocking = operation(3, laneA).envelope.parked(.blockLane)
                try $0.settle([
                    settlement(1, .remove, $0), settlement(3, .park(blocking), $0),
                ])
                try expect(eligible($0).isEmpty)
                try expect(try $0.counts() == OutboxCounts(queued: 1, parked: 1))
            },
        ]
    }

    private static func settlement(
        _ number: Int,
        _ transition: DeliveryMachine.Transition,
        _ storage: Storage
    ) throws -> Settlement {
        Settlement(
            entry: try entry(number, storage),
            id: id(operation(number)),
            transition: transition
        )
    }

    private static func envelope(_ number: Int, _ storage: Storage) throws -> Envelope? {
        try storage.entry(for: id(operation(number))).map { try Envelope(decoding: $0.envelope) }
    }
}

extension OutboxStorage {
    /// Records the outcome of an attempt of one operation. A missing operation is not an error.
    package func settle(_ transition: DeliveryMachine.Transition, for id: OperationID) throws {
        guard let entry = try entry(for: id) else { return }
        try settle([Settlement(entry: entry.id, id: id, transition: transition)])
    }
}
