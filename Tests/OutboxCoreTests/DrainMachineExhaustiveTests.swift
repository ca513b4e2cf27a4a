import OutboxCore
import Testing

/// Walks every order of events up to a length, of a drain of two operations with two places, over a
/// storage whose every answer comes as late as it can, and holds each effect against ``DrainReading``.
@Suite struct DrainMachineExhaustiveTests {
    /// The reason for which a call of the storage fails.
    enum Fault: Hashable {
        case corrupt, closed, passing
    }

    /// An event, with the numbers of operations.
    enum Step: Hashable {
        case wake, networkReturns, stop, timerFires, earlierTimerFires
        case lookEnds
        case lookFails(Fault)
        case quarantineEnds
        case quarantineFails(Fault)
        /// The storage hands the entry out after its quarantine.
        case quarantineMisses
        case attemptEnds(Int, DeliveryMachine.Outcome)
        /// The first of the outcomes is left as it is for this cause.
        case storeEnds(Unsettled.Cause?)
        /// The storage does not find the entry, and hands it out nevertheless.
        case storeMisses
        case storeFails(Fault)
        case waitsEnd(isLast: Bool)
        case outcomeIsDue(Int)
        case leased(Int)
        case leaseIsDue(Int)
        case leaseLost(Int)
        case takenByAnother(Int)
        case lostByAnother(Int)
        /// Another drain is to look at a change of the queue.
        case changes
        case claimEnds(Bool)

        static let all: [Step] =
            [
                .wake, .networkReturns, .stop, .timerFires, .earlierTimerFires, .lookEnds,
                .lookFails(.passing), .lookFails(.closed), .quarantineEnds, .quarantineMisses,
                .quarantineFails(.corrupt), .quarantineFails(.passing), .storeEnds(nil),
                .storeEnds(.gone), .storeEnds(.unchanged), .storeEnds(.anothers), .storeMisses,
                .storeFails(.passing), .storeFails(.corrupt), .storeFails(.closed),
                .waitsEnd(isLast: true), .waitsEnd(isLast: false),
                .changes, .claimEnds(true), .claimEnds(false),
            ]
            + [0, 1].flatMap { number -> [Step] in
                [
                    .attemptEnds(number, .done), .attemptEnds(number, .retryOnNetwork("n")),
                    .attemptEnds(number, .park("p")), .outcomeIsDue(number), .leased(number),
                    .leaseIsDue(number), .leaseLost(number), .takenByAnother(number),
                    .lostByAnother(number),
                ]
            }
    }

    /// The worlds, each with a length whose walk takes seconds.
    static let worlds = [
        (DrainReading(lanes: [nil, nil], .untilIdle), depth: 6),
        (DrainReading(lanes: ["l", "l"], .untilStopped), depth: 8),
        (DrainReading(lanes: [nil, nil], unreadable: [0], .untilStopped), depth: 8),
        (DrainReading(lanes: ["l", nil], unreadable: [0], .untilIdle), depth: 8),
        (DrainReading(lanes: [nil, nil], locked: [0], .untilStopped), depth: 6),
        (DrainReading(lanes: ["l", "l"], .inTurns), depth: 8),
    ]

    @Test("no order of events breaks an invariant of the drain", arguments: worlds.indices)
    func everyOrder(number: Int) {
        var (first, depth) = Self.worlds[number]
        first.begin()
        var seen: Set<DrainReading> = [first]
        var frontier: [(world: DrainReading, trace: [Step])] = [(first, [])]
        var transitions = 0
        for _ in 0..<depth {
            var next: [(world: DrainReading, trace: [Step])] = []
            for (world, trace) in frontier {
                for step in Step.all {
                    var after = world
                    guard after.take(step) else { continue }
                    transitions += 1
                    if let violation = after.violation {
                        Issue.record("\(violation): \(trace + [step])")
                        return
                    }
                    if seen.insert(after).inserted { next.append((after, trace + [step])) }
                }
            }
            frontier = next
        }
        print("drain \(number): \(seen.count) states, \(transitions) transitions to depth \(depth)")
        #expect(seen.count > 5_000, "only \(seen.count) states were reached")
    }
}
