import OfflineFirstTesting
import SyncCore

/// The rules of the tests: items refer to lists.
struct TestRules: SyncRules {
    var policy = ConflictPolicy.newerWins

    func policy(for kind: [UInt8]) -> ConflictPolicy { policy }

    func reference(of field: [UInt8], in kind: [UInt8]) -> [UInt8]? {
        field == Array("list".utf8) ? Array("list".utf8) : nil
    }
}

extension MemorySyncServer {
    /// A server that refuses each change with the value 0xFF.
    static func strict() -> MemorySyncServer {
        let server = MemorySyncServer(pageSize: 3)
        server.refuse { request in
            request.write.fields.contains { $0.value == [0xFF] } ? "forbidden" : nil
        }
        return server
    }

    /// The texts of a field of the server's records, sorted.
    func texts(_ name: String) -> [String] { rows.compactMap { $0.text(name) }.sorted() }
}
