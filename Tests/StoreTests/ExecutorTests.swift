import Dispatch
import Store
import StoreCore
import Synchronization
import Testing

// The time limit ends a test that hangs; no test comes near it.
@Suite("Executor", .timeLimit(.minutes(60)))
struct ExecutorTests {
    @Test("handlers on the main actor are isolated to it, and hear of every commit in order")
    @MainActor
    func mainActor() async {
        let store = Store(Notes())
        var seen: [Int] = []
        await withCheckedContinuation { done in
            let own = Record<Subscription>()
            own.append(
                store.sinkState(on: MainActor.shared) { changes in
                    seen.append(changes.count)
                    if changes.count == 100 {
                        own.elements.first?.cancel()
                        done.resume()
                    }
                }
            )
            Task.detached { for count in 1...100 { store.commit { $0.count = count } } }
        }
        #expect(seen == Array(0...100))
    }

    actor Collector {
        private(set) var seen: [Int] = []
        func append(_ count: Int) { seen.append(count) }
    }

    @Test("handlers on an actor are isolated to it")
    func otherActor() async {
        let store = Store(Notes())
        let collector = Collector()
        let (done, finish) = AsyncStream<Void>.makeStream()
        let subscription = store.sinkState(on: .actor(collector)) { changes in
            collector.assumeIsolated { $0.append(changes.count) }
            if changes.count == 100 { finish.finish() }
        }
        for count in 1...100 { store.commit { $0.count = count } }
        for await _ in done {}
        #expect(await collector.seen == Array(0...100))
        withExtendedLifetime(subscription) {}
    }

    @Test("handlers on a concurrent queue still run one at a time, in order")
    func concurrentQueue() {
        let store = Store(Notes())
        let queue = DispatchQueue(label: "store.tests", attributes: .concurrent)
        let seen = Record<Int>()
        let running = Atomic(0)
        let done = DispatchSemaphore(value: 0)
        let subscription = store.sinkState(on: queue) { changes in
            let others = running.add(1, ordering: .relaxed).oldValue
            #expect(others == 0)
            seen.append(changes.count)
            running.subtract(1, ordering: .relaxed)
            if changes.count == 1_000 { done.signal() }
        }
        for count in 1...1_000 { store.commit { $0.count = count } }
        done.wait()
        #expect(seen.elements == Array(0...1_000))
        withExtendedLifetime(subscription) {}
    }

    @Test("a merged backlog says in one delivery what it held, and loses no change")
    func mergedBacklog() {
        let store = Store(Notes())
        let queue = DispatchQueue(label: "store.tests")
        let isOpen = DispatchSemaphore(value: 0)
        let done = DispatchSemaphore(value: 0)
        let seen = Record<Changes<Notes>>()
        let subscription = store.sinkState(on: queue, backlog: .merged) { changes in
            isOpen.wait()
            seen.append(changes)
            if changes.count == 1_000 { done.signal() }
        }
        for count in 1...1_000 { store.commit { $0.count = count } }
        isOpen.signal()
        isOpen.signal()
        done.wait()
        let told = seen.elements
        // The first delivery, whenever its job begins, and one for everything behind it.
        #expect(told.count <= 2)
        #expect(told.first?.previous == nil)
        for (earlier, later) in zip(told, told.dropFirst()) {
            #expect(later.previous?.count == earlier.count)
        }
        #expect(told.last?.version == 1_000)
        withExtendedLifetime(subscription) {}
    }

    #if os(Linux)
        @Test(
            "every cancel, not only the first, waits for a delivery under way on another thread",
            arguments: [1, 2]
        )
        func cancelWaits(cancels: Int) {
            let store = Store(Notes())
            let hasBegun = DispatchSemaphore(value: 0)
            let steps = (0..<cancels).map { _ in WaitingStep() }
            let hasEnded = Atomic(false)
            let subscription = store.sinkState { changes in
                guard changes.count == 1 else { return }
                for _ in steps { hasBegun.signal() }
                for step in steps { step.untilItSleepsOrEnds() }
                hasEnded.store(true, ordering: .releasing)
            }
            onThreads(1 + cancels) { index in
                guard index > 0 else { return store.commit { $0.count = 1 } }
                hasBegun.wait()
                steps[index - 1].run {
                    subscription.cancel()
                    let isOver = hasEnded.load(ordering: .acquiring)
                    #expect(isOver)
                }
            }
        }
    #endif

    @Test("a commit made during a delivery is delivered by the thread that delivers")
    func leavesToTheDeliverer() {
        let store = Store(Notes())
        let hasBegun = DispatchSemaphore(value: 0)
        let mayEnd = DispatchSemaphore(value: 0)
        let seen = Record<Int>()
        let subscription = store.sinkState { changes in
            if changes.count == 1 {
                hasBegun.signal()
                mayEnd.wait()
            }
            seen.append(changes.count)
        }
        onThreads(2) { index in
            if index == 0 {
                store.commit { $0.count = 1 }
                #expect(seen.elements == [0, 1, 2])
            } else {
                hasBegun.wait()
                store.commit { $0.count = 2 }
                #expect(seen.elements == [0])
                mayEnd.signal()
            }
        }
        withExtendedLifetime(subscription) {}
    }

    @Test("a commit is delivered by its own thread while another thread is in a different handler")
    func deliversWhileAnotherHandlerRuns() {
        let store = Store(Notes())
        let hasBegun = DispatchSemaphore(value: 0)
        let isTold = DispatchSemaphore(value: 0)
        let blocking = store.sinkState { changes in
            guard changes.count == 1 else { return }
            hasBegun.signal()
            isTold.wait()
        }
        let other = store.sinkState { changes in
            if changes.count == 2 { isTold.signal() }
        }
        onThreads(2) { index in
            if index == 0 {
                store.commit { $0.count = 1 }
            } else {
                hasBegun.wait()
                store.commit { $0.count = 2 }
            }
        }
        withExtendedLifetime((blocking, other)) {}
    }
}
