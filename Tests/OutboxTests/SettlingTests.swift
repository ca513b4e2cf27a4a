import Outbox
import OutboxCore
import OutboxTesting
import Synchronization
import Testing

/// Outcomes that come at once. A seed chooses the order of what happens at the same moment.
@Suite(.timeLimit(.minutes(60))) struct SettlingTests {
    private static let seeds: ClosedRange<UInt64> = 1...24

    @Test("outcomes that have come meanwhile are stored together, each operation's once")
    func together() throws {
        var stores = 0
        for seed in Self.seeds {
            let world = try SimulatedDrain(seed: seed, operations: 30)
            let scheduler = world.scheduler
            world.run(until: .seconds(1)) { number in
                if seed % 2 == 0 || number % 3 == 0 { await scheduler.sleep(Milliseconds(0)) }
                return .done
            }
            #expect(world.isDrained, "seed \(seed)")
            #expect(world.ids.allSatisfy { world.attempts[$0] == 1 }, "seed \(seed)")
            #expect(world.ids.allSatisfy { world.logged(.delivered, $0) == 1 }, "seed \(seed)")
            #expect(try world.outbox.counts() == OutboxCounts(), "seed \(seed)")
            stores += world.storage.stores
        }
        // One store for each outcome is 30 a seed: a quarter fewer shows that outcomes share one.
        #expect(stores < Self.seeds.count * 30 * 3 / 4)
    }

    @Test("an outcome that cannot be stored holds back no other that comes with it")
    func refused() throws {
        for seed in Self.seeds {
            let world = try SimulatedDrain(seed: seed, operations: 9)
            world.storage.refuse([world.ids[1]])
            world.scheduler.after(.seconds(20)) { world.storage.refuse([]) }
            let scheduler = world.scheduler
            world.run(until: Milliseconds(500)) { _ in
                if seed % 2 == 0 { await scheduler.sleep(Milliseconds(0)) }
                return .done
            }
            #expect(try world.outbox.counts() == OutboxCounts(queued: 1), "seed \(seed)")
            #expect(try world.envelope(1) != nil, "seed \(seed)")
            world.scheduler.run(until: .seconds(60))
            #expect(world.isDrained, "seed \(seed)")
            #expect(try world.outbox.counts() == OutboxCounts(), "seed \(seed)")
            #expect(world.ids.allSatisfy { world.attempts[$0] == 1 }, "seed \(seed)")
            #expect(world.ids.allSatisfy { world.logged(.delivered, $0) == 1 }, "seed \(seed)")
            for (number, id) in world.ids.enumerated() {
                let isHeldBack = world.logged(.outcomeNotStored, id) > 0
                #expect(isHeldBack == (number == 1), "seed \(seed)")
            }
        }
    }

    @Test("what a damaged storage cannot change is attempted once, and keeps no other from it")
    func damaged() throws {
        for seed in Self.seeds {
            let world = try SimulatedDrain(seed: seed, operations: 12)
            let (corrupt, stuck) = (Set(world.ids[0..<4]), Set(world.ids[4..<8]))
            world.storage.damage(corrupt: corrupt, stuck: stuck)
            let scheduler = world.scheduler
            world.run(until: .seconds(60)) { number in
                if seed % 2 == 0 { await scheduler.sleep(Milliseconds(0)) }
                return number == 0 || number == 4 ? .retry("failed") : .done
            }
            #expect(world.isDrained, "seed \(seed)")
            #expect(world.ids.allSatisfy { world.attempts[$0] == 1 }, "seed \(seed)")
            for id in world.ids {
                let isDamaged = corrupt.contains(id) || stuck.contains(id)
                #expect(world.logged(.leftAlone, id) == (isDamaged ? 1 : 0), "seed \(seed)")
            }
            #expect(try world.outbox.counts() == OutboxCounts(queued: 8), "seed \(seed)")
            #expect(try world.outbox.state().inFlight == 0, "seed \(seed)")
        }
    }

    @Test("what was deleted during its attempt does not count as damaged")
    func deletedMeanwhile() throws {
        for seed in Self.seeds {
            let world = try SimulatedDrain(seed: seed, operations: 3)
            world.run(until: .seconds(1)) { number in
                if number == 1 { try? world.outbox.delete(world.ids[1]) }
                return .done
            }
            #expect(world.isDrained, "seed \(seed)")
            #expect(world.ids.allSatisfy { world.logged(.leftAlone, $0) == 0 }, "seed \(seed)")
            #expect(try world.outbox.counts() == OutboxCounts(), "seed \(seed)")
        }
    }

    @Test("a stop among outcomes lets what was delivered settle, and ends the drain")
    func stopped() throws {
        var failuresThatCount: Set<UInt32> = []
        for seed in Self.seeds {
            let world = try SimulatedDrain(seed: seed, operations: 4)
            let scheduler = world.scheduler
            world.cancel(after: .seconds(1))
            world.run(until: .seconds(2), .cancelled) { number in
                // The first two end when the stop comes, the third because of it.
                await scheduler.sleep(.seconds(number == 2 ? 1000 : 1))
                return number == 0 ? .done : .retry("failed")
            }
            #expect(world.isDrained, "seed \(seed)")
            #expect(try world.envelope(0) == nil, "seed \(seed)")
            let failed = try #require(try world.envelope(1))
            failuresThatCount.insert(failed.attemptCount)
            #expect((failed.attemptCount == 1) == (failed.lastError != nil), "seed \(seed)")
            #expect(try world.envelope(2)?.attemptCount == 0, "seed \(seed)")
            #expect(try world.outbox.counts() == OutboxCounts(queued: 3), "seed \(seed)")
        }
        #expect(failuresThatCount == [0, 1])
    }

    @Test("the network's return also ends the wait of what failed just before it")
    func networkReturned() throws {
        var attempts: Set<Int> = []
        for seed in Self.seeds {
            let world = try SimulatedDrain(seed: seed, operations: 3)
            let scheduler = world.scheduler
            let isBack = Mutex(false)
            scheduler.after(.seconds(1)) {
                isBack.withLock { $0 = true }
                world.outbox.networkReturned()
            }
            let failed = Mutex(0)
            world.run(until: Milliseconds(1900)) { _ in
                await scheduler.sleep(.seconds(1))
                guard !isBack.withLock({ $0 }) else { return .done }
                failed.withLock { $0 += 1 }
                return .retryOnNetwork("offline")
            }
            // They are being attempted again; the network was away for nobody else.
            let again = world.ids.count { world.attempts[$0] == 2 }
            #expect(again == failed.withLock { $0 }, "seed \(seed)")
            attempts.insert(again)
        }
        #expect(attempts.count > 1)
    }
}
