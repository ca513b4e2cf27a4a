import OutboxCore
import Testing

/// Walks every sequence of events up to a length over operations of two lanes, with a storage modelled
/// as an array and a person who retries and deletes, and checks the invariants after each.
@Suite struct LaneExhaustiveTests {
    private struct Entry {
        let envelope: Envelope
        var isParked = false
        var blocks = false
    }

    private struct World {
        var machine = DeliveryMachine(policy: .device, window: AttemptWindow(2))
        /// In the order of insertion.
        var entries: [Entry]
        /// The answer of a load under way, read when it began, as a slow storage would.
        var loading: [Envelope]?
        var delivered: [OperationID] = []
        /// Whether only the machine has decided on the order so far.
        var isUntouched = true
    }

    private enum Step: CaseIterable {
        case loadEnds, firstDone, lastDone, firstRetries, firstSkips, firstBlocks
        case settlementStored, lastSettlementStored, settlementFails
        case firstParkedRetried, firstDeleted, wake
    }

    private let now = DeliveryMachineTests.now

    @Test("no sequence of events runs two operations of a lane at once, swaps them, or strands one")
    func everySequence() {
        let lanes: [UInt8] = [1, 1, 2, 1]
        let entries = lanes.enumerated().map { index, lane in
            // Identifiers are not in the order of insertion.
            let id = OperationID(high: 0, low: [7, 3, 5, 1][index])
            return Entry(
                envelope: Envelope(
                    id: id,
                    kind: "k",
                    createdAt: now,
                    orderingKey: OrderingKey(bytes: [lane])
                )
            )
        }
        var world = World(entries: entries)
        begin(world.machine.woken(), &world)
        let visited = walkEverySequence(from: world, depth: 8, perform, check: check)
        #expect(visited > 50_000, "only \(visited) states were reached")
    }

    private func check(_ world: World) {
        let flights = world.machine.flights.map(\.envelope)
        if flights.count > 2 { Issue.record("more in flight than allowed") }
        if Set(flights.map(\.orderingKey)).count != flights.count {
            Issue.record("two of a lane in flight")
        }
        if Set(world.delivered).count != world.delivered.count {
            Issue.record("delivered twice")
        }
        if world.machine.isIdle, world.loading == nil, !fronts(of: world).isEmpty {
            Issue.record("eligible operations and nobody looks")
        }
        let inOrder: [UInt64] = [7, 3, 1]
        let ofLane = world.delivered.map(\.low).filter(inOrder.contains)
        if world.isUntouched, ofLane != Array(inOrder.prefix(ofLane.count)) {
            Issue.record("delivered as \(ofLane)")
        }
    }

    /// What storage offers.
    private func fronts(of world: World) -> [Envelope] {
        var lanes: Set<OrderingKey?> = []
        return world.entries.filter { entry in
            guard !entry.isParked || entry.blocks else { return false }
            return lanes.insert(entry.envelope.orderingKey).inserted && !entry.isParked
        }.map(\.envelope)
    }

    /// Whether the step was possible.
    private func perform(_ step: Step, _ world: inout World) -> Bool {
        let attempting = world.machine.flights.filter { $0.phase == .attempting }
        let settling = world.machine.flights.filter { $0.phase != .attempting }
        switch step {
        case .wake:
            begin(world.machine.woken(), &world)
        case .loadEnds:
            guard let answer = world.loading else { return false }
            world.loading = nil
            let start = world.machine.loaded(answer, nextEligibleAt: nil, now: now)
            begin(start.load, &world)
        case .firstDone, .lastDone:
            let flight = step == .firstDone ? attempting.first : attempting.last
            guard let id = flight?.envelope.id, step == .firstDone || attempting.count > 1 else {
                return false
            }
            world.delivered.append(id)
            _ = world.machine.attemptFinished(id, .done, now: now, jitter: 0)
        case .firstRetries, .firstSkips, .firstBlocks:
            guard let id = attempting.first?.envelope.id else { return false }
            _ = world.machine.attemptFinished(
                id,
                step == .firstRetries ? .retry("e") : .park("e"),
                now: now,
                jitter: 0,
                lanePolicy: step == .firstBlocks ? .blockLane : .skipAndPark
            )
            if step == .firstSkips { world.isUntouched = false }
        case .settlementStored, .lastSettlementStored:
            let flight = step == .settlementStored ? settling.first : settling.last
            guard let flight, case .settling(let transition) = flight.phase,
                step == .settlementStored || settling.count > 1
            else { return false }
            apply(transition, flight.envelope.id, &world)
            begin(world.machine.transitionStored(flight.envelope.id), &world)
        case .settlementFails:
            guard let id = settling.first?.envelope.id else { return false }
            _ = world.machine.transitionFailed(id, jitter: 0)
        case .firstParkedRetried:
            guard let index = world.entries.firstIndex(where: \.isParked) else { return false }
            world.entries[index].isParked = false
            begin(world.machine.woken(), &world)
        case .firstDeleted:
            // Also one that is in flight: that attempt is not recalled.
            guard world.entries.count == 4 else { return false }
            world.entries.removeFirst()
            world.isUntouched = false
            begin(world.machine.woken(), &world)
        }
        return true
    }

    private func begin(_ load: DeliveryMachine.Load?, _ world: inout World) {
        guard load != nil else { return }
        #expect(world.loading == nil, "two loads at once")
        world.loading = fronts(of: world).sorted { $0.id < $1.id }
    }

    private func apply(
        _ transition: DeliveryMachine.Transition,
        _ id: OperationID,
        _ world: inout World
    ) {
        guard let index = world.entries.firstIndex(where: { $0.envelope.id == id }) else { return }
        switch transition {
        case .remove:
            world.entries.remove(at: index)
        case .park(let envelope):
            world.entries[index].isParked = true
            world.entries[index].blocks = envelope.blocksLane
        case .reschedule:
            // Its time comes at once: the worst case for a load that is older.
            break
        }
    }
}
