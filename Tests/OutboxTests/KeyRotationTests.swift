import Foundation
import Outbox
import OutboxCore
import OutboxTesting
import Synchronization
import Testing

@Suite("Changing the key") struct KeyRotationTests {
    @Test("old records stay readable, and new ones are sealed under the new key")
    func rotated() throws {
        let storage = MemoryStorage()
        let keys = MemoryKeyStore()
        let outbox = Outbox(storage: storage, keys: keys)
        let old = try outbox.enqueue(kind: "note", payload: [1])
        let id = try outbox.rotateKey()
        let new = try outbox.enqueue(kind: "note", payload: [2])
        #expect(try outbox.open(old).payload == [1])
        #expect(try outbox.open(new).payload == [2])
        let record = try #require(try storage.entry(for: new)).record
        #expect(Sealer.keyID(of: record) == id)
        #expect(try outbox.keysInUse() == Set(keys.keys(creating: false).map(\.id)))
    }

    @Test("a process that meets a key it does not know reads the keys again")
    func reread() throws {
        let storage = MemoryStorage()
        let keys = MemoryKeyStore()
        let running = Outbox(storage: storage, keys: keys)
        try running.enqueue(kind: "note", payload: [1])
        let other = Outbox(storage: storage, keys: keys)
        try other.rotateKey()
        let id = try other.enqueue(kind: "note", payload: [2])
        keys.fail(with: .withheld(.locked))
        #expect(throws: KeyStoreError.withheld(.locked)) { try running.open(id) }
        keys.fail(with: nil)
        #expect(try running.open(id).payload == [2])
    }

    @Test("an operation under a new key waits, unquarantined, while the keys cannot be read")
    func waiting() async throws {
        let fixture = OutboxFixture()
        try await fixture.outbox.enqueue(kind: "note", payload: [1])
        let other = Outbox(
            storage: fixture.storage,
            keys: fixture.keys,
            clock: fixture.clock.clock
        )
        try other.rotateKey()
        try await other.enqueue(kind: "note", payload: [2])
        fixture.keys.fail(with: .withheld(.unreachable))
        let drain = Task { try await fixture.drainUntilIdle(fixture.handler()) }
        while !fixture.events.contains(where: { $0.reason == "key.withheld" }) {
            await Task.yield()
        }
        fixture.keys.fail(with: nil)
        try await drain.value
        #expect(fixture.attempts.map(\.payload).sorted { $0[0] < $1[0] } == [[1], [2]])
        #expect(try fixture.outbox.counts() == OutboxCounts())
    }

    @Test("rekeying seals everything again but what is quarantined, and changes nothing else")
    func rekeyed() throws {
        let world = try World()
        let before = try world.envelopes()
        let outbox = world.process()
        let key = try outbox.rotateKey()
        let report = try outbox.rekey()
        #expect(report.resealed == world.readable.count)
        #expect(report.unreadable == 1)
        #expect(report.quarantined == 2)
        #expect(try world.envelopes() == before)
        for id in world.readable.keys {
            #expect(Sealer.keyID(of: try #require(try world.base.entry(for: id)).record) == key)
        }
        #expect(try outbox.rekey().resealed == 0)
        try world.check()
    }

    @Test("a crash after any step of it leaves every record readable, and it can be done again")
    func crashes() throws {
        var crashes = 0
        for moment in Crash.Moment.allCases {
            var step = 0
            while true {
                let world = try World()
                let crash = Crash(at: step, moment)
                do {
                    try world.changeKey(crash)
                } catch {
                    #expect(crash.hasHappened)
                }
                guard crash.hasHappened else { break }
                crashes += 1
                try world.check()
                // The next process does it all.
                try world.changeKey(nil)
                try world.check()
                let current = try #require(world.keys.keys(creating: false).last).id
                for id in world.readable.keys {
                    let record = try #require(try world.base.entry(for: id)).record
                    #expect(Sealer.keyID(of: record) == current)
                }
                // The first key is needed by a quarantined entry, the second by nothing.
                #expect(try world.keys.keys(creating: false).count == 2)
                step += 1
            }
        }
        #expect(crashes > 40)
    }

    @Test("processes that enqueue, drain and decide beside it lose nothing", arguments: 0..<40)
    func beside(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let world = try World()
        let others = [world.process(), world.process()]
        var payload: UInt8 = 100
        let storage = ObservedStorage(world.base) { _ in
            let other = others.randomElement(using: &random)!
            switch Int.random(in: 0..<6, using: &random) {
            case 0:
                payload &+= 1
                world.readable[try other.enqueue(kind: "note", payload: [payload])] = [payload]
            case 1:
                guard let id = world.readable.keys.randomElement(using: &random) else { return }
                try world.base.settle(.remove, for: id)
                world.readable[id] = nil
            case 2:
                guard let id = world.readable.keys.randomElement(using: &random),
                    let envelope = try world.base.entry(for: id).map({
                        try Envelope(decoding: $0.envelope)
                    })
                else { return }
                try world.base.settle(.park(envelope), for: id)
            case 3:
                if let id = world.readable.keys.randomElement(using: &random) {
                    try other.retry(id)
                }
            case 4: if Bool.random(using: &random) { try other.rotateKey() }
            default: break
            }
        }
        let outbox = Outbox(storage: storage, keys: world.keys)
        try outbox.rotateKey()
        _ = try outbox.rekey()
        try world.check("seed \(seed)")
        for other in others {
            for (id, payload) in world.readable {
                #expect(try other.open(id).payload == payload, "seed \(seed)")
            }
        }
    }
}

/// An outbox in a state that has everything, and what is known of it.
private final class World {
    let base = MemoryStorage()
    let keys = MemoryKeyStore()
    /// The payloads of the operations that can be read.
    var readable: [OperationID: [UInt8]] = [:]

    init() throws {
        let stranger = Outbox(storage: MemoryStorage(), keys: MemoryKeyStore())
        let outbox = Outbox(storage: base, keys: keys)
        for payload in UInt8(0)..<6 {
            let id = try outbox.enqueue(kind: "note", payload: [payload])
            readable[id] = [payload]
            if payload % 3 == 2 {
                let envelope = try Envelope(decoding: base.entry(for: id)!.envelope)
                try base.settle(.park(envelope), for: id)
            }
        }
        // One sealed under a key that is gone, one whose record is damaged, and one that is
        // quarantined although it opens.
        let unknown = try stranger.seal(kind: "note", payload: [7])
        let intact = try outbox.seal(kind: "note", payload: [8])
        let damaged = SealedOperation(
            envelope: try outbox.seal(kind: "note", payload: [9]).envelope,
            record: [0]
        )
        try base.insert([unknown, intact, damaged])
        for operation in [intact, damaged] {
            let entry = try base.entry(for: operation.envelope.id)!
            try base.quarantine(entry.id, reason: .record, as: nil)
        }
    }

    /// An outbox of a process that has just started.
    func process() -> Outbox<MemoryStorage> { Outbox(storage: base, keys: keys) }

    func changeKey(_ crash: Crash?) throws {
        let storage = ObservedStorage(base) { moment in try crash?.reached(moment) }
        let outbox = Outbox(storage: storage, keys: ObservedKeyStore(keys, crash))
        try outbox.rotateKey()
        _ = try outbox.rekey()
        _ = try outbox.retireKeys()
    }

    /// Every operation that could be read can be.
    func check(_ comment: Comment? = nil) throws {
        let outbox = process()
        for (id, payload) in readable {
            #expect(try outbox.open(id).payload == payload, comment)
        }
    }

    func envelopes() throws -> [[UInt8]] {
        try OperationState.allCases.flatMap { state in
            try base.entries(in: state, after: nil, limit: 100).map(\.envelope)
        }
    }
}

/// A process that dies at one step, before or after the step has had its effect.
private final class Crash: Sendable {
    enum Moment: CaseIterable { case before, after }
    struct Happened: Error {}

    private let step: Int
    private let moment: Moment
    private let reached = Mutex<[Moment: Int]>([:])
    private let happened = Mutex(false)

    init(at step: Int, _ moment: Moment) {
        self.step = step
        self.moment = moment
    }

    var hasHappened: Bool { happened.withLock { $0 } }

    func reached(_ moment: Moment) throws {
        let count = reached.withLock { reached in
            reached[moment, default: -1] += 1
            return reached[moment]!
        }
        // The dead do nothing more.
        guard hasHappened || moment == self.moment && count == step else { return }
        happened.withLock { $0 = true }
        throw Happened()
    }
}

/// Keys whose every access is a step of a crash.
private final class ObservedKeyStore: KeyStore {
    private let base: MemoryKeyStore
    private let crash: Crash?

    init(_ base: MemoryKeyStore, _ crash: Crash?) {
        self.base = base
        self.crash = crash
    }

    func keys(creating: Bool) throws(KeyStoreError) -> [SealingKey] {
        try observing { () throws(KeyStoreError) in try base.keys(creating: creating) }
    }

    func addKey() throws(KeyStoreError) -> KeyID {
        try observing { () throws(KeyStoreError) in try base.addKey() }
    }

    func retireKeys(needed: () throws -> Set<KeyID>) throws -> Set<KeyID>? {
        try crash?.reached(.before)
        let retired = try base.retireKeys(needed: needed)
        try crash?.reached(.after)
        return retired
    }

    private func observing<Result>(
        _ body: () throws(KeyStoreError) -> Result
    ) throws(KeyStoreError) -> Result {
        guard (try? crash?.reached(.before)) != nil || crash == nil else {
            throw .unreadable(code: -1)
        }
        let result = try body()
        guard (try? crash?.reached(.after)) != nil || crash == nil else {
            throw .unreadable(code: -1)
        }
        return result
    }
}

/// A storage whose every access is told of, before and after. For one thread.
private final class ObservedStorage: OutboxStorage, @unchecked Sendable {
    private let base: MemoryStorage
    private let observe: (Crash.Moment) throws -> Void

    init(_ base: MemoryStorage, _ observe: @escaping (Crash.Moment) throws -> Void) {
        self.base = base
        self.observe = observe
    }

    private func observing<Result>(_ body: () throws -> Result) throws -> Result {
        try observe(.before)
        let result = try body()
        try observe(.after)
        return result
    }

    func insert(_ operations: [SealedOperation]) throws {
        try observing { try base.insert(operations) }
    }

    func eligible(at now: WallTime, limit: Int) throws -> EligibleRecords {
        try observing { try base.eligible(at: now, limit: limit) }
    }

    func settle(_ settlements: [Settlement]) throws -> [Unsettled] {
        try observing { try base.settle(settlements) }
    }

    func quarantine(_ id: EntryID, reason: QuarantineReason, as envelope: Envelope?) throws {
        try observing { try base.quarantine(id, reason: reason, as: envelope) }
    }

    func replaceRecord(_ id: EntryID, from old: [UInt8], to new: [UInt8]) throws -> Bool {
        try observing { try base.replaceRecord(id, from: old, to: new) }
    }

    func entries(
        in state: OperationState,
        after last: EntryID?,
        limit: Int
    ) throws -> [StoredEntry] {
        try observing { try base.entries(in: state, after: last, limit: limit) }
    }

    func entries(
        waitingFor cause: WaitCause,
        beyond moment: WallTime,
        limit: Int
    ) throws -> [StoredEntry] {
        try observing { try base.entries(waitingFor: cause, beyond: moment, limit: limit) }
    }

    func entry(for id: OperationID) throws -> StoredEntry? {
        try observing { try base.entry(for: id) }
    }

    func requeue(_ id: EntryID, as envelope: Envelope) throws {
        try observing { try base.requeue(id, as: envelope) }
    }

    func endWaits(for cause: WaitCause) throws { try observing { try base.endWaits(for: cause) } }

    func delete(_ id: EntryID) throws { try observing { try base.delete(id) } }

    func counts() throws -> OutboxCounts { try observing { try base.counts() } }

    func isUnused() throws -> Bool { try observing { try base.isUnused() } }

    func markUsed() throws { try observing { try base.markUsed() } }

    func claimDrain() throws -> (any DrainClaim)? { try base.claimDrain() }

    func close() { base.close() }
}
