import Dispatch
import Foundation
import Store
import StoreCore

/// Two stores, the second of which follows the first, watchers for the whole round, and threads
/// that do random things: commit, fail to commit, subscribe and cancel, read, derive, loop.
final class Round: Sendable {
    private let seed: UInt64
    private let threads: Int
    private let steps = 300
    private let store = Store(World(), name: "first")
    private let follower = Store(0, name: "follower")
    private let commits: Derived<Int>
    private let both: Derived<Int>
    private let queue = DispatchQueue(label: "store.stress", attributes: .concurrent)
    private let found = Kept<[String]>([])
    private let counted = Kept(Tally())

    init(seed: UInt64, threads: Int) {
        self.seed = seed
        self.threads = threads
        commits = store.derived(\.commits)
        both = Derived.combine(commits.map { $0 * 2 }, follower.derived(\.self)) { $0 + $1 }
    }

    var violations: [String] { found.withLock { $0 } }

    func run() -> Tally {
        let staying = stay()
        let following = store.sinkState { changes in
            self.follower.commit { $0 = max($0, changes.commits) }
        }
        let loopHasEnded = DispatchSemaphore(value: 0)
        let loop = Task {
            await self.loop()
            loopHasEnded.signal()
        }
        let group = DispatchGroup()
        for index in 0..<threads {
            group.enter()
            let thread = Thread {
                self.work(index)
                group.leave()
            }
            thread.start()
        }
        group.wait()
        conclude(staying)
        loop.cancel()
        // A loop ends at once; 20 seconds pass only for a loop that hangs.
        if loopHasEnded.wait(timeout: .now() + .seconds(20)) == .timedOut {
            report("a loop did not end with its task")
        }
        following.cancel()
        for (watcher, subscription) in staying { end(watcher, subscription) }
        return counted.withLock { $0 }
    }

    /// Subscriptions for the whole round, on different executors.
    private func stay() -> [(Watcher, Subscription)] {
        (0..<3).map { kind in
            let watcher = Watcher(report: report)
            let subscription =
                switch kind {
                case 0: store.sinkState { watcher.see($0, isMerged: false) }
                case 1: store.sinkState(on: queue) { watcher.see($0, isMerged: false) }
                default:
                    store.sinkState(on: queue, backlog: .merged) { watcher.see($0, isMerged: true) }
                }
            return (watcher, subscription)
        }
    }

    /// When all threads have ended, everything that they did has been told.
    private func conclude(_ staying: [(Watcher, Subscription)]) {
        let expected = counted.withLock { $0.commits }
        let state = store.state
        if state.commits != expected {
            report("\(expected) commits, \(state.commits) in the state")
        }
        if !state.isWhole { report("the last state is not whole") }
        if follower.state != expected { report("the following store stopped at \(follower.state)") }
        if both.value != expected * 3 { report("a combination is out of date") }
        if staying[0].0.version != UInt64(expected) { report("the last update was not told") }
        // A queue delivers soon; 20 seconds pass only for an update that never comes.
        for (watcher, _) in staying.dropFirst() {
            let deadline = ContinuousClock.now + .seconds(20)
            while watcher.version != UInt64(expected) {
                if ContinuousClock.now > deadline {
                    report("an executor was never told the last update")
                    break
                }
                Thread.sleep(forTimeInterval: 0.001)
            }
        }
    }

    private func loop() async {
        let watcher = Watcher(report: report)
        for await changes in store.changes { watcher.see(changes, isMerged: false) }
        counted.withLock { $0.deliveries += watcher.deliveries }
    }

    private func work(_ index: Int) {
        var random = SeededRandom(seed: seed &* 1_000 &+ UInt64(index))
        var held: [(Watcher, Subscription)] = []
        for _ in 0..<steps {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4: commit(&random)
            case 4: fail(&random)
            case 5: held.append(subscribe(&random))
            case 6:
                guard !held.isEmpty else { break }
                let (watcher, subscription) =
                    held.remove(at: .random(in: 0..<held.count, using: &random))
                end(watcher, subscription)
            case 7:
                let before = store.commits
                if commits.value < before { report("a Derived was older than the state") }
            case 8: if both.value < 0 { report("a combination is negative") }
            default: if !store.read({ $0.isWhole }) { report("a read saw half a commit") }
            }
        }
        for (watcher, subscription) in held { end(watcher, subscription) }
    }

    private func commit(_ random: inout SeededRandom) {
        let amount = Int.random(in: 1...3, using: &random)
        let cell = Int.random(in: 0..<World.size, using: &random)
        store.commit { $0.add(amount, to: cell) }
        counted.withLock { $0.commits += 1 }
    }

    private func fail(_ random: inout SeededRandom) {
        let cell = Int.random(in: 0..<World.size, using: &random)
        do {
            try store.commit { world throws(Refusal) in
                world.add(1_000_000, to: cell)
                throw Refusal()
            }
            report("a commit that threw returned")
        } catch {}
    }

    private func subscribe(_ random: inout SeededRandom) -> (Watcher, Subscription) {
        let watcher = Watcher(report: report)
        let cell = EntityID<Cell>(Int.random(in: 0..<World.size, using: &random))
        counted.withLock { $0.subscriptions += 1 }
        let subscription =
            switch Int.random(in: 0..<6, using: &random) {
            case 0: store.sinkState { watcher.see($0, isMerged: false) }
            case 1: store.sinkState(on: queue) { watcher.see($0, isMerged: false) }
            case 2: store.sinkState(backlog: .merged) { watcher.see($0, isMerged: true) }
            case 3: commits.sinkValue { watcher.see(value: $0) }
            case 4: store.sinkEntity(\.cells, cell) { watcher.see($0) }
            default:
                store.sinkGroup(\.cells, \.byParity, 1) { changes in
                    if !changes.current.isWhole { self.report("a group saw half a commit") }
                }
            }
        return (watcher, subscription)
    }

    private func end(_ watcher: Watcher, _ subscription: Subscription) {
        subscription.cancel()
        watcher.end()
        counted.withLock { $0.deliveries += watcher.deliveries }
    }

    private func report(_ violation: String) {
        found.withLock { $0.append(violation) }
    }
}
