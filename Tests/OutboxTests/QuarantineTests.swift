import Outbox
import OutboxCore
import OutboxTesting
import Testing
import Waiting

@Suite(.timeLimit(.minutes(60))) struct QuarantineTests {
    /// Stores three operations of which the second has been changed, drains, and looks.
    private func drain(
        sourceLocation: SourceLocation = #_sourceLocation,
        changing change: (SealedOperation, SealedOperation) -> SealedOperation
    ) async throws -> OutboxEntry? {
        let fixture = OutboxFixture()
        let sealed = try (0..<3).map {
            try fixture.outbox.seal(kind: "note", payload: [UInt8($0), 1, 2, 3])
        }
        try fixture.storage.insert([sealed[0], change(sealed[1], sealed[0]), sealed[2]])
        try await fixture.drainUntilIdle(fixture.handler())
        #expect(
            fixture.attempts.map(\.payload[0]).sorted() == [0, 2],
            sourceLocation: sourceLocation
        )
        let quarantined = try fixture.outbox.entries(in: .quarantined)
        #expect(quarantined.count == 1, sourceLocation: sourceLocation)
        #expect(
            fixture.events.contains {
                if case .quarantined = $0.change { true } else { false }
            },
            sourceLocation: sourceLocation
        )
        return quarantined.first
    }

    @Test(
        "every flipped bit of a sealed record, but those of the key's name, is quarantined, and its neighbours are delivered"
    )
    func flips() async throws {
        let length = try OutboxFixture().outbox.seal(kind: "note", payload: [0, 1, 2, 3])
            .record.count
        // A key of another name may come back.
        let name = 8..<72
        for bit in 0..<length * 8 where !name.contains(bit) {
            let entry = try await drain { operation, _ in
                var record = operation.record
                record[bit / 8] ^= 1 << UInt8(bit % 8)
                return SealedOperation(envelope: operation.envelope, record: record)
            }
            #expect(entry?.quarantineReason != nil, "bit \(bit)")
        }
    }

    @Test("every truncation of a sealed record is quarantined")
    func truncations() async throws {
        let length = try OutboxFixture().outbox.seal(kind: "note", payload: [0, 1, 2, 3])
            .record.count
        for length in 0..<length {
            let entry = try await drain { operation, _ in
                SealedOperation(
                    envelope: operation.envelope,
                    record: Array(operation.record.prefix(length))
                )
            }
            #expect(entry?.quarantineReason != nil, "length \(length)")
        }
    }

    @Test("two records that were swapped do not open")
    func swapped() async throws {
        let entry = try await drain { operation, other in
            SealedOperation(envelope: operation.envelope, record: other.record)
        }
        #expect(entry?.quarantineReason == .notAuthentic)
    }

    @Test("an entry that holds another operation, whole, is quarantined, and that is sent once")
    func copied() async throws {
        let fixture = OutboxFixture()
        let id = try await fixture.outbox.enqueue(kind: "note", payload: [1])
        let victim = try await fixture.outbox.enqueue(kind: "note", payload: [2])
        let original = try #require(try fixture.storage.entry(for: id))
        let entry = try #require(try fixture.storage.entry(for: victim))
        try fixture.storage.requeue(entry.id, as: Envelope(decoding: original.envelope))
        #expect(
            try fixture.storage.replaceRecord(entry.id, from: entry.record, to: original.record)
        )
        let drain = Task { try await fixture.outbox.drain(["note": fixture.handler()]) }
        while try fixture.outbox.counts().queued > 0, fixture.attempts.count < 2 {
            await Task.yield()
        }
        drain.cancel()
        try await drain.value
        #expect(fixture.attempts.map(\.id) == [id])
        let quarantined = try fixture.outbox.entries(in: .quarantined)
        #expect(quarantined.map(\.entryID) == [entry.id])
        #expect(quarantined.first?.quarantineReason == .envelope)
    }

    @Test(
        "a record under a key that is not here waits, holds up no other, and is delivered when the key is back"
    )
    func wrongKey() async throws {
        let storage = MemoryStorage()
        let key = SealingKey.random()
        let owner = OutboxFixture(storage: storage, keys: MemoryKeyStore(keys: [key]))
        let id = try await owner.outbox.enqueue(kind: "note", payload: [1])
        let stranger = OutboxFixture(storage: storage, keys: MemoryKeyStore(keys: [.random()]))
        try await stranger.outbox.enqueue(kind: "note", payload: [2])
        let drain = Task { try await stranger.outbox.drain(["note": stranger.handler()]) }
        try await waitUntil {
            try stranger.outbox.entry(for: id)?.envelope?.lastError == .keyMissing
                && stranger.attempts.count == 1
        }
        drain.cancel()
        try await drain.value
        #expect(stranger.attempts.map(\.payload) == [[2]])
        let entry = try stranger.outbox.entry(for: id)
        #expect(entry?.state == .queued && entry?.envelope?.attemptCount == 0)
        #expect(throws: UnreadableRecord(reason: .unknownKey)) { try stranger.outbox.retry(id) }
        try owner.outbox.retry(id)
        try await owner.drainUntilIdle(owner.handler())
        #expect(owner.attempts.map(\.payload) == [[1]])
    }

    @Test("a key that cannot be read now means wait: nothing is quarantined, nothing counted")
    func keyUnavailable() async throws {
        let storage = MemoryStorage()
        let keys = MemoryKeyStore(keys: [.random()])
        let first = OutboxFixture(storage: storage, keys: keys)
        try await first.outbox.enqueue(kind: "note", payload: [1])
        let second = OutboxFixture(storage: storage, keys: keys)
        keys.fail(with: .unreadable(code: 13))
        async let unlocked: Void = {
            try await waitUntil { !second.events.isEmpty }
            keys.fail(with: nil)
        }()
        try await second.drainUntilIdle(second.handler())
        try await unlocked
        #expect(second.events.first?.change == .queueNotRead)
        #expect(second.attempts.map(\.attemptCount) == [0])
        #expect(try second.outbox.counts() == OutboxCounts())
    }
}
