import Outbox
import OutboxCore
import OutboxTesting
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(60))) struct CloseTests {
    private let fixture = OutboxFixture()

    private func enqueue(_ count: Int) throws -> [OperationID] {
        try (0..<count).map {
            try fixture.outbox.enqueue(kind: "note", payload: [UInt8($0)])
        }
    }

    /// What is stored, although the storage is closed.
    private func left(_ storage: FaultyStorage<MemoryStorage>) throws -> OutboxCounts {
        try storage.base.copy().counts()
    }

    @Test("closing stops the drain, awaits its handlers, and records what they delivered")
    func drain() async throws {
        let ids = try enqueue(3)
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let ended = Count()
        let outbox = fixture.outbox
        let drain = Task {
            try await outbox.drain([
                "note": { operation in
                    begin.yield()
                    while !Task.isCancelled { await Task.yield() }
                    ended.add()
                    return operation.id == ids[0] ? .done : .retry("cut short")
                }
            ])
        }
        var handlers = begun.makeAsyncIterator()
        for _ in 0..<3 { await handlers.next() }
        await outbox.close()
        #expect(ended.value == 3)
        try await drain.value
        #expect(try left(fixture.storage) == OutboxCounts(queued: 2))
    }

    @Test("each caller of close returns when all is closed")
    func several() async throws {
        _ = try enqueue(1)
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let isReleased = Flag()
        let outbox = fixture.outbox
        let drain = Task {
            try await outbox.drain([
                "note": { _ in
                    begin.yield()
                    while !isReleased.isSet { await Task.yield() }
                    return .done
                }
            ])
        }
        for await _ in begun { break }
        await withTaskGroup { tasks in
            for _ in 0..<4 {
                tasks.addTask {
                    await outbox.close()
                    #expect(isReleased.isSet)
                    #expect(throws: StorageError.closed) { try outbox.counts() }
                }
            }
            for _ in 0..<100 { await Task.yield() }
            isReleased.set()
        }
        try await drain.value
        await outbox.close()
    }

    @Test("an enqueue beside the closing is stored, or throws that it is not")
    func enqueues() async throws {
        for _ in 0..<50 {
            let fixture = OutboxFixture()
            let stored = try await withThrowingTaskGroup(of: Int.self) { tasks in
                for number in 0..<20 {
                    tasks.addTask {
                        do {
                            try await fixture.outbox.enqueue(kind: "note", payload: [1])
                            return 1
                        } catch StorageError.closed {
                            return 0
                        }
                    }
                    if number == 10 {
                        tasks.addTask {
                            await fixture.outbox.close()
                            return 0
                        }
                    }
                }
                return try await tasks.reduce(0, +)
            }
            #expect(try left(fixture.storage) == OutboxCounts(queued: stored))
        }
    }

    @Test("after closing every use says so")
    func afterwards() async throws {
        let ids = try enqueue(1)
        let outbox = fixture.outbox
        await outbox.close()
        await #expect(throws: StorageError.closed) { try await outbox.drain([:], until: .idle) }
        await #expect(throws: StorageError.closed) {
            try await outbox.enqueue(kind: "note", payload: [1])
        }
        #expect(throws: StorageError.closed) { try outbox.entry(for: ids[0]) }
        #expect(throws: StorageError.closed) { try outbox.retryAll() }
        #expect(throws: StorageError.closed) { try outbox.state() }
        outbox.wake()
        outbox.networkReturned()
        #expect(try left(fixture.storage) == OutboxCounts(queued: 1))
    }

    @Test("states end with the outbox, also for who begins to follow them later")
    func states() async throws {
        let outbox = fixture.outbox
        var iterator = outbox.states().makeAsyncIterator()
        #expect(await iterator.next() != nil)
        let following = Task {
            var count = 0
            for await _ in outbox.states() { count += 1 }
            return count
        }
        await outbox.close()
        #expect(await iterator.next() == nil)
        _ = await following.value
        var late = outbox.states().makeAsyncIterator()
        #expect(await late.next() == nil)
    }

    @Test("a drain ends when another outbox closes its storage, before or during an attempt")
    func sharedStorage() async throws {
        for isAttempting in [false, true] {
            let fixture = OutboxFixture()
            let outbox = fixture.outbox
            let other = Outbox(storage: fixture.storage, keys: fixture.keys)
            if isAttempting { try await outbox.enqueue(kind: "note", payload: [1]) }
            let (begun, begin) = AsyncStream<Void>.makeStream()
            let isClosed = Flag()
            let drain = Task {
                try await outbox.drain([
                    "note": { _ in
                        begin.yield()
                        while !isClosed.isSet { await Task.yield() }
                        return .done
                    }
                ])
            }
            if isAttempting { for await _ in begun { break } }
            await other.close()
            isClosed.set()
            outbox.wake()
            await #expect(throws: StorageError.closed) { try await drain.value }
            #expect(try left(fixture.storage).queued == (isAttempting ? 1 : 0))
        }
    }

    @Test("a drain that was refused does not keep the outbox from closing")
    func refused() async throws {
        let outbox = fixture.outbox
        let claim = try fixture.storage.claimDrain()
        await #expect(throws: OutboxError.drainedElsewhere) {
            try await outbox.drain([:], until: .idle)
        }
        await outbox.close()
        withExtendedLifetime(claim) {}
    }
}

private final class Flag: Sendable {
    private let state = Mutex(false)

    var isSet: Bool { state.withLock { $0 } }

    func set() { state.withLock { $0 = true } }
}

private final class Count: Sendable {
    private let count = Mutex(0)

    var value: Int { count.withLock { $0 } }

    func add() { count.withLock { $0 += 1 } }
}
