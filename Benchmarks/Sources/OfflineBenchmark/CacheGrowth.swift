import Foundation
import Measurement
import OfflineFirst
import Outbox
import OutboxCore

/// A sealed value of random keys, read from a cache of many entries and from one of a thousand.
struct CacheGrowth {
    private let large: DiskCache
    private let small: DiskCache
    private let count: Int

    init(count: Int, folder: String) throws {
        self.count = count
        large = try Self.filled(count, folder + "/large.sqlite")
        small = try Self.filled(min(1000, count), folder + "/small.sqlite")
    }

    var contenders: [Contender] {
        [reading(large, count, "of \(count)"), reading(small, min(1000, count), "of 1,000")]
    }

    private func reading(_ cache: DiskCache, _ count: Int, _ name: String) -> Contender {
        Contender(name) { rounds in
            var generator = SystemRandomNumberGenerator()
            for _ in 0..<rounds {
                let key = Self.key(Int.random(in: 0..<count, using: &generator))
                let entry = try? cache.entry(for: key)
                precondition(entry?.bytes?.count == 100)
            }
        }
    }

    private static func key(_ number: Int) -> CacheKey {
        CacheKey(place: "values", bytes: Array("\(number)".utf8))
    }

    private static func filled(_ count: Int, _ path: String) throws -> DiskCache {
        let cache = try DiskCache(
            path: path,
            keys: OneKey(key: .random()),
            limits: CacheLimits(entries: count, bytes: .max)
        )
        let value = [UInt8](repeating: 7, count: 100)
        for first in stride(from: 0, to: count, by: 5000) {
            let answers = (first..<min(first + 5000, count)).map {
                CacheAnswer(key: key($0), bytes: value)
            }
            try cache.store(
                answers,
                ticket: try cache.nextTicket(),
                at: OutboxClock.system.wallTime()
            )
        }
        try cache.saveUses()
        try cache.storage.checkpoint()
        return cache
    }
}
