#if os(Linux)
    import CSQLite
    import Foundation
    import Outbox
    import OutboxCore
    import OutboxSQLite
    import OutboxTesting
    import TemporaryFolders
    import Testing
    import Waiting

    /// Logs of more than 2 GiB: most of each is a hole, which takes no room. A process of its own
    /// opens each (`Tests/Support/OutboxWriter`), because memory is measured of a whole process.
    @Suite(.serialized, .timeLimit(.minutes(60))) struct LongLogTests {
        @Test("a log of more than 2 GiB is opened in bounded memory")
        func intact() async throws {
            let store = try LongLogStore()
            try store.lengthen()
            try await store.openInBoundedMemory()
            try store.expectAll()
        }

        @Test("a log of more than 2 GiB is mended in bounded memory")
        func mended() async throws {
            let store = try LongLogStore()
            try store.damage(store.secondFrame + 24..<store.secondFrame + 25)
            try store.lengthen()
            try await store.openInBoundedMemory()
            try store.expectAll()
        }

        @Test("a log of more than 2 GiB is set aside in bounded memory, and its holes with it")
        func setAside() async throws {
            let store = try LongLogStore()
            try store.damage(store.secondFrame + 24..<store.secondFrame + 124)
            let log = try store.bytesOfLog()
            for _ in 0..<2 {
                try store.lengthen()
                try await store.openInBoundedMemory()
                try store.expectCopy(of: log)
                // As when the power is cut between the copy and the cut.
                try Data(log).write(to: URL(filePath: store.log))
            }
        }

        @Test("a log of more than 2 GiB without a header is set aside in bounded memory")
        func withoutHeader() async throws {
            let store = try LongLogStore()
            try store.damage(0..<32)
            let log = try store.bytesOfLog()
            try store.lengthen()
            try await store.openInBoundedMemory()
            try store.expectCopy(of: log)
        }
    }

    /// Three operations, each in a transaction of the log. With the largest pages, so that a long
    /// log has few frames.
    private final class LongLogStore {
        private static let length = (2 << 30) + (1 << 20)
        /// The memory that opening may need beyond what the process had before, in bytes.
        private static let mostMemory = 16 << 20
        private static let frameLength = 24 + 65_536

        private let folder: TemporaryFolder
        private let keys = MemoryKeyStore(keys: [.random()])
        private var promises: [OperationID: [UInt8]] = [:]
        /// The offset of the second transaction's first frame.
        private(set) var secondFrame = 0

        private var path: String { folder.file("store.sqlite") }
        var log: String { path + "-wal" }

        init() throws {
            folder = try TemporaryFolder(isInMemory: true)
            var handle: OpaquePointer?
            try #require(sqlite3_open(path, &handle) == SQLITE_OK)
            let sql = "PRAGMA page_size=65536; CREATE TABLE note(id); DROP TABLE note"
            try #require(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK)
            try #require(sqlite3_close(handle) == SQLITE_OK)
            let outbox = try open()
            try outbox.storage.markUsed()
            try outbox.storage.checkpoint()
            for payload in [[1], [2], [3]] as [[UInt8]] {
                promises[try outbox.enqueue(kind: "note", payload: payload)] = payload
            }
            outbox.storage.close()
            let bytes = try bytesOfLog()
            let first = stride(from: 32, to: bytes.count, by: Self.frameLength).first { frame in
                bytes[frame + 4..<frame + 8].contains { $0 != 0 }
            }
            secondFrame = try #require(first) + Self.frameLength
            try #require(secondFrame < bytes.count)
        }

        private func open() throws -> Outbox<SQLiteStorage> {
            Outbox(storage: try SQLiteStorage(path: path), keys: keys)
        }

        func bytesOfLog() throws -> [UInt8] { try [UInt8](Data(contentsOf: URL(filePath: log))) }

        func damage(_ range: Range<Int>) throws {
            var bytes = try bytesOfLog()
            for index in range { bytes[index] ^= 1 }
            try Data(bytes).write(to: URL(filePath: log))
        }

        func lengthen() throws {
            try #require(truncate(log, off_t(Self.length)) == 0)
        }

        func openInBoundedMemory() async throws {
            let place = folder.path
            let printed = try await onOwnThread {
                let process = Process()
                process.executableURL = URL(filePath: CommandLine.arguments[0])
                    .deletingLastPathComponent().appending(path: "OutboxWriter")
                process.arguments = ["measure", "sqlite", place, "/dev/null"]
                let output = Pipe()
                process.standardOutput = output
                try process.run()
                let printed = try output.fileHandleForReading.readToEnd() ?? Data()
                process.waitUntilExit()
                try #require(process.terminationReason == .exit && process.terminationStatus == 0)
                return printed
            }
            let grown = try #require(Int(String(decoding: printed, as: UTF8.self)))
            #expect(grown < Self.mostMemory, "\(grown) bytes")
        }

        func expectAll() throws {
            let outbox = try open()
            for (id, payload) in promises { #expect(try outbox.open(id).payload == payload) }
            #expect(try outbox.storage.damage(checkingUpTo: .max) == [])
        }

        /// Expects one copy, with the bytes of `log` and the long log's length, and no more room.
        func expectCopy(of log: [UInt8]) throws {
            let copy = path + "-damaged-1"
            let storage = try open().storage
            #expect(try storage.damage(checkingUpTo: .max) == [.dropped(copy: copy)])
            var status = stat()
            try #require(stat(copy, &status) == 0)
            #expect(status.st_size == off_t(Self.length))
            #expect(Int(status.st_blocks) * 512 < log.count + 4 * Self.frameLength)
            let file = try FileHandle(forReadingFrom: URL(filePath: copy))
            #expect(try [UInt8](file.read(upToCount: log.count) ?? Data()) == log)
        }
    }
#endif
