import Measurement
import OutboxCore
import StoreCore
import SyncCore

/// Compares a pull under pending changes with writing the same rows into a dictionary; a cached read with
/// the same by hand, and a large cache with a small one; a durable edit with a bare enqueue; and a pull with
/// sealing and inserting the same rows.
///
/// usage: OfflineBenchmark SAMPLES KEYS FOLDER [PART …]    KEYS: the number of cached values
///        PART: rebase, read, growth, optimistic or pull; all of them if none is named
@main struct OfflineBenchmark {
    private static let rowCount = 1000
    private static let pendingCount = 100
    private static let node = NodeID(high: 1, low: 1)

    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 4, let samples = Int(arguments[1]), samples > 0,
            let keys = Int(arguments[2]), keys > 0
        else { fatalError("usage: OfflineBenchmark SAMPLES KEYS FOLDER [PART …]") }
        let folder = arguments[3]
        let parts = arguments.dropFirst(4)
        let has = { (part: String) in parts.isEmpty || parts.contains(part) }
        if has("rebase") { rebase(samples) }
        if has("read") { try cachedRead(samples, keys, folder) }
        if has("growth") { try growth(samples, keys * 10, folder) }
        if has("optimistic") { try optimistic(samples, folder) }
        if has("pull") { try await pull(keys, folder) }
    }

    private static func growth(_ samples: Int, _ keys: Int, _ folder: String) throws {
        let growth = try CacheGrowth(count: keys, folder: folder)
        let results = alternate(growth.contenders, samples: samples, rounds: [500, 500])
        print("a cached value of \(keys): \(results[0].summary)")
        print("a cached value of 1,000: \(results[1].summary)")
        print("offline.cache_1m_vs_1k: \(formatted(results[0].median / results[1].median)) x")
    }

    private static func optimistic(_ samples: Int, _ folder: String) throws {
        let update = try OptimisticUpdate(folder: folder)
        let results = alternate(update.contenders, samples: samples, rounds: [20, 20, 20])
        print("a durable update: \(results[0].summary)")
        print("Outbox.enqueue: \(results[1].summary)")
        print("an append with a sync: \(results[2].summary)")
        let ratio = results[0].median / results[1].median
        print("offline.optimistic_vs_enqueue: \(formatted(ratio)) x")
    }

    private static func pull(_ count: Int, _ folder: String) async throws {
        let rows = PulledRows(count: count, folder: folder)
        var (pulls, inserts) = (Samples(), Samples())
        for round in 0..<6 {
            let (pull, insert) = try await rows.measure(round)
            guard round > 0 else { continue }
            pulls.append(pull)
            inserts.append(insert)
        }
        print("\(count) rows pulled: \(pulls.summary)")
        print("\(count) rows sealed and inserted: \(inserts.summary)")
        print("offline.pull_vs_insert: \(formatted(pulls.median / inserts.median)) x")
    }

    private static func cachedRead(_ samples: Int, _ keys: Int, _ folder: String) throws {
        let read = try CachedRead(keyCount: keys, folder: folder)
        let rounds = min(2000, keys)
        let results = alternate(read.contenders, samples: samples, rounds: [rounds, rounds])
        let ratio = results[0].median / results[1].median
        print("a cached value of \(keys): \(results[0].summary)")
        print("the same by hand: \(results[1].summary)")
        print("offline.cached_read_vs_hand: \(formatted(ratio)) x")
    }

    private static func rebase(_ samples: Int) {
        // Each round needs rows of a later version; alternate() drops a tenth and one more.
        let pages = (0...samples + samples / 10 + 1).map { page(version: UInt64($0)) }
        let results = alternate(
            [machine(pages), dictionary(pages)],
            samples: samples,
            rounds: [1, 1]
        )
        let ratio = results[0].median / results[1].median
        print("\(rowCount) rows under \(pendingCount) changes: \(results[0].summary)")
        print("\(rowCount) rows into a dictionary: \(results[1].summary)")
        print("offline.rebase_vs_dictionary: \(formatted(ratio)) x")
    }

    static func key(_ number: Int) -> RecordKey {
        // 16 bytes that look random, as a server's identifiers do.
        var word = UInt64(number) &* 0x9E37_79B9_7F4A_7C15
        let id = (0..<16).map { _ in
            word = word &* 6_364_136_223_846_793_005 &+ 1
            return UInt8(truncatingIfNeeded: word >> 56)
        }
        return RecordKey(kind: Array("memo".utf8), id: id)
    }

    private static func page(version: UInt64) -> [Row] {
        (0..<rowCount).map { number in
            let version = version * UInt64(rowCount) + UInt64(number) + 1
            let stamp = Stamp(
                time: WallTime(millisecondsSinceEpoch: Int64(version)),
                id: ChangeID(number: version, node: NodeID(high: 2, low: 2))
            )
            let fields = ["subject", "text"].map {
                Field(name: Array($0.utf8), value: Array("\($0) \(version)".utf8), stamp: stamp)
            }
            return Row(key: key(number), version: version, fields: fields)
        }
    }

    private static func machine(_ pages: [[Row]]) -> Contender {
        var machine = SyncMachine<Rules, NoIndexes<ShownRecord>>(node: node, rules: Rules())
        var rest = pages[...]
        pull(&machine, rest.removeFirst())
        for number in 0..<pendingCount {
            let value = Field(name: Array("subject".utf8), value: [UInt8(number)])
            let now = WallTime(millisecondsSinceEpoch: 1)
            let effects = try? machine.update(key(number * 10), [value], now: now)
            precondition(effects != nil)
        }
        precondition(machine.pendingCount == pendingCount)
        return Contender("SyncMachine") { _ in pull(&machine, rest.removeFirst()) }
    }

    private static func pull(
        _ machine: inout SyncMachine<Rules, NoIndexes<ShownRecord>>,
        _ rows: [Row]
    ) {
        // A shell keeps the records that a screen still shows.
        let before = machine.shown
        for effect in machine.handle(.woken) {
            guard case .pull(let request) = effect else { continue }
            let effects = machine.handle(
                .pulled(
                    request: request.number,
                    .page(rows, cursor: [1], hasMore: false),
                    serverTime: WallTime(millisecondsSinceEpoch: 1)
                )
            )
            consume(effects)
        }
        consume(before)
        precondition(machine.shown.count == rowCount)
    }

    private static func dictionary(_ pages: [[Row]]) -> Contender {
        var rows: [RecordKey: Row] = [:]
        for row in pages[0] { rows[row.key] = row }
        var rest = pages[1...]
        return Contender("Dictionary") { _ in
            write(rest.removeFirst(), into: &rows)
            consume(rows)
        }
    }

    // As `pull(_:_:)` has the machine, this has the dictionary to itself: no access of it is looked at
    // while the program runs.
    private static func write(_ page: [Row], into rows: inout [RecordKey: Row]) {
        for row in page { rows[row.key] = row }
    }
}

struct Rules: SyncRules {
    func policy(for kind: [UInt8]) -> ConflictPolicy { .newerWins }
}
