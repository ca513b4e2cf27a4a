import Crypto
import Foundation
import Measurement
import OfflineFirst
import Outbox
import OutboxCore
import OutboxSQLite
import SQLite

/// Compares `OfflineFirstRepository.cached(_:)`, from the disk to the decoded value, with the same
/// look-up, AES-GCM open and decoding by hand, over one file.
struct CachedRead {
    private struct List: Codable, Sendable {
        var title: String
        var items: [String]
        var version: Int
    }

    private let keyCount: Int
    private let key = SealingKey.random()
    private let symmetric: SymmetricKey
    private let repository: OfflineFirstRepository<Int, List>
    private let connection: Connection

    /// Fills a cache in a folder.
    init(keyCount: Int, folder: String) throws {
        self.keyCount = keyCount
        symmetric = key.symmetric
        let path = folder + "/cache.sqlite"
        let cache = try DiskCache(path: path, keys: OneKey(key: key))
        let lists = OfflineFirstRepository<Int, List>(
            "lists",
            in: cache,
            keys: .text,
            values: .json,
            fetch: { _ in nil }
        )
        repository = lists
        for first in stride(from: 0, to: keyCount, by: 500) {
            let answers = try (first..<min(first + 500, keyCount)).map { number in
                let list = List(
                    title: "List \(number)",
                    items: ["milk", "bread", "eggs", "\(number) apples"],
                    version: number
                )
                let change = try lists.change(of: number, to: list)
                return CacheAnswer(key: change.key, bytes: change.bytes)
            }
            let outcomes = try cache.store(
                answers,
                ticket: try cache.nextTicket(),
                at: OutboxClock.system.wallTime()
            )
            precondition(outcomes.allSatisfy { $0 == .stored })
        }
        try cache.storage.checkpoint()
        connection = try Connection(path: path)
    }

    var contenders: [Contender] {
        [
            Contender("OfflineFirstRepository") { count in
                forEachKey(count) { number in
                    let known = try repository.cached(number)
                    return known?.value?.version
                }
            },
            Contender("by hand") { count in
                forEachKey(count) { try readByHand($0)?.version }
            },
        ]
    }

    /// Random keys, others in each call.
    private func forEachKey(_ count: Int, _ read: (Int) throws -> Int?) {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<count {
            let number = Int.random(in: 0..<keyCount, using: &generator)
            let version = try? read(number)
            precondition(version == number)
        }
    }

    private func readByHand(_ number: Int) throws -> List? {
        let name = Array("\(number)".utf8)
        let digest = SHA256.hash(data: [5] + Array("lists".utf8) + name)
        let bucket = (digest.prefix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) } >> 4) * 8
        let row = try connection.first(
            """
            SELECT written, source, record FROM cache_values_entry
            WHERE entry BETWEEN ?1 AND ?1 + 7 AND place = ?2 AND key = ?3
            """,
            .integer(Int64(bucket)),
            .text("lists"),
            .blob(name)
        ) { (written: $0.integer(0), source: UInt8($0.integer(1)), record: $0.blob(2)) }
        guard let row else { return nil }
        var context = Array("cache.values".utf8) + [0]
        withUnsafeBytes(of: row.written.bigEndian) { context.append(contentsOf: $0) }
        context.append(row.source)
        context.append(5)
        context.append(contentsOf: "lists".utf8)
        context.append(contentsOf: name)
        let bytes = try AES.GCM.open(
            AES.GCM.SealedBox(combined: row.record[9...]),
            using: symmetric,
            authenticating: SealedRecord.associatedData(keyID: key.id, context: context)
        )
        guard bytes.first == 1 else { return nil }
        return try JSONDecoder().decode(List.self, from: bytes.dropFirst())
    }
}
