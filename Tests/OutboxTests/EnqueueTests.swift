import Outbox
import OutboxCore
import OutboxTesting
import Testing

@Suite struct EnqueueTests {
    @Test("what is enqueued reads back, and is sealed where it lies")
    func sealed() throws {
        let fixture = OutboxFixture()
        let payload = Array("a canary in a coal mine".utf8)
        let id = try fixture.outbox.enqueue(kind: "note", payload: payload)
        #expect(try fixture.outbox.open(id).payload == payload)
        let stored = try #require(try fixture.storage.entry(for: id))
        #expect(!stored.record.contains(payload) && !stored.envelope.contains(payload))
    }

    @Test("each nonce is random in every byte, and no identifier tells one")
    func nonces() throws {
        let fixture = OutboxFixture()
        let given = OperationID(time: .distantPast, random: (1, 2))
        for id in [nil, given] {
            let nonces = try (0..<64).map { _ in
                let operation = try fixture.outbox.seal(kind: "note", payload: [1], id: id)
                let nonce = try SealedRecord(decoding: operation.record).nonce
                let tail = Array(operation.envelope.id.bytes.suffix(4))
                #expect(!nonce.contains(tail) && !nonce.contains(Array(tail.reversed())))
                return nonce
            }
            #expect(Set(nonces).count == nonces.count)
            for place in 0..<SealedRecord.nonceLength {
                #expect(Set(nonces.map { $0[place] }).count > 1, "\(place)")
            }
        }
    }

    @Test("a payload at the limit is taken, one byte more is refused and nothing is stored")
    func limit() throws {
        let fixture = OutboxFixture()
        let limit = fixture.outbox.maximumPayload
        #expect(limit == 1_048_576)
        try fixture.outbox.enqueue(kind: "note", payload: [UInt8](repeating: 1, count: limit))
        #expect(throws: OutboxError.payloadTooLong(limit: limit)) {
            try fixture.outbox.enqueue(
                kind: "note",
                payload: [UInt8](repeating: 1, count: limit + 1)
            )
        }
        #expect(try fixture.outbox.counts() == OutboxCounts(queued: 1))
    }

    @Test("names that no envelope can hold are refused", arguments: [0, 256])
    func names(length: Int) throws {
        let fixture = OutboxFixture()
        let name = [UInt8](repeating: 0x61, count: length)
        #expect(throws: OutboxError.invalidName) {
            try fixture.outbox.enqueue(kind: OperationKind(utf8: name), payload: [])
        }
        #expect(throws: OutboxError.invalidName) {
            try fixture.outbox.enqueue(
                kind: "k",
                payload: [],
                orderingKey: OrderingKey(bytes: name)
            )
        }
    }

    @Test(
        "a storage that cannot write is a typed error, and the same call works once it can",
        arguments: [StorageError.diskFull, .readOnly, .failed(code: 5)]
    )
    func storageFails(error: StorageError) throws {
        let fixture = OutboxFixture()
        try fixture.outbox.enqueue(kind: "note", payload: [0])
        fixture.storage.failNext(1, .writing, with: error)
        #expect(throws: error) { try fixture.outbox.enqueue(kind: "note", payload: [1]) }
        #expect(try fixture.outbox.counts().queued == 1)
        try fixture.outbox.enqueue(kind: "note", payload: [1])
        #expect(try fixture.outbox.counts().queued == 2)
    }

    @Test("a key that is gone is never replaced once something was sealed")
    func lostKey() throws {
        let storage = MemoryStorage()
        let before = OutboxFixture(storage: storage)
        try before.outbox.enqueue(kind: "note", payload: [1])
        let after = OutboxFixture(storage: storage, keys: MemoryKeyStore())
        #expect(throws: KeyStoreError.missing) {
            try after.outbox.enqueue(kind: "note", payload: [2])
        }
    }

    @Test("an opened operation prints its kind, identifier and size, and none of its content")
    func printed() throws {
        let fixture = OutboxFixture()
        let id = try fixture.outbox.enqueue(kind: "note", payload: [77, 78], orderingKey: "lane")
        let operation = try fixture.outbox.open(id)
        #expect("\(operation)" == "note \(id) (2 bytes)")
        #expect(String(reflecting: [operation]) == "[note \(id) (2 bytes)]")
    }

    @Test("concurrent callers each get their operation stored, and only the one at fault fails")
    func groupCommit() async throws {
        let fixture = OutboxFixture()
        let taken = try await fixture.outbox.enqueue(kind: "note", payload: [0])
        let outcomes = await withTaskGroup(of: (OperationID?, Bool).self) { tasks in
            for number in 0..<200 {
                tasks.addTask {
                    let id = try? await fixture.outbox.enqueue(
                        kind: "note",
                        payload: [UInt8(number)],
                        id: number == 77 ? taken : nil
                    )
                    return (id, number == 77)
                }
            }
            return await tasks.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.allSatisfy { ($0.0 == nil) == $0.1 })
        #expect(try fixture.outbox.counts().queued == 200)
    }
}
