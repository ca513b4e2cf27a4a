import OutboxCore
import Testing

@testable import RelayRules

/// Every course of a few relays over a few shards, in which each acts on what it read at any earlier time.
@Suite("The shares of shards")
struct ShardShareTests {
    /// What the database has, and what each relay has decided and not done yet.
    private struct World: Hashable {
        var holders: [Int?]
        var relays: Set<Int> = []
        var decided: [ShardShare?]

        init(shards: Int, relays: Int) {
            holders = Array(repeating: nil, count: shards)
            decided = Array(repeating: nil, count: relays)
        }

        /// A relay says that it is there, reads, and decides.
        mutating func look(_ relay: Int) {
            relays.insert(relay)
            decided[relay] = ShardShare(of: relay, among: relays, holders: holders)
        }

        /// A relay does what it has decided, as far as the database lets it.
        mutating func act(_ relay: Int) {
            guard let share = decided[relay] else { return }
            decided[relay] = nil
            for shard in share.claims where holders[shard] == nil { holders[shard] = relay }
            for shard in share.returns where holders[shard] == relay { holders[shard] = nil }
        }

        /// The leases of a relay are over, or given back.
        mutating func end(_ relay: Int) {
            relays.remove(relay)
            holders = holders.map { $0 == relay ? nil : $0 }
        }

        var next: [World] {
            decided.indices.flatMap { relay in
                let changes: [(inout World) -> Void] = [
                    { $0.look(relay) }, { $0.act(relay) }, { $0.end(relay) },
                ]
                return changes.map { change in
                    var world = self
                    change(&world)
                    return world
                }
            }
        }

        func shares(of relays: [Int]) -> [Int] {
            relays.map { relay in holders.count { $0 == relay } }.sorted()
        }
    }

    private static func reachable(shards: Int, relays: Int) -> Set<World> {
        var found: Set<World> = [World(shards: shards, relays: relays)]
        var last = found
        while !last.isEmpty {
            last = Set(last.flatMap(\.next)).subtracting(found)
            found.formUnion(last)
        }
        return found
    }

    @Test(
        "from wherever relays are, those that stay have even shares after three rounds, and keep them",
        arguments: [(1, 2), (2, 2), (4, 2), (1, 3), (2, 3)]
    )
    func even(shards: Int, relays: Int) {
        let worlds = Self.reachable(shards: shards, relays: relays)
        let even = (1...relays).map { count in
            (0..<count).map { (shards + $0) / count }
        }
        for world in worlds {
            for subset in 1..<(1 << relays) {
                let staying = (0..<relays).filter { subset & 1 << $0 != 0 }
                var world = world
                for relay in 0..<relays where !staying.contains(relay) {
                    world.decided[relay] = nil
                    world.end(relay)
                }
                func goRound() {
                    for relay in staying {
                        world.act(relay)
                        world.look(relay)
                        world.act(relay)
                    }
                }
                for _ in 0..<3 { goRound() }
                #expect(world.shares(of: staying) == even[staying.count - 1])
                let settled = world
                goRound()
                #expect(world == settled)
            }
        }
    }

    @Test(
        "a relay that comes gets its share and nothing else moves; one that goes leaves its share alone"
    )
    func moves() {
        var world = World(shards: MailShard.count, relays: 3)
        func settle(_ relays: Range<Int>) -> Int {
            let before = world.holders
            for _ in 0..<3 {
                for relay in relays {
                    world.look(relay)
                    world.act(relay)
                }
            }
            return zip(before, world.holders).count { $0 != $1 }
        }
        #expect(settle(0..<1) == 64)
        #expect(settle(0..<2) == 32)
        #expect(settle(0..<3) == 21)
        #expect(world.shares(of: [0, 1, 2]) == [21, 21, 22])
        world.end(2)
        #expect(settle(0..<2) == 21)
        #expect(world.shares(of: [0, 1]) == [32, 32])
    }

    @Test("relays that claim at once begin with different shards")
    func beginnings() {
        let holders = [Int?](repeating: nil, count: MailShard.count)
        let claims = (0..<3).map {
            ShardShare(of: $0, among: [0, 1, 2], holders: holders).claims
        }
        #expect(claims.map(\.count) == [22, 21, 21])
        #expect(Set(claims.joined()).count >= 63)
    }

    @Test("all mails of an account are in one of 64 shards, by its random bits")
    func shard() {
        let shards = (0..<128).map { number in
            MailShard.shard(of: AccountID(bits: OperationID(high: 7, low: UInt64(number))))
        }
        #expect(shards == Array(0..<64) + Array(0..<64))
    }
}
