import Foundation
import Outbox
import OutboxCore
import OutboxFiles
import OutboxLedger
import OutboxTesting
import TemporaryFolders
import Testing

@Suite(.timeLimit(.minutes(60))) struct FileStorageTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("store") }

    init() throws {
        folder = try TemporaryFolder()
    }

    private func open() throws -> Outbox<FileStorage> {
        Outbox(storage: try FileStorage(folder: path), keys: ScenarioWorld.keys)
    }

    @Test("what was enqueued is there for whoever opens the store next, its file named by it")
    func reopened() throws {
        let id = try open().enqueue(kind: "note", payload: ScenarioWorld.canary)
        #expect(try open().open(id).payload == ScenarioWorld.canary)
        let names = try FileManager.default.contentsOfDirectory(atPath: path + "/operations")
        #expect(names == [id.description] && names[0] == names[0].lowercased())
        let bytes = try Data(contentsOf: URL(filePath: "\(path)/operations/\(id)"))
        #expect(bytes.range(of: Data(ScenarioWorld.canary)) == nil)
    }

    @Test("only its owner may enter the folder and read the files")
    func modes() throws {
        let outbox = try open()
        try outbox.enqueue(kind: "note", payload: [1])
        _ = try outbox.storage.claimDrain()
        let names = try FileManager.default.subpathsOfDirectory(atPath: path)
        #expect(names.count == 7)
        for name in names + ["."] {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")
            let isFolder = attributes[.type] as? FileAttributeType == .typeDirectory
            #expect(attributes[.posixPermissions] as? Int == (isFolder ? 0o700 : 0o600), "\(name)")
        }
    }

    @Test("a folder that can be neither opened nor made is a typed error")
    func cannotOpen() throws {
        #expect(throws: StorageError.cannotOpen) {
            try FileStorage(folder: folder.file("nowhere/store"))
        }
        #expect(throws: StorageError.cannotOpen) {
            try FileStorage(folder: folder.file(String(repeating: "n", count: 300)))
        }
        try Data([1]).write(to: URL(filePath: path))
        #expect(throws: StorageError.cannotOpen) { try FileStorage(folder: path) }
        #expect(try Data(contentsOf: URL(filePath: path)) == Data([1]))
        let readOnly = InterposedFiles(SimulatedDisk()) { operation throws(FileError) in
            guard operation == .makeFolder else { return true }
            throw FileError(code: EROFS)
        }
        #expect(throws: StorageError.readOnly) {
            try FileStorage(folder: "/store", system: readOnly)
        }
    }

    @Test("names that no envelope can hold are refused, and nothing is stored")
    func longNames() throws {
        let storage = try FileStorage(folder: path)
        let id = OperationID(time: ScenarioWorld.now, random: (1, 2))
        let long = [UInt8](repeating: 0x6E, count: 256)
        for (kind, key) in [(long, nil), ([0x6E], long)] {
            let envelope = Envelope(
                id: id,
                kind: OperationKind(utf8: kind),
                createdAt: ScenarioWorld.now,
                orderingKey: key.map(OrderingKey.init(bytes:))
            )
            #expect(throws: OutboxError.invalidName) {
                try storage.insert([SealedOperation(envelope: envelope, record: [])])
            }
        }
        #expect(try storage.counts() == OutboxCounts())
    }

    @Test("an orphan is swept at opening, a file whose writer lives is not")
    func orphans() throws {
        _ = try FileStorage(folder: path)
        for name in ["dead", "alive"] {
            try Data([1]).write(to: URL(filePath: "\(path)/temporary/\(name)"))
        }
        var writer = try FileLock(path: path + "/temporary/alive")
        _ = try FileStorage(folder: path)
        let temporary = path + "/temporary"
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary) == ["alive"])
        #expect(writer != nil)
        writer = nil
        _ = try FileStorage(folder: path)
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary) == [])
    }

    @Test("a file under a foreign name is listed and kept until a person deletes it")
    func foreign() throws {
        let id = try open().enqueue(kind: "note", payload: [1])
        let upper = id.description.uppercased()
        for name in [upper, "\(id) (1)", ".DS_Store"] {
            try Data([1, 2]).write(to: URL(filePath: "\(path)/operations/\(name)"))
        }
        try FileManager.default.createDirectory(
            atPath: "\(path)/operations/folder",
            withIntermediateDirectories: false
        )
        let outbox = try open()
        #expect(try outbox.counts() == OutboxCounts(queued: 1, quarantined: 3))
        let listed = try outbox.storage.entries(in: .quarantined, after: nil, limit: 9)
        #expect(listed.count == 3 && listed.allSatisfy { $0.operationID == nil })
        #expect(listed.count { $0.record == [1, 2] } == 2)
        let names = try FileManager.default.contentsOfDirectory(atPath: path + "/operations")
        #expect(names.count == 5)
        for entry in listed where !entry.record.isEmpty { try outbox.storage.delete(entry.id) }
        #expect(try outbox.counts() == OutboxCounts(queued: 1, quarantined: 1))
    }

    @Test("a foreign name that is no text, or only equal to another as text, is counted and listed")
    func foreignBytes() throws {
        let id = try open().enqueue(kind: "note", payload: [1])
        let names: [[UInt8]] = [
            [0x6D, 0xFF], [0x6D, 0xFE],
            // One letter with an accent, composed and decomposed.
            Array("\u{E9}".utf8), Array("e\u{301}".utf8),
        ]
        for name in names {
            let path = Array("\(path)/operations/".utf8) + name + [0]
            let file = path.withUnsafeBufferPointer { bytes in
                bytes.withMemoryRebound(to: CChar.self) {
                    Foundation.open($0.baseAddress!, O_WRONLY | O_CREAT | O_EXCL, 0o600)
                }
            }
            try #require(file >= 0)
            close(file)
        }
        let outbox = try open()
        #expect(try outbox.counts() == OutboxCounts(queued: 1, quarantined: 4))
        let listed = try outbox.storage.entries(in: .quarantined, after: nil, limit: 9)
        #expect(listed.count == 4 && listed.allSatisfy { $0.operationID == nil })
        // A file that the system cannot be asked for by its name stays, and a person is told so.
        for entry in listed { try? outbox.storage.delete(entry.id) }
        #expect(try outbox.counts() == OutboxCounts(queued: 1, quarantined: 2))
        let held = try #require(try outbox.entries(in: .quarantined).first)
        #expect(throws: StorageError.failed(code: EILSEQ)) {
            try outbox.storage.delete(held.entryID)
        }
        #expect(try open().open(id).payload == [1])
    }

    @Test("a file of an absurd length is quarantined without being read, and kept")
    func absurdLength() throws {
        let ids = try (0..<2).map { try open().enqueue(kind: "note", payload: [UInt8($0)]) }
        let file = "\(path)/operations/\(ids[0])"
        try #require(truncate(file, 1 << 40) == 0)
        let outbox = try open()
        #expect(try outbox.counts() == OutboxCounts(queued: 1, quarantined: 1))
        let listed = try outbox.storage.entries(in: .quarantined, after: nil, limit: 9)
        #expect(listed.map(\.operationID) == [ids[0]])
        #expect(listed.first?.record == [] && listed.first?.quarantineReason == .envelope)
        #expect(throws: UnreadableRecord.self) { try outbox.retry(ids[0]) }
        try outbox.storage.requeue(
            listed[0].id,
            as: Envelope(id: ids[0], kind: "note", createdAt: ScenarioWorld.now)
        )
        let attributes = try FileManager.default.attributesOfItem(atPath: file)
        #expect(attributes[.size] as? Int == 1 << 40)
        #expect(try outbox.open(ids[1]).payload == [1])
        try outbox.delete(ids[0])
        #expect(try outbox.counts() == OutboxCounts(queued: 1))
    }

    @Test("the longest payload can be read again, one that could not is refused")
    func longestPayload() throws {
        let limit = FileStorage.maximumPayload
        let outbox = Outbox(
            storage: try FileStorage(folder: path),
            keys: ScenarioWorld.keys,
            maximumPayload: limit + 1
        )
        #expect(throws: OutboxError.payloadTooLong(limit: limit)) {
            try outbox.enqueue(kind: "note", payload: [UInt8](repeating: 7, count: limit + 1))
        }
        #expect(try outbox.counts() == OutboxCounts())
        let payload = [UInt8](repeating: 7, count: limit)
        let id = try outbox.enqueue(kind: "note", payload: payload)
        #expect(try outbox.open(id).payload == payload)
    }

    @Test("a store with operations is not unused, even without its mark")
    func use() throws {
        let outbox = try open()
        #expect(try outbox.storage.isUnused())
        let id = try outbox.enqueue(kind: "note", payload: [1])
        try FileManager.default.removeItem(atPath: path + "/used")
        #expect(try !outbox.storage.isUnused())
        try outbox.delete(id)
        #expect(try outbox.storage.isUnused())
    }

    @Test("of several operations none is stored when one of them is taken")
    func batch() throws {
        let outbox = try open()
        let operations = try (0..<3).map {
            try outbox.seal(kind: "note", payload: [UInt8($0)])
        }
        try outbox.storage.insert([operations[1]])
        #expect(throws: StorageError.duplicate) { try outbox.storage.insert(operations) }
        #expect(throws: StorageError.duplicate) {
            try outbox.storage.insert([operations[0], operations[0]])
        }
        #expect(try outbox.counts() == OutboxCounts(queued: 1))
        #expect(try open().counts() == OutboxCounts(queued: 1))
    }
}
