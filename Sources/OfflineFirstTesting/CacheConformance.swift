public import OfflineFirst
import Outbox
import OutboxCore
import OutboxTesting

/// The contract of ``/OfflineFirst/ValueCache`` as checks that every cache must pass.
///
/// ```swift
/// @Test(arguments: CacheConformance<MyCache>.checks)
/// func conforms(_ check: CacheConformance<MyCache>.Check) throws {
///     try check.run { try MyCache(path: freshPath, limits: $0) }
/// }
/// ```
public enum CacheConformance<Cache: ValueCache> {
    /// A check of one guarantee.
    public struct Check: Sendable, CustomStringConvertible {
        /// The guarantee, as a sentence.
        public let description: String
        private let limits: CacheLimits
        private let body: @Sendable (Cache, _ seed: UInt64) throws -> Void

        init(
            _ description: String,
            limits: CacheLimits = CacheLimits(),
            body: @escaping @Sendable (Cache, _ seed: UInt64) throws -> Void
        ) {
            self.description = description
            self.limits = limits
            self.body = body
        }

        /// Runs the check on a fresh, empty cache.
        ///
        /// - Parameters:
        ///   - seed: The seed of a check that draws its course of events; the other checks ignore the
        ///     seed. One seed is one course.
        ///   - makeCache: A function that makes the cache with these limits.
        /// - Throws: `ConformanceFailure`, or the error of the cache.
        public func run(
            seed: UInt64 = 1,
            on makeCache: (CacheLimits) throws -> Cache
        ) throws {
            try body(try makeCache(limits), seed)
        }
    }

    /// All checks, in no particular order. Each check runs on a cache of its own.
    public static var checks: [Check] {
        valueChecks + ticketChecks + pendingChecks + roomChecks + endChecks
    }

    private static var valueChecks: [Check] {
        [
            Check("a stored answer comes back with its time, source and ticket") { cache, _ in
                let ticket = try cache.nextTicket()
                try cache.store([answer(1, [1, 2])], ticket: ticket, at: time(5))
                let entry = try cache.entry(for: key(1))
                try expect(
                    entry
                        == CacheEntry(
                            bytes: [1, 2],
                            writtenAt: time(5),
                            source: .server,
                            ticket: ticket,
                            pendingChanges: 0
                        )
                )
                try expect(try cache.entry(for: key(2)) == nil)
            },
            Check("an empty value is a value, and a value known not to exist is an entry") {
                cache,
                _ in
                let ticket = try cache.nextTicket()
                try cache.store([answer(1, []), answer(2, nil)], ticket: ticket, at: time(1))
                try expect(try cache.entry(for: key(1))?.bytes == [])
                let absent = try cache.entry(for: key(2))
                try expect(absent != nil && absent?.bytes == nil)
            },
            Check("equal keys of two places are two values") { cache, _ in
                let other = CacheKey(place: "other", bytes: key(1).bytes)
                let ticket = try cache.nextTicket()
                let answers = [answer(1, [1]), CacheAnswer(key: other, bytes: [2])]
                try cache.store(answers, ticket: ticket, at: time(1))
                try expect(try cache.entry(for: key(1))?.bytes == [1])
                try expect(try cache.entry(for: other)?.bytes == [2])
                try cache.removeAll(in: "other")
                try expect(try cache.entry(for: key(1))?.bytes == [1])
                try expect(try cache.entry(for: other) == nil)
            },
            Check("a place and a key of the greatest length, and none longer") { cache, _ in
                let place = String(repeating: "p", count: CacheKey.maximumPlace)
                let bytes = [UInt8](repeating: 7, count: CacheKey.maximumBytes)
                let longest = CacheKey(place: place, bytes: bytes)
                let stored = CacheAnswer(key: longest, bytes: [1])
                try cache.store([stored], ticket: try cache.nextTicket(), at: time(1))
                try expect(try cache.entry(for: longest)?.bytes == [1])
                for key in [
                    CacheKey(place: place + "p", bytes: []), CacheKey(place: "", bytes: [1]),
                    CacheKey(place: "p", bytes: bytes + [7]),
                ] {
                    try expectThrow(.invalidKey) { _ = try cache.entry(for: key) }
                    try expectThrow(.invalidKey) {
                        try cache.apply([CacheChange(key: key, bytes: nil)], at: time(1))
                    }
                }
            },
            Check("a value of one mebibyte comes back byte for byte") { cache, _ in
                let bytes = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 7) }
                let ticket = try cache.nextTicket()
                try expect(
                    try cache.store([answer(1, bytes)], ticket: ticket, at: time(1)) == [.stored]
                )
                try expect(try cache.entry(for: key(1))?.bytes == bytes)
            },
            Check("a time before 1970 comes back") { cache, _ in
                let ticket = try cache.nextTicket()
                try cache.store([answer(1, [1])], ticket: ticket, at: time(-9))
                try expect(try cache.entry(for: key(1))?.writtenAt == time(-9))
            },
            Check("hits, misses and entries are counted") { cache, _ in
                let ticket = try cache.nextTicket()
                try cache.store([answer(1, [1]), answer(2, nil)], ticket: ticket, at: time(1))
                _ = try cache.entry(for: key(1))
                _ = try cache.entry(for: key(2))
                _ = try cache.entry(for: key(3))
                let counts = try cache.counts()
                try expect(counts.entries == 2 && counts.pending == 0)
                try expect(counts.hits == 2 && counts.misses == 1 && counts.unreadable == 0)
                try expect(counts.bytes >= 2 * CacheLimits.overhead && counts.evicted == 0)
                try cache.removeAll(in: nil)
                let none = try cache.counts()
                try expect(none.entries == 0 && none.bytes == 0)
            },
        ]
    }

    private static var endChecks: [Check] {
        [
            Check("a closed cache refuses every call, and is closed once more") { cache, _ in
                let ticket = try cache.nextTicket()
                cache.close()
                let calls: [() throws -> Void] = [
                    { _ = try cache.entry(for: key(1)) }, { _ = try cache.nextTicket() },
                    { try cache.store([answer(1, [1])], ticket: ticket, at: time(1)) },
                    { try cache.apply([change(1, [1])], at: time(1)) },
                    { _ = try cache.settle(key(1)) }, { _ = try cache.discard(key(1)) },
                    { try cache.removeAll(in: nil) }, { _ = try cache.localKeys(in: "place") },
                    { _ = try cache.counts() }, { try cache.saveUses() },
                ]
                for call in calls { try expectThrow(.storage(.closed), call) }
                cache.close()
            },
            Check(
                "any course of calls has the outcome of the simplest cache",
                limits: CacheLimits(entries: 6, bytes: 1 << 20, value: 40)
            ) { cache, seed in
                try compare(cache, with: MemoryCache(limits: cache.limits), seed: seed)
            },
        ]
    }

    /// Performs random calls on both, and compares every answer.
    private static func compare(_ cache: Cache, with model: MemoryCache, seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var tickets = [try cache.nextTicket()]
        try expect(try model.nextTicket() == tickets[0])
        for step in 0..<600 {
            let number = Int.random(in: 1...9, using: &random)
            let bytes: [UInt8]? =
                Int.random(in: 0..<5, using: &random) == 0
                ? nil : (0..<Int.random(in: 0...44, using: &random)).map { UInt8($0) }
            let circumstances = "seed \(seed), step \(step)"
            switch Int.random(in: 0..<12, using: &random) {
            case 0...3:
                try expect(
                    try cache.entry(for: key(number)) == model.entry(for: key(number)),
                    circumstances
                )
            case 4, 5:
                tickets.append(try cache.nextTicket())
                try expect(try model.nextTicket() == tickets.last, circumstances)
            case 6, 7, 8:
                let ticket = tickets.randomElement(using: &random)!
                let answers = [answer(number, bytes), answer(number % 9 + 1, [UInt8(number)])]
                let expected = try model.store(answers, ticket: ticket, at: time(step))
                try expect(
                    try cache.store(answers, ticket: ticket, at: time(step)) == expected,
                    circumstances
                )
            case 9:
                let isPending = Bool.random(using: &random)
                let change = CacheChange(key: key(number), bytes: bytes, isPending: isPending)
                let expected = failure { () throws(CacheError) in
                    try model.apply([change], at: time(step))
                }
                try expect(
                    failure { () throws(CacheError) in try cache.apply([change], at: time(step)) }
                        == expected,
                    circumstances
                )
            case 10:
                try expect(
                    try cache.settle(key(number)) == model.settle(key(number)),
                    circumstances
                )
            default:
                guard Int.random(in: 0..<4, using: &random) == 0 else {
                    try cache.saveUses()
                    continue
                }
                try expect(
                    try cache.discard(key(number)) == model.discard(key(number)),
                    circumstances
                )
            }
            let (counts, expected) = (try cache.counts(), try model.counts())
            try expect(
                counts.entries == expected.entries && counts.pending == expected.pending
                    && counts.evicted == expected.evicted,
                circumstances
            )
            try expect(
                try cache.localKeys(in: "place") == model.localKeys(in: "place"),
                circumstances
            )
        }
    }

    private static func failure(_ body: () throws(CacheError) -> Void) -> CacheError? {
        do {
            try body()
            return nil
        } catch {
            return error
        }
    }

    // MARK: What the checks are made of

    static func key(_ number: Int) -> CacheKey {
        CacheKey(place: "place", bytes: [UInt8(truncatingIfNeeded: number), 0, 255])
    }

    static func answer(_ number: Int, _ bytes: [UInt8]?) -> CacheAnswer {
        CacheAnswer(key: key(number), bytes: bytes)
    }

    static func change(_ number: Int, _ bytes: [UInt8]?, isPending: Bool = true) -> CacheChange {
        CacheChange(key: key(number), bytes: bytes, isPending: isPending)
    }

    static func time(_ number: Int) -> WallTime {
        WallTime(millisecondsSinceEpoch: Int64(number))
    }

    /// Stores an answer to a request that begins now.
    static func fill(_ cache: Cache, _ numbers: Int...) throws {
        for number in numbers {
            let ticket = try cache.nextTicket()
            try cache.store([answer(number, [UInt8(number)])], ticket: ticket, at: time(1))
        }
    }

    /// The numbers of those values that the cache has. Looking is a use.
    static func present(_ cache: Cache, _ numbers: [Int]) throws -> [Int] {
        try numbers.filter { try cache.entry(for: key($0)) != nil }
    }

    static func expect(
        _ condition: @autoclosure () throws -> Bool,
        _ circumstances: String? = nil,
        file: String = #fileID,
        line: UInt = #line
    ) throws {
        guard try condition() else {
            throw ConformanceFailure(file: file, line: line, circumstances: circumstances)
        }
    }

    static func expectThrow(
        _ expected: CacheError,
        file: String = #fileID,
        line: UInt = #line,
        _ body: () throws -> Void
    ) throws {
        do {
            try body()
        } catch let error as CacheError where error == expected {
            return
        }
        throw ConformanceFailure(file: file, line: line, circumstances: nil)
    }
}
