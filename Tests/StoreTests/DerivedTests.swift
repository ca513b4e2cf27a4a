import Dispatch
import Store
import Synchronization
import Testing

@Suite("Derived")
struct DerivedTests {
    @Test("a value is there for the state as it is")
    func isUpToDate() {
        let store = Store(Notes())
        let count = store.derived(\.count)
        let length = store.derived { $0.title.count }
        let upper = store.derived(\.title) { $0.uppercased() }
        #expect(count.value == 0)
        store.commit {
            $0.count = 2
            $0.title = "abc"
        }
        #expect(count.value == 2)
        #expect(length.value == 3)
        #expect(upper.value == "ABC")
    }

    @Test("memoised before: the transform runs only when its input has become unequal")
    func memoisesBefore() {
        let store = Store(Notes())
        let runs = Atomic(0)
        let upper = store.derived(\.title) { title in
            runs.add(1, ordering: .relaxed)
            return title.uppercased()
        }
        for count in 0..<10 {
            store.commit { $0.count = count }
            #expect(upper.value == "")
        }
        #expect(runs.load(ordering: .relaxed) == 1)
        store.commit { $0.title = "a" }
        #expect(upper.value == "A")
        #expect(runs.load(ordering: .relaxed) == 2)
        #expect(upper.counters.hits == 9)
        #expect(upper.counters.misses == 2)
    }

    @Test("a value that was another between two commits, and was only read then, is not told again")
    func tellsWhatDiffers() {
        let (store, outer) = (Store(Notes()), Store(Notes()))
        let count = store.derived(\.count)
        let told = Record<Int>()
        let subscription = count.sinkValue { told.append($0) }
        // Handlers wait for the end of the outer commit.
        outer.commit { _ in
            store.commit { $0.count = 1 }
            #expect(count.value == 1)
            store.commit { $0.count = 0 }
        }
        #expect(told.elements == [0])
        store.commit { $0.count = 2 }
        #expect(told.elements == [0, 2])
        subscription.cancel()
    }

    @Test("memoised after: nobody is told of a value that equals the last one")
    func memoisesAfter() {
        let store = Store(Notes())
        let isEven = store.derived(\.count) { $0.isMultiple(of: 2) }
        let told = Record<Bool>()
        let runs = Atomic(0)
        let text = isEven.map { isEven in
            runs.add(1, ordering: .relaxed)
            return "\(isEven)"
        }
        let subscription = isEven.sinkValue { told.append($0) }
        #expect(text.value == "true")
        for count in [2, 4, 5, 7, 8] {
            store.commit { $0.count = count }
            _ = text.value
        }
        #expect(told.elements == [true, false, true])
        #expect(runs.load(ordering: .relaxed) == 3)
        withExtendedLifetime(subscription) {}
    }

    @Test("computed once for a hundred subscribers, and for the derivations from it")
    func computesOnceForSubscribers() {
        let store = Store(Notes())
        let runs = Atomic(0)
        let derived = store.derived(\.count) { count in
            runs.add(1, ordering: .relaxed)
            return count * 2
        }
        let told = Atomic(0)
        var subscriptions = (0..<100).map { _ in
            derived.sinkValue { _ in told.add(1, ordering: .relaxed) }
        }
        subscriptions.append(derived.map { $0 + 1 }.sinkValue { _ in })
        subscriptions.append(derived.map { $0 + 2 }.sinkValue { _ in })
        #expect(runs.load(ordering: .relaxed) == 1)
        store.commit { $0.count = 1 }
        #expect(runs.load(ordering: .relaxed) == 2)
        #expect(told.load(ordering: .relaxed) == 200)
        withExtendedLifetime(subscriptions) {}
    }

    @Test("computed once for threads that ask at the same time")
    func computesOnceForThreads() {
        let store = Store(Notes())
        let runs = Atomic(0)
        let derived = store.derived(\.count) { count in
            runs.add(1, ordering: .relaxed)
            return count * 2
        }
        for round in 1...50 {
            store.commit { $0.count = round }
            onThreads(4) { _ in #expect(derived.value == round * 2) }
        }
        #expect(runs.load(ordering: .relaxed) == 50)
    }

    @Test("a commit made while the transform runs is in the next value")
    func noticesCommitMeanwhile() {
        let store = Store(Notes())
        let hasBegun = DispatchSemaphore(value: 0)
        let mayEnd = DispatchSemaphore(value: 0)
        let derived = store.derived { notes in
            if notes.count == 0 {
                hasBegun.signal()
                mayEnd.wait()
            }
            return notes.count
        }
        onThreads(2) { index in
            if index == 0 {
                #expect(derived.value == 0)
                #expect(derived.value == 1)
            } else {
                hasBegun.wait()
                store.commit { $0.count = 1 }
                mayEnd.signal()
            }
        }
    }

    @Test("values of several stores are combined, and the transform runs only when one differs")
    func combines() {
        let store = Store(Notes())
        let other = Store(Notes())
        let runs = Atomic(0)
        let line = Derived.combine(
            store.derived(\.count),
            store.derived(\.title),
            other.derived(\.count)
        ) { count, title, otherCount in
            runs.add(1, ordering: .relaxed)
            return "\(count) \(title) \(otherCount)"
        }
        let told = Record<String>()
        let subscription = line.sinkValue { told.append($0) }
        store.commit { $0.count = 1 }
        other.commit { $0.count = 2 }
        other.commit { $0.title = "unseen" }
        store.commit { $0.title = "t" }
        #expect(line.value == "1 t 2")
        #expect(told.elements == ["0  0", "1  0", "1  2", "1 t 2"])
        #expect(runs.load(ordering: .relaxed) == 4)
        withExtendedLifetime(subscription) {}
    }

    @Test("a combination of two parts of one state never shows one old and one new")
    func combinesWithoutGlitches() {
        let store = Store(Notes())
        let sum = Derived.combine(store.derived(\.count), store.derived { -$0.count }) { $0 + $1 }
        let told = Record<Int>()
        let subscription = sum.sinkValue { told.append($0) }
        for count in 1...20 { store.commit { $0.count = count } }
        #expect(told.elements == [0])
        withExtendedLifetime(subscription) {}
    }

    @Test("nothing is computed until somebody asks or subscribes, nor after the last one is gone")
    func isLazy() {
        let store = Store(Notes())
        let derived = store.derived(\.count) { $0 * 2 }
        store.commit { $0.count = 1 }
        #expect(derived.counters.misses == 0)
        derived.sinkValue { _ in }.cancel()
        let before = derived.counters
        store.commit { $0.count = 2 }
        #expect(derived.counters == before)
        #expect(derived.value == 4)
    }

    @Test("with the last subscriber the store lets go of the Derived, and it of the store")
    func releasesUpstream() {
        let watchedStore = Record<Weak<Store<Notes>>>()
        let watchedDerived = Record<Weak<Derived<Int>>>()
        do {
            let store = Store(Notes())
            watchedStore.append(Weak(object: store))
            var subscriptions: [Subscription] = []
            do {
                let derived = store.derived(\.count).map { $0 + 1 }
                watchedDerived.append(Weak(object: derived))
                subscriptions = [derived.sinkValue { _ in }, derived.sinkValue { _ in }]
            }
            subscriptions.removeLast()
            #expect(watchedDerived.elements[0].object != nil)
            subscriptions.removeLast()
            #expect(watchedDerived.elements[0].object == nil)
            store.commit { $0.count = 1 }
        }
        #expect(watchedStore.elements[0].object == nil)
    }

    struct Weak<Object: AnyObject & Sendable>: Sendable {
        weak let object: Object?
    }

    @Test("a handler of a Derived that commits hears of the new value afterwards")
    func deliversReentrantCommits() {
        let store = Store(Notes())
        let told = Record<Int>()
        let subscription = store.derived(\.count).sinkValue { count in
            if count < 3 { store.commit { $0.count += 1 } }
            told.append(count)
        }
        #expect(told.elements == [0, 1, 2, 3])
        withExtendedLifetime(subscription) {}
    }

    @Test("a read between commit and delivery does not swallow the delivery")
    func readDoesNotSwallow() {
        let store = Store(Notes())
        let derived = store.derived(\.count)
        let told = Record<Int>()
        let early = store.sinkState { _ in _ = derived.value }
        let subscription = derived.sinkValue { told.append($0) }
        store.commit { $0.count = 1 }
        #expect(told.elements == [0, 1])
        withExtendedLifetime((early, subscription)) {}
    }
}
