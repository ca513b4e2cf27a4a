import Foundation
import Outbox
import OutboxCore
import OutboxFiles
import OutboxLedger
import OutboxTesting
import TemporaryFolders
import Testing

@Suite(.timeLimit(.minutes(60))) struct CorruptionTests {
    private struct Tally: CustomStringConvertible {
        var changes = 0
        var (intact, quarantined, refused, wrong) = (0, 0, 0, 0)
        var neighbours = Verdict()

        var description: String {
            """
            \(changes) changes: \(intact) intact, \(quarantined) quarantined, \(refused) refused \
            on opening, \(wrong) wrong; neighbours: \(neighbours)
            """
        }
    }

    private let content: SimulatedDisk.Content
    private let promises: Ledger.Promises
    private let damaged: OperationID

    /// Three operations, of which the second waits for the network.
    init() throws {
        let disk = SimulatedDisk.prepared()
        let outbox = try FileScenario.open(disk)
        let ledger = Ledger()
        let ids = (1...3).map { OperationID(time: ScenarioWorld.now, random: (0, UInt64($0))) }
        for (number, id) in ids.enumerated() {
            ledger.expect(id, payload: [UInt8(number)])
            try ledger.change([(id, .eligible)]) {
                try outbox.enqueue(kind: "note", payload: [UInt8(number)], id: id)
            }
        }
        var envelope = try Envelope(decoding: outbox.storage.entry(for: ids[1])?.envelope ?? [])
        envelope.waitCause = .network
        envelope.nextEligibleAt = ScenarioWorld.now.advanced(by: .seconds(600))
        envelope.lastError = "unreachable"
        try ledger.change([(ids[1], .waiting)]) {
            try outbox.storage.settle(.reschedule(envelope), for: ids[1])
        }
        content = disk.content
        promises = ledger.promises
        damaged = ids[1]
    }

    private func tally(
        _ path: String,
        excusing excused: Set<OperationID>,
        _ changes: some Sequence<([UInt8]) -> [UInt8]>
    ) throws -> Tally {
        let file = "\(FileScenario.folder)/\(path)"
        let bytes = try #require(content[file])
        var tally = Tally()
        for change in changes {
            var content = content
            content[file] = change(bytes)
            let outbox = try FileScenario.open(SimulatedDisk(content))
            tally.changes += 1
            tally.neighbours += try FileScenario.inspect(outbox, promises, excused: excused)
            guard let entry = try outbox.storage.entry(for: damaged) else { continue }
            do {
                let payload = try outbox.open(damaged).payload
                if payload != promises[damaged]?.payload {
                    tally.wrong += 1
                } else if entry.state == .quarantined {
                    tally.quarantined += 1
                } else {
                    tally.intact += 1
                }
            } catch is UnreadableRecord {
                if entry.state == .quarantined {
                    tally.quarantined += 1
                } else {
                    tally.refused += 1
                }
            }
        }
        return tally
    }

    private func flips(_ count: Int) -> [([UInt8]) -> [UInt8]] {
        (0..<count * 8).map { bit in
            { bytes in
                var bytes = bytes
                bytes[bit / 8] ^= 1 << UInt8(bit % 8)
                return bytes
            }
        }
    }

    private func truncations(_ count: Int) -> [([UInt8]) -> [UInt8]] {
        (0..<count).map { length in { Array($0.prefix(length)) } }
    }

    @Test("every flipped bit and every truncation of a file is found, and concerns no other")
    func operationFile() throws {
        let path = "operations/\(damaged)"
        let count = try #require(content["\(FileScenario.folder)/\(path)"]?.count)
        let flipped = try tally(path, excusing: [damaged], flips(count))
        print("flipped bits: \(flipped)")
        #expect(flipped.changes == count * 8 && flipped.neighbours.isClean)
        #expect(flipped.intact == 0 && flipped.wrong == 0)
        #expect(flipped.quarantined + flipped.refused == flipped.changes)
        let cut = try tally(path, excusing: [damaged], truncations(count))
        print("truncations: \(cut)")
        #expect(cut.changes == count && cut.neighbours.isClean)
        #expect(cut.quarantined == cut.changes)
    }

    @Test("damage to the folder's own files costs no operation")
    func folderFiles() throws {
        for (path, length) in [("waits", 28), ("changes", 64)] {
            var content = content
            let file = "\(FileScenario.folder)/\(path)"
            if content[file] == nil {
                let disk = SimulatedDisk(content)
                let storage = try FileStorage(folder: FileScenario.folder, system: disk)
                try storage.endWaits(for: .network)
                content = disk.content
            }
            let bytes = try #require(content[file])
            var (changes, verdict) = (0, Verdict())
            for change in flips(length) + truncations(length) {
                var content = content
                content[file] = change(bytes)
                let outbox = try FileScenario.open(SimulatedDisk(content))
                var found = try FileScenario.inspect(outbox, promises)
                // A wait may end early.
                if path == "waits" { found.misplaced = 0 }
                verdict += found
                changes += 1
            }
            print("damaged \(path): \(changes) changes, \(verdict)")
            #expect(verdict.isClean && changes == length * 9)
        }
    }

    @Test("a damaged payload is quarantined by the drain as damaged, its neighbours are delivered")
    func drained() async throws {
        let folder = try TemporaryFolder()
        let storage = try FileStorage(folder: folder.file("store"))
        let outbox = Outbox(storage: storage, keys: ScenarioWorld.keys)
        let ids = try (0..<3).map { try outbox.enqueue(kind: "note", payload: [UInt8($0)]) }
        let path = folder.file("store/operations/\(ids[1])")
        var bytes = try Data(contentsOf: URL(filePath: path))
        bytes[bytes.count - 1] ^= 1
        try bytes.write(to: URL(filePath: path))
        try await outbox.drain(["note": { _ in .done }], until: .idle)
        #expect(try outbox.counts() == OutboxCounts(quarantined: 1))
        let entry = try #require(try outbox.entry(for: ids[1]))
        #expect(entry.state == .quarantined && entry.quarantineReason == .record)
        let again = try FileStorage(folder: folder.file("store"))
        let kept = try again.entries(in: .quarantined, after: nil, limit: 9)
        #expect(kept.first?.quarantineReason == .record)
        #expect(kept.first.map { bytes.suffix($0.record.count).elementsEqual($0.record) } == true)
    }

    @Test("a person's retry brings back what still opens although its head is damaged")
    func salvaged() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store")
        let id = try Outbox(storage: try FileStorage(folder: path), keys: ScenarioWorld.keys)
            .enqueue(kind: "note", payload: [7])
        let file = URL(filePath: "\(path)/operations/\(id)")
        var bytes = try Data(contentsOf: file)
        bytes[6] ^= 1
        try bytes.write(to: file)
        let outbox = Outbox(storage: try FileStorage(folder: path), keys: ScenarioWorld.keys)
        #expect(try outbox.counts() == OutboxCounts(quarantined: 1))
        try outbox.retry(id)
        let again = Outbox(storage: try FileStorage(folder: path), keys: ScenarioWorld.keys)
        #expect(try again.counts() == OutboxCounts(queued: 1))
        #expect(try again.open(id).payload == [7])
    }
}
