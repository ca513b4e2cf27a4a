import Foundation
import Outbox
import TemporaryFolders
import Testing

@Suite struct FileKeyStoreTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("key") }

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("the first key is made once, with mode 0600, and read back")
    func made() throws {
        let store = FileKeyStore(path: path)
        #expect(throws: KeyStoreError.missing) { try store.keys(creating: false) }
        let made = try store.keys(creating: true)
        let read = try FileKeyStore(path: path).keys(creating: true)
        let bytes = [made, read].map { $0.map { key in key.withUnsafeBytes { Array($0) } } }
        #expect(made.map(\.id) == read.map(\.id) && bytes[0] == bytes[1])
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        #expect(mode as? Int == 0o600)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names.sorted() == ["key", "key-lock", "key-use"])
        for name in ["key-lock", "key-use"] {
            #expect(try Data(contentsOf: URL(filePath: folder.file(name))).isEmpty)
        }
    }

    @Test("processes that make the first key at once end with the same one")
    func race() async throws {
        let path = path
        let ids = try await withThrowingTaskGroup { tasks in
            for _ in 0..<16 {
                tasks.addTask { try FileKeyStore(path: path).keys(creating: true).map(\.id) }
            }
            return try await tasks.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(ids.count == 1)
    }

    @Test("a key file that others may read or write is refused", arguments: [0o640, 0o604, 0o622])
    func permissions(mode: Int) throws {
        _ = try FileKeyStore(path: path).keys(creating: true)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        #expect(throws: KeyStoreError.permissionsTooWide) {
            try FileKeyStore(path: path).keys(creating: true)
        }
    }

    @Test("a damaged key file is refused, never replaced")
    func damaged() throws {
        _ = try FileKeyStore(path: path).keys(creating: true)
        let good = try Data(contentsOf: URL(filePath: path))
        for index in good.indices {
            var bad = good
            bad[index] ^= 1
            try bad.write(to: URL(filePath: path))
            #expect(throws: KeyStoreError.malformed) {
                try FileKeyStore(path: path).keys(creating: true)
            }
        }
        for length in 0..<good.count {
            try good.prefix(length).write(to: URL(filePath: path))
            #expect(throws: KeyStoreError.malformed) {
                try FileKeyStore(path: path).keys(creating: true)
            }
        }
    }

    @Test("those who add a key at once each add one, and none is lost")
    func added() async throws {
        let path = path
        let first = try FileKeyStore(path: path).keys(creating: true)[0].id
        let added = try await withThrowingTaskGroup { tasks in
            for _ in 0..<16 {
                tasks.addTask { try FileKeyStore(path: path).addKey() }
            }
            return try await tasks.reduce(into: Set()) { $0.insert($1) }
        }
        let keys = try FileKeyStore(path: path).keys(creating: false).map(\.id)
        #expect(keys.first == first)
        #expect(keys.count == 17 && Set(keys) == added.union([first]))
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        #expect(mode as? Int == 0o600)
    }

    @Test("a key is added only to a key that is there")
    func addedToNothing() throws {
        #expect(throws: KeyStoreError.missing) { try FileKeyStore(path: path).addKey() }
        #expect(throws: KeyStoreError.missing) {
            try FileKeyStore(path: path).keys(creating: false)
        }
    }

    @Test("keys are removed only when nobody else has read them, and only those not needed")
    func retired() throws {
        let store = FileKeyStore(path: path)
        let first = try store.keys(creating: true)[0].id
        let second = try store.addKey()
        let third = try store.addKey()
        var other: FileKeyStore? = FileKeyStore(path: path)
        _ = try other?.keys(creating: false)
        #expect(try store.retireKeys { [] } == nil)
        #expect(try store.keys(creating: false).map(\.id) == [first, second, third])
        other = nil
        struct Failure: Error {}
        #expect(throws: Failure.self) { try store.retireKeys { throw Failure() } }
        #expect(try store.retireKeys { [first] } == [second])
        #expect(try store.keys(creating: false).map(\.id) == [first, third])
        // Whoever comes later is not in the way of those who had them before.
        #expect(try FileKeyStore(path: path).retireKeys { [] } == nil)
        #expect(try store.retireKeys { [] } == [first])
    }

    @Test("what a change that was cut short left behind is not a key, and goes with the next")
    func leftover() throws {
        let store = FileKeyStore(path: path)
        let first = try store.keys(creating: true)
        try Data("SMK1".utf8).write(to: URL(filePath: path + ".new"))
        #expect(try store.keys(creating: false).map(\.id) == first.map(\.id))
        _ = try store.addKey()
        #expect(!FileManager.default.fileExists(atPath: path + ".new"))
        #expect(try store.keys(creating: false).count == 2)
    }
}
