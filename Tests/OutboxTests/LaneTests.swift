import Outbox
import OutboxCore
import OutboxTesting
import Synchronization
import TestSeeds
import Testing
import Waiting

@Suite(.timeLimit(.minutes(60))) struct LaneTests {
    private let lane = OrderingKey(bytes: Array("lane".utf8))

    @discardableResult
    private func enqueue(
        _ numbers: [UInt8],
        in lane: OrderingKey?,
        _ fixture: OutboxFixture
    ) throws -> [OperationID] {
        // Identifiers run against the order of insertion.
        try numbers.map { number in
            try fixture.outbox.enqueue(
                kind: "note",
                payload: [number],
                id: OperationID(high: 0, low: UInt64(1000 - Int(number))),
                orderingKey: lane
            )
        }
    }

    @Test("a lane keeps its order through failures, backoff and waits that a server asks for")
    func order() async throws {
        let fixture = OutboxFixture()
        try enqueue([0, 1, 2, 3], in: lane, fixture)
        let outcomes: [DeliveryMachine.Outcome] = [
            .retry("e"), .retryAfter(.seconds(30), "e"), .done, .retryOnNetwork("e"), .done,
            .retryAfter(nil, "e"), .retry("e"),
        ]
        try await fixture.drainUntilIdle(fixture.handler(outcomes))
        #expect(fixture.attemptedPayloads == [0, 0, 0, 1, 1, 2, 2, 2, 3])
        #expect(try fixture.outbox.counts() == OutboxCounts())
    }

    @Test("other lanes, and what is in none, go on while a lane backs off")
    func independence() async throws {
        let fixture = OutboxFixture()
        try enqueue([0, 1], in: lane, fixture)
        try enqueue([10, 11, 12], in: OrderingKey(bytes: [1]), fixture)
        try enqueue([20], in: nil, fixture)
        let handler = fixture.handler()
        let othersWereDone = Mutex(false)
        try await fixture.drainUntilIdle { operation in
            if operation.payload == [0], operation.attemptCount < 3 {
                return .retry("e")
            }
            if operation.payload == [0] {
                let done = Set(fixture.attemptedPayloads)
                othersWereDone.withLock { $0 = done == [10, 11, 12, 20] }
            }
            return await handler(operation)
        }
        #expect(othersWereDone.withLock { $0 })
        #expect(fixture.attemptedPayloads.suffix(2) == [0, 1])
    }

    @Test(
        "whatever happens, a lane is in order, one at a time, and no more than three run",
        arguments: TestSeeds["lanes"]
    )
    func manyLanes(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let fixture = OutboxFixture()
        for number in UInt8(0)..<60 {
            try enqueue([number], in: OrderingKey(bytes: [1 + number % 5]), fixture)
        }
        let failures = (0..<60).map { _ in UInt32(random.next() % 4) }
        let running = Mutex<(lanes: Set<UInt8>, most: Int, clashes: Int)>(([], 0, 0))
        let delivered = Mutex<[UInt8]>([])
        try await fixture.drainUntilIdle { operation in
            let number = operation.payload[0]
            running.withLock {
                if !$0.lanes.insert(number % 5).inserted { $0.clashes += 1 }
                $0.most = max($0.most, $0.lanes.count)
            }
            fixture.outbox.wake()
            fixture.outbox.networkReturned()
            await Task.yield()
            running.withLock { _ = $0.lanes.remove(number % 5) }
            if operation.attemptCount < failures[Int(number)] {
                return number % 2 == 0 ? .retry("e") : .retryOnNetwork("e")
            }
            delivered.withLock { $0.append(number) }
            return .done
        }
        let result = running.withLock { $0 }
        #expect(result.clashes == 0 && result.most <= 3, "seed \(seed)")
        for lane in UInt8(0)..<5 {
            let ofLane = delivered.withLock { $0.filter { $0 % 5 == lane } }
            #expect(ofLane == ofLane.sorted() && ofLane.count == 12, "seed \(seed)")
        }
    }

    @Test("a refused operation is passed over, if the lane's policy says so")
    func skipAndPark() async throws {
        let fixture = OutboxFixture(lanePolicy: .skipAndPark)
        let ids = try enqueue([0, 1, 2], in: lane, fixture)
        let handler = fixture.handler([.park("refused")])
        try await fixture.drainUntilIdle(handler)
        #expect(fixture.attemptedPayloads == [0, 1, 2])
        #expect(try fixture.outbox.counts() == OutboxCounts(parked: 1))
        try fixture.outbox.retry(ids[0])
        try await fixture.drainUntilIdle(handler)
        #expect(try fixture.outbox.counts() == OutboxCounts())
    }

    @Test("a refused operation holds up its lane until it is retried, if the lane's policy says so")
    func blockLane() async throws {
        let fixture = OutboxFixture(lanePolicy: .blockLane)
        let ids = try enqueue([0, 1, 2], in: lane, fixture)
        try enqueue([10], in: nil, fixture)
        let handler = fixture.handler([.park("refused")])
        try await fixture.drainUntilIdle { operation in
            operation.payload == [10] ? .done : await handler(operation)
        }
        #expect(fixture.attemptedPayloads == [0])
        #expect(try fixture.outbox.counts() == OutboxCounts(queued: 2, parked: 1))
        try fixture.outbox.retry(ids[0])
        try await fixture.drainUntilIdle(handler)
        #expect(fixture.attemptedPayloads == [0, 0, 1, 2])
    }

    @Test("deleting a refused operation lets its lane go on")
    func deleteBlocking() async throws {
        let fixture = OutboxFixture(lanePolicy: .blockLane)
        let ids = try enqueue([0, 1], in: lane, fixture)
        let handler = fixture.handler([.park("refused")])
        try await fixture.drainUntilIdle(handler)
        try fixture.outbox.delete(ids[0])
        try await fixture.drainUntilIdle(handler)
        #expect(fixture.attemptedPayloads == [0, 1])
    }

    @Test("a drain that runs goes on with a lane as soon as what blocks it is deleted")
    func deleteWakes() async throws {
        let fixture = OutboxFixture(lanePolicy: .blockLane)
        let ids = try enqueue([0, 1], in: lane, fixture)
        let handler = fixture.handler([.park("refused")])
        let drain = Task { try await fixture.outbox.drain(["note": handler]) }
        try await waitUntil { try fixture.outbox.counts().parked == 1 }
        try fixture.outbox.delete(ids[0])
        try await waitUntil { try fixture.outbox.counts().queued == 0 }
        drain.cancel()
        try await drain.value
        #expect(fixture.attemptedPayloads == [0, 1])
    }

    @Test(
        "an operation without a handler is parked under its lane's policy",
        arguments: [true, false]
    )
    func missingHandler(isBlocking: Bool) async throws {
        let fixture = OutboxFixture(lanePolicy: isBlocking ? .blockLane : .skipAndPark)
        try await fixture.outbox.enqueue(kind: "other", payload: [0], orderingKey: lane)
        try enqueue([1], in: lane, fixture)
        try await fixture.drainUntilIdle(fixture.handler())
        #expect(fixture.attemptedPayloads == (isBlocking ? [] : [1]))
        try await fixture.drainUntilIdle(fixture.handler(), kind: "other")
        try await fixture.drainUntilIdle(fixture.handler())
        #expect(fixture.attemptedPayloads.sorted() == [0, 1])
        #expect(try fixture.outbox.counts() == OutboxCounts())
    }

    @Test("an unreadable record is quarantined under its lane's policy", arguments: [true, false])
    func quarantined(isBlocking: Bool) async throws {
        let keys = MemoryKeyStore(keys: [.random()])
        let fixture = OutboxFixture(
            keys: keys,
            lanePolicy: isBlocking ? .blockLane : .skipAndPark
        )
        let sealed = try fixture.outbox.seal(kind: "note", payload: [0], orderingKey: lane)
        try fixture.storage.insert([
            SealedOperation(envelope: sealed.envelope, record: sealed.record.dropLast())
        ])
        try enqueue([1], in: lane, fixture)
        try await fixture.drainUntilIdle(fixture.handler())
        #expect(fixture.attemptedPayloads == (isBlocking ? [] : [1]))
        #expect(try fixture.outbox.counts().quarantined == 1)
        #expect(throws: UnreadableRecord.self) {
            try fixture.outbox.retry(sealed.envelope.id)
        }
        try fixture.outbox.delete(sealed.envelope.id)
        try await fixture.drainUntilIdle(fixture.handler())
        #expect(fixture.attemptedPayloads == [1])
    }

    @Test("what a person changes while a lane is in flight starts no second attempt in it")
    func changedInFlight() async throws {
        let fixture = OutboxFixture()
        let ids = try enqueue([0, 1, 2], in: lane, fixture)
        let running = Mutex((now: 0, most: 0))
        let isFirst = Mutex(true)
        try await fixture.drainUntilIdle { operation in
            running.withLock {
                $0.now += 1
                $0.most = max($0.most, $0.now)
            }
            defer { running.withLock { $0.now -= 1 } }
            switch operation.payload[0] {
            case 0 where isFirst.withLock({ $0 }):
                isFirst.withLock { $0 = false }
                return .park("refused")
            case 1:
                // The refused one is brought back before the one in flight, which then is deleted.
                try? fixture.outbox.retry(ids[0])
                for _ in 0..<50 { await Task.yield() }
                try? fixture.outbox.delete(ids[1])
                fixture.outbox.wake()
                for _ in 0..<50 { await Task.yield() }
                return await fixture.handler()(operation)
            default:
                return await fixture.handler()(operation)
            }
        }
        #expect(running.withLock { $0.most } == 1)
        #expect(fixture.attemptedPayloads == [1, 0, 2])
        #expect(try fixture.outbox.counts() == OutboxCounts())
    }

    @Test("one that was overtaken while in flight waits for the one that was brought back")
    func broughtBackInFlight() async throws {
        let fixture = OutboxFixture()
        let ids = try enqueue([0, 1], in: lane, fixture)
        let handler = fixture.handler([.park("refused"), .retry("e")])
        try await fixture.drainUntilIdle { operation in
            if operation.payload == [1], operation.attemptCount == 0 {
                try? fixture.outbox.retry(ids[0])
            }
            return await handler(operation)
        }
        #expect(fixture.attemptedPayloads == [0, 1, 0, 1])
    }

    @Test("retrying all keeps each lane in order")
    func retryAll() async throws {
        let fixture = OutboxFixture()
        try enqueue([0, 1, 2, 3], in: lane, fixture)
        let handler = fixture.handler([.park("e"), .park("e"), .park("e"), .park("e")])
        try await fixture.drainUntilIdle(handler)
        #expect(try fixture.outbox.counts().parked == 4)
        try fixture.outbox.retryAll()
        try await fixture.drainUntilIdle(handler)
        #expect(fixture.attemptedPayloads == [0, 1, 2, 3, 0, 1, 2, 3])
    }

    @Test("a wait that a wrong clock wrote is cut, also behind a front")
    func clamping() async throws {
        let fixture = OutboxFixture()
        let start = fixture.clock.now
        for id in try enqueue([0, 1], in: lane, fixture) {
            var envelope = try #require(try fixture.outbox.entry(for: id)?.envelope)
            envelope.waitCause = .backoff
            envelope.nextEligibleAt = start.advanced(by: .seconds(86_400 * 365))
            try fixture.storage.settle(.reschedule(envelope), for: id)
        }
        try await fixture.drainUntilIdle(fixture.handler())
        #expect(fixture.attemptedPayloads == [0, 1])
        // The policy's longest wait is 780 s; the fixture's clock goes on meanwhile.
        #expect(fixture.clock.now.since(start) < .seconds(900))
    }

    @Test("of two who drain and wake each other one takes a lane, in order")
    func twoDrains() async throws {
        let storage = MemoryStorage()
        let keys = MemoryKeyStore(keys: [.random()])
        let first = OutboxFixture(storage: storage, keys: keys)
        let second = OutboxFixture(storage: storage, keys: keys)
        try enqueue(Array(0..<30), in: lane, first)
        let handler = first.handler()
        let both: OperationHandler = { operation in
            first.outbox.wake()
            second.outbox.wake()
            await Task.yield()
            return await handler(operation)
        }
        try await withThrowingTaskGroup { tasks in
            for outbox in [first.outbox, second.outbox] {
                tasks.addTask {
                    do {
                        try await outbox.drain(["note": both], until: .idle)
                    } catch OutboxError.drainedElsewhere {
                        // The other one takes all.
                    }
                }
            }
            try await tasks.waitForAll()
        }
        #expect(first.attemptedPayloads == Array(0..<30))
    }

    @Test("a change that could not be stored holds up its lane, and is stored in the end")
    func outcomeNotStored() async throws {
        let fixture = OutboxFixture()
        try enqueue([0, 1, 2], in: lane, fixture)
        let handler = fixture.handler()
        try await fixture.drainUntilIdle { operation in
            fixture.storage.failNext(2, .writing, with: .diskFull)
            return await handler(operation)
        }
        #expect(fixture.attemptedPayloads == [0, 1, 2])
    }
}
