import OutboxCore
import Testing

/// Walks every sequence of events up to a length, over a storage modelled as a set, and checks the
/// machine's invariants after each.
@Suite struct DeliveryMachineExhaustiveTests {
    private struct World {
        var machine: DeliveryMachine
        /// What storage holds queued and eligible.
        var stored: Set<OperationID> = []
        var parked: Set<OperationID> = []
        /// The answer of a load under way, read when it began, as a slow storage would.
        var loading: [Envelope]?
        var delivered: [OperationID: Int] = [:]
        var nextID: UInt64 = 1
        /// After a failed load a timer looks again.
        var hasTimer = false
    }

    private enum Step: CaseIterable {
        case enqueue, loadEnds, loadFails, firstDone, lastDone, firstRetries, firstParks
        case settlementStored, lastSettlementStored, allSettlementsStored, settlementFails, wake
    }

    private let now = DeliveryMachineTests.now

    @Test("no sequence of events breaks an invariant")
    func everySequence() {
        let world = World(machine: DeliveryMachine(policy: .device, window: AttemptWindow(2)))
        let visited = walkEverySequence(from: world, depth: 8, perform, check: check)
        #expect(visited > 50_000, "only \(visited) states were reached")
    }

    private func check(_ world: World) {
        let flights = world.machine.flights.map(\.envelope.id)
        if flights.count > 2 { Issue.record("more in flight than allowed") }
        if Set(flights).count != flights.count { Issue.record("in flight twice") }
        for (_, count) in world.delivered where count > 1 { Issue.record("delivered twice") }
        let known = world.stored.union(world.parked).union(world.delivered.keys)
        if known.count != Int(world.nextID - 1) { Issue.record("an operation was lost") }
        let isStuck = world.machine.isIdle && world.loading == nil
        if isStuck, !world.stored.isEmpty, !world.stored.isSubset(of: flights),
            !world.hasTimer
        {
            Issue.record("eligible operations and nobody looks")
        }
    }

    /// Whether the step was possible.
    private func perform(_ step: Step, _ world: inout World) -> Bool {
        let attempting = world.machine.flights.filter { $0.phase == .attempting }
        let settling = world.machine.flights.filter { $0.phase != .attempting }
        switch step {
        case .enqueue:
            guard world.nextID <= 3 else { return false }
            world.stored.insert(OperationID(high: 0, low: world.nextID))
            world.nextID += 1
            begin(world.machine.woken(), &world)
        case .wake:
            begin(world.machine.woken(), &world)
        case .loadEnds:
            guard let answer = world.loading else { return false }
            world.loading = nil
            let start = world.machine.loaded(answer, nextEligibleAt: nil, now: now)
            begin(start.load, &world)
        case .loadFails:
            guard world.loading != nil else { return false }
            world.loading = nil
            _ = world.machine.loadFailed(jitter: 0)
            world.hasTimer = true
        case .firstDone, .lastDone:
            let flight = step == .firstDone ? attempting.first : attempting.last
            guard let id = flight?.envelope.id, step == .firstDone || attempting.count > 1 else {
                return false
            }
            world.delivered[id, default: 0] += 1
            _ = world.machine.attemptFinished(id, .done, now: now, jitter: 0)
        case .firstRetries:
            guard let id = attempting.first?.envelope.id else { return false }
            _ = world.machine.attemptFinished(id, .retry("e"), now: now, jitter: 0)
        case .firstParks:
            guard let id = attempting.first?.envelope.id else { return false }
            _ = world.machine.attemptFinished(id, .park("e"), now: now, jitter: 0)
        case .settlementStored, .lastSettlementStored:
            let flight = step == .settlementStored ? settling.first : settling.last
            guard let flight, case .settling(let transition) = flight.phase,
                step == .settlementStored || settling.count > 1
            else { return false }
            apply(transition, flight.envelope.id, &world)
            begin(world.machine.transitionStored(flight.envelope.id), &world)
        case .allSettlementsStored:
            guard settling.count > 1 else { return false }
            for flight in settling {
                guard case .settling(let transition) = flight.phase else { continue }
                apply(transition, flight.envelope.id, &world)
            }
            begin(world.machine.transitionsStored(settling.map(\.envelope.id)), &world)
        case .settlementFails:
            guard let id = settling.first?.envelope.id else { return false }
            _ = world.machine.transitionFailed(id, jitter: 0)
        }
        return true
    }

    private func begin(_ load: DeliveryMachine.Load?, _ world: inout World) {
        guard load != nil else { return }
        #expect(world.loading == nil, "two loads at once")
        world.hasTimer = false
        world.loading = world.stored.sorted().map {
            Envelope(id: $0, kind: "k", createdAt: now)
        }
    }

    private func apply(
        _ transition: DeliveryMachine.Transition,
        _ id: OperationID,
        _ world: inout World
    ) {
        switch transition {
        case .remove:
            world.stored.remove(id)
        case .park:
            world.stored.remove(id)
            world.parked.insert(id)
        case .reschedule:
            // Its time comes at once: the worst case for a load that is older.
            break
        }
    }
}
