import OutboxCore
import Testing

@Suite struct DeliveryMachineTests {
    static let now = WallTime(millisecondsSinceEpoch: 1_800_000_000_000)

    static func envelope(_ number: UInt64, createdAt: WallTime = now) -> Envelope {
        Envelope(id: OperationID(high: 0, low: number), kind: "k", createdAt: createdAt)
    }

    private func started(_ count: UInt64, limit: Int = 3) -> DeliveryMachine {
        var machine = DeliveryMachine(policy: .device, window: AttemptWindow(limit))
        _ = machine.woken()
        _ = machine.loaded(
            (1...count).map { Self.envelope($0) },
            nextEligibleAt: nil,
            now: Self.now
        )
        return machine
    }

    @Test("at most three are in flight, and a settled one makes room")
    func limit() {
        var machine = started(5)
        #expect(machine.flights.count == 3)
        #expect(machine.woken() == nil)
        let transition = machine.attemptFinished(
            Self.envelope(2).id,
            .done,
            now: Self.now,
            jitter: 0
        )
        #expect(transition == .remove)
        #expect(machine.flights.count == 3)
        #expect(machine.transitionStored(Self.envelope(2).id)?.limit == 1)
    }

    @Test("slots that become free together are one look-up, for all of them")
    func several() {
        var machine = started(3)
        let ids = [1, 3].map { Self.envelope($0).id }
        for id in ids { _ = machine.attemptFinished(id, .done, now: Self.now, jitter: 0) }
        #expect(machine.transitionsStored(ids)?.limit == 2)
        #expect(machine.flights.map(\.envelope.id) == [Self.envelope(2).id])
        let start = machine.loaded([], nextEligibleAt: nil, now: Self.now)
        #expect(start.load == nil)
    }

    @Test("a wake-up during a load leads to another load")
    func wokenWhileLoading() {
        var machine = DeliveryMachine(policy: .device)
        #expect(machine.woken() != nil)
        #expect(machine.woken() == nil)
        let start = machine.loaded([], nextEligibleAt: nil, now: Self.now)
        #expect(start.load?.limit == 3)
        #expect(machine.loaded([], nextEligibleAt: nil, now: Self.now).load == nil)
    }

    @Test("an outcome stored during a load is not undone by that load's older answer")
    func staleLoad() {
        var machine = started(1)
        #expect(machine.woken()?.limit == 2)
        _ = machine.attemptFinished(Self.envelope(1).id, .done, now: Self.now, jitter: 0)
        #expect(machine.transitionStored(Self.envelope(1).id) == nil)
        let start = machine.loaded([Self.envelope(1)], nextEligibleAt: nil, now: Self.now)
        #expect(start.attempts.isEmpty)
        #expect(start.load != nil)
    }

    @Test(
        "a failing storage is tried again within a minute, however long the waits of a failed attempt"
    )
    func storageWaits() {
        let waits: [Int64] = [1, 2, 4, 8, 16, 32, 60, 60, 60]
        for policy in [RetryPolicy.mail, .device] {
            var machine = DeliveryMachine(policy: policy)
            for wait in waits {
                _ = machine.woken()
                #expect(machine.loadFailed(jitter: 0) == .seconds(wait))
            }
            _ = machine.woken()
            _ = machine.loaded([Self.envelope(1)], nextEligibleAt: nil, now: Self.now)
            let id = Self.envelope(1).id
            _ = machine.attemptFinished(id, .done, now: Self.now, jitter: 0)
            for wait in waits {
                #expect(machine.transitionFailed(id, jitter: 0) == .seconds(wait))
            }
        }
    }

    @Test("a failing removal is tried again; the operation is not")
    func failingRemoval() {
        var machine = started(1)
        let id = Self.envelope(1).id
        _ = machine.attemptFinished(id, .done, now: Self.now, jitter: 0)
        #expect(machine.transitionFailed(id, jitter: 0) == .seconds(1))
        #expect(machine.flight(of: id)?.phase == .settling(.remove))
        #expect(machine.transitionFailed(id, jitter: 0) == .seconds(2))
        _ = machine.woken()
        let start = machine.loaded([Self.envelope(1)], nextEligibleAt: nil, now: Self.now)
        #expect(start.attempts.isEmpty)
    }

    @Test("a failure counts, backs off and never gives up")
    func retries() throws {
        var envelope = Self.envelope(1)
        for attempt in UInt32(1)...200 {
            var machine = DeliveryMachine(policy: .device)
            _ = machine.woken()
            _ = machine.loaded([envelope], nextEligibleAt: nil, now: Self.now)
            let transition = machine.attemptFinished(
                envelope.id,
                .retry("relay.http.500"),
                now: Self.now,
                jitter: 0
            )
            guard case .reschedule(let next) = transition else {
                Issue.record("gave up after \(attempt) attempts")
                return
            }
            envelope = next
            #expect(envelope.attemptCount == attempt)
            #expect(envelope.waitCause == .backoff && envelope.lastError == "relay.http.500")
            let wait = envelope.nextEligibleAt.since(Self.now)
            #expect(wait == RetryPolicy.device.delay(afterAttempt: attempt, jitter: 0))
        }
    }

    @Test("a wait that the server asked for does not count as an attempt")
    func serverWait() {
        var machine = started(1)
        let transition = machine.attemptFinished(
            Self.envelope(1).id,
            .retryAfter(.seconds(7), "relay.http.429"),
            now: Self.now,
            jitter: 0
        )
        guard case .reschedule(let next) = transition else { return #expect(Bool(false)) }
        #expect(next.attemptCount == 0 && next.waitCause == .server)
        #expect(next.nextEligibleAt == Self.now.advanced(by: .seconds(7)))
    }

    @Test("what outlives the policy's lifetime is parked as expired, not dropped")
    func expiry() {
        let old = Self.envelope(
            1,
            createdAt: Self.now.advanced(by: .seconds(-5 * 86_400))
        )
        var machine = DeliveryMachine(policy: .mail)
        _ = machine.woken()
        _ = machine.loaded([old], nextEligibleAt: nil, now: Self.now)
        let transition = machine.attemptFinished(
            old.id,
            .retry("smtp.451"),
            now: Self.now,
            jitter: 0
        )
        guard case .park(let parked) = transition else { return #expect(Bool(false)) }
        #expect(parked.lastError == .expired)
    }

    private static func envelope(_ number: UInt64, lane: UInt8) -> Envelope {
        Envelope(
            id: OperationID(high: 0, low: number),
            kind: "k",
            createdAt: now,
            orderingKey: OrderingKey(bytes: [lane])
        )
    }

    @Test("whatever storage offers, one operation of a lane starts, whatever the other lanes do")
    func oneOfALane() {
        var machine = DeliveryMachine(policy: .device, window: AttemptWindow(8))
        _ = machine.woken()
        let offered = [
            Self.envelope(1, lane: 1), Self.envelope(2, lane: 2), Self.envelope(3, lane: 1),
            Self.envelope(4), Self.envelope(5), Self.envelope(6, lane: 2),
        ]
        let start = machine.loaded(offered, nextEligibleAt: nil, now: Self.now)
        #expect(start.attempts.map(\.id.low) == [1, 2, 4, 5])
        _ = machine.woken()
        #expect(machine.loaded(offered, nextEligibleAt: nil, now: Self.now).attempts.isEmpty)
        let id = offered[0].id
        _ = machine.attemptFinished(id, .done, now: Self.now, jitter: 0)
        _ = machine.woken()
        #expect(machine.loaded(offered, nextEligibleAt: nil, now: Self.now).attempts.isEmpty)
        #expect(machine.transitionStored(id) != nil)
        let next = machine.loaded(
            Array(offered.dropFirst()),
            nextEligibleAt: nil,
            now: Self.now
        )
        #expect(next.attempts.map(\.id.low) == [3])
    }

    @Test("a lane's policy is stored with what is parked, and goes when that is retried")
    func lanePolicy() throws {
        let old = Self.now.advanced(by: .seconds(-6 * 86_400))
        for outcome in [DeliveryMachine.Outcome.park("refused"), .retry("smtp.451")] {
            for policy in [LanePolicy.blockLane, .skipAndPark] {
                for lane in [OrderingKey(bytes: [1]), nil] {
                    let envelope = Envelope(
                        id: OperationID(high: 0, low: 1),
                        kind: "k",
                        createdAt: old,
                        orderingKey: lane
                    )
                    var machine = DeliveryMachine(policy: .mail)
                    _ = machine.woken()
                    _ = machine.loaded([envelope], nextEligibleAt: nil, now: Self.now)
                    let transition = machine.attemptFinished(
                        envelope.id,
                        outcome,
                        now: Self.now,
                        jitter: 0,
                        lanePolicy: policy
                    )
                    guard case .park(let parked) = transition else {
                        return #expect(Bool(false))
                    }
                    #expect(parked.blocksLane == (policy == .blockLane && lane != nil))
                    #expect(try Envelope(decoding: parked.encoded()) == parked)
                    #expect(!parked.madeEligible().blocksLane)
                }
            }
        }
    }

    @Test("nothing starts after a stop, and what is in flight still settles")
    func stopped() {
        var machine = started(1)
        machine.stopped()
        #expect(machine.woken() == nil)
        let id = Self.envelope(1).id
        #expect(
            machine.attemptFinished(id, .done, now: Self.now, jitter: 0) == .remove
        )
        #expect(machine.transitionStored(id) == nil)
        #expect(machine.isIdle)
    }

    @Test("a wait that the policy cannot have written is cut, a plausible one is not")
    func clamping() {
        var envelope = Self.envelope(1)
        envelope.waitCause = .backoff
        envelope.nextEligibleAt = Self.now.advanced(by: .seconds(6 * 3600))
        let clamped = envelope.clampingWait(to: .device, now: Self.now)
        #expect(clamped?.nextEligibleAt == Self.now.advanced(by: .seconds(780)))
        envelope.waitCause = .server
        #expect(envelope.clampingWait(to: .device, now: Self.now) == nil)
    }
}

@Suite struct StopTests {
    @Test("a look-up that was under way at a stop starts nothing when its answer comes")
    func lateAnswer() {
        let now = WallTime(millisecondsSinceEpoch: 1_800_000_000_000)
        let envelope = Envelope(id: OperationID(high: 0, low: 1), kind: "k", createdAt: now)
        var machine = DeliveryMachine(policy: .device)
        #expect(machine.woken() != nil)
        machine.stopped()
        let start = machine.loaded([envelope], nextEligibleAt: now, now: now)
        #expect(start.attempts.isEmpty && start.timer == nil && start.load == nil)
        #expect(machine.isIdle)
    }
}
