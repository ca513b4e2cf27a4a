import StoreCore
import Synchronization
import Testing

@testable import Store

// The time limit ends a test that hangs; no test comes near it.
@Suite("Updates as an asynchronous sequence", .timeLimit(.minutes(60)))
struct UpdatesTests {
    @Test("a loop sees the current value, then every commit, without a gap")
    func seesEveryCommit() async {
        let store = Store(Notes())
        store.commit { $0.count = 1 }
        let commits = Task.detached {
            for count in 2...500 { store.commit { $0.count = count } }
        }
        var last: Changes<Notes>?
        for await changes in store.changes {
            if let last {
                #expect(changes.previous?.count == last.count)
                #expect(changes.version == last.version + 1)
            } else {
                #expect(changes.previous == nil)
            }
            last = changes
            if changes.count == 500 { break }
        }
        await commits.value
    }

    @Test("commits made before the loop asks wait for it")
    func waits() async {
        let store = Store(Notes())
        var iterator = store.changes.makeAsyncIterator()
        for count in 1...3 { store.commit { $0.count = count } }
        var seen: [Int] = []
        for _ in 0..<4 { await seen.append(iterator.next()?.count ?? -1) }
        #expect(seen == [0, 1, 2, 3])
    }

    @Test("a merged backlog holds one element")
    func merges() async {
        let store = Store(Notes())
        var iterator = store.changes(backlog: .merged).makeAsyncIterator()
        for count in 1...3 { store.commit { $0.count = count } }
        let first = await iterator.next()
        #expect(first?.previous == nil)
        #expect(first?.count == 3)
        for count in 4...6 { store.commit { $0.count = count } }
        let second = await iterator.next()
        #expect(second?.previous?.count == 3)
        #expect(second?.count == 6)
    }

    @Test("two loops over one sequence see the same")
    func loopsAreIndependent() async {
        let store = Store(Notes())
        let changes = store.changes
        var first = changes.makeAsyncIterator()
        var second = changes.makeAsyncIterator()
        store.commit { $0.count = 1 }
        for expected in [0, 1] {
            #expect(await first.next()?.count == expected)
            #expect(await second.next()?.count == expected)
        }
    }

    @Test("a loop ends when its task is cancelled, and lets go of the store")
    func endsWithTask() async {
        var store: Store<Notes>? = Store(Notes())
        weak let watched = store
        let (hasBegun, begin) = AsyncStream<Void>.makeStream()
        let loop = Task { [store] in
            var seen = 0
            for await _ in store!.changes {
                seen += 1
                begin.finish()
            }
            return seen
        }
        for await _ in hasBegun {}
        store = nil
        #expect(watched != nil)
        loop.cancel()
        #expect(await loop.value == 1)
        #expect(watched == nil)
    }

    @Test("a task that is cancelled inside a body ends its loop after the body")
    func cancelInsideBody() async {
        let store = Store(Notes())
        let (hasBegun, begin) = AsyncStream<Void>.makeStream()
        let loop = Task {
            var counts: [Int] = []
            for await changes in store.changes {
                counts.append(changes.count)
                begin.finish()
            }
            return counts
        }
        for await _ in hasBegun {}
        store.commit { notes in
            loop.cancel()
            notes.count = 1
        }
        #expect(await loop.value == [0])
        #expect(store.alone { locked, _ in locked.sinks.isEmpty })
    }

    @Test("an iterator that is dropped frees what waited for it")
    func dropFreesInbox() async {
        let store = Store(CommitTests.Alive.Token?.none)
        let alive = CommitTests.Alive()
        var iterator: Updates<Changes<CommitTests.Alive.Token?>>.Iterator? =
            store.changes.makeAsyncIterator()
        for _ in 0..<10 { store.commit { $0 = CommitTests.Alive.Token(alive) } }
        #expect(alive.count.load(ordering: .relaxed) == 10)
        #expect(await iterator?.next()?.version == 0)
        iterator = nil
        #expect(alive.count.load(ordering: .relaxed) == 1)
    }

    @Test("a loop over a Derived sees the current value, then each that differs")
    func derivedValues() async {
        let store = Store(Notes())
        var iterator = store.derived(\.count).values.makeAsyncIterator()
        store.commit { $0.count = 1 }
        store.commit { $0.title = "x" }
        store.commit { $0.count = 2 }
        var seen: [Int] = []
        for _ in 0..<3 { await seen.append(iterator.next() ?? -1) }
        #expect(seen == [0, 1, 2])
    }
}
