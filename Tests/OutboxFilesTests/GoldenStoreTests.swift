import Foundation
import Outbox
import OutboxCore
import OutboxFiles
import OutboxTesting
import TemporaryFolders
import Testing

/// Reads a store that `Golden/make-golden.py` wrote from the description of the format alone.
@Suite struct GoldenStoreTests {
    private let folder: TemporaryFolder
    private let now = WallTime(millisecondsSinceEpoch: 1_800_000_000_000)

    init() throws {
        folder = try TemporaryFolder()
        let golden = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Golden/version-1")
        try FileManager.default.copyItem(
            at: golden,
            to: URL(filePath: folder.file("store"))
        )
    }

    private func open() throws -> Outbox<FileStorage> {
        let key = SealingKey(
            id: KeyID(rawValue: 0x0123_4567_89AB_CDEF),
            bytes: 0..<32
        )
        return Outbox(
            storage: try FileStorage(folder: folder.file("store")),
            keys: MemoryKeyStore(keys: [key]),
            clock: ManualClock(wallTime: now).clock
        )
    }

    private func id(_ number: Int) -> OperationID {
        OperationID(high: 0x017F_22E2_79B0_7CC3, low: 0x98C4_DC0C_0C07_3900 + UInt64(number))
    }

    @Test("a store of format 1 reads as it was written")
    func reads() throws {
        let outbox = try open()
        #expect(try outbox.counts() == OutboxCounts(queued: 4, parked: 1, quarantined: 3))
        #expect(try !outbox.storage.isUnused())
        for number in 1...7 {
            let payload = try outbox.open(id(number)).payload
            #expect(payload == Array("memo number \(number)".utf8))
        }
        #expect(throws: UnreadableRecord(reason: .envelope)) { try outbox.open(id(8)) }
        let eligible = try outbox.storage.eligible(at: now, limit: 9)
        #expect(eligible.entries.map(\.operationID) == [1, 3, 6].map(id))
        #expect(eligible.nextEligibleAt?.millisecondsSinceEpoch == 1_900_000_000_000)
        let parked = try #require(try outbox.entry(for: id(4))?.envelope)
        #expect(parked.lastError == "relay.refused")
        #expect(parked.orderingKey?.bytes == Array("lane".utf8))
        #expect(try outbox.entry(for: id(5))?.quarantineReason == .unknownKey)
        for number in [7, 8] {
            #expect(try outbox.entry(for: id(number))?.quarantineReason == .envelope)
        }
    }

    @Test("what a newer build wrote beside what this one knows survives a change")
    func unknownFields() throws {
        let outbox = try open()
        var envelope = try #require(try outbox.entry(for: id(6))?.envelope)
        #expect(envelope.unknownFields.map(\.tag) == [200])
        envelope.attemptCount = 1
        try outbox.storage.settle(.park(envelope), for: id(6))
        #expect(try open().entry(for: id(6))?.envelope == envelope)
        let bytes = try Data(
            contentsOf: URL(filePath: folder.file("store/operations/\(id(6))"))
        )
        #expect(bytes.range(of: Data("newer".utf8)) != nil)
        #expect(bytes.range(of: Data("from a newer build".utf8)) != nil)
    }

    @Test("a file of a newer format, or a damaged one, stays byte for byte through a drain")
    func untouched() async throws {
        let paths = [7, 8].map { URL(filePath: folder.file("store/operations/\(id($0))")) }
        let before = try paths.map { try Data(contentsOf: $0) }
        let outbox = try open()
        try outbox.retryAll()
        try await outbox.drain(["memo": { _ in .done }], until: .idle)
        #expect(try outbox.counts() == OutboxCounts(quarantined: 3))
        #expect(try paths.map { try Data(contentsOf: $0) } == before)
    }
}
