import Foundation
import Outbox
import Testing

@Suite struct FileKeyStoreTests {
    private let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("keys-\(UUID().uuidString)")
    private var path: String { folder.appendingPathComponent("key").path }

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    @Test("the first key is made once, with mode 0600, and read back")
    func made() throws {
        let store = FileKeyStore(path: path)
        #expect(throws: KeyStoreError.missing) { try store.keys(creating: false) }
        let made = try store.keys(creating: true)
        let read = try FileKeyStore(path: path).keys(creating: true)
        #expect(made.map(\.id) == read.map(\.id) && made.map(\.key) == read.map(\.key))
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        #expect(mode as? Int == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["key"])
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
}
