import Dispatch
import Store
import Synchronization
import Testing

@Suite("Computed properties of a state")
struct ComputedTests {
    /// Counts how often its computed properties are computed.
    struct Ledger: Sendable {
        final class Count: Sendable {
            private let computed = Atomic(0)

            var value: Int { computed.load(ordering: .relaxed) }

            func add() {
                computed.add(1, ordering: .relaxed)
            }
        }

        /// A computed value that tells when it is freed.
        final class Report: Sendable {
            let total: Int

            init(total: Int) {
                self.total = total
            }
        }

        let runs = Count()
        var amounts: [Int] = []
        var note = ""

        var total: Int {
            runs.add()
            return amounts.reduce(0, +)
        }

        var largest: Int {
            runs.add()
            return amounts.max() ?? 0
        }

        var report: Report { Report(total: total) }
    }

    struct Loop: Sendable {
        let read: @Sendable () -> Int
        var total: Int { read() }
    }

    private struct Weak: Sendable {
        weak let report: Ledger.Report?
    }

    private let store = Store(Ledger())
    private var runs: Int { store.state.runs.value }

    @Test(
        "computed once for each state, for all observers, also as the state before the next commit"
    )
    func computesOnce() {
        let told = Record<Int>()
        let read = Record<Int>()
        let subscriptions = (0..<50).flatMap { _ in
            [
                store.sinkState { changes in
                    changes.ifChanged(computed: \.total) { told.append($0) }
                },
                store.sinkState { changes in
                    read.append(changes.computed.total + (changes.previousComputed?.total ?? 0))
                },
            ]
        }
        #expect(runs == 1)
        for amount in 1...3 {
            store.commit { $0.amounts.append(amount) }
            #expect(runs == 1 + amount)
        }
        #expect(told.elements == [0, 1, 3, 6].flatMap { Array(repeating: $0, count: 50) })
        #expect(read.elements == [0, 1, 4, 9].flatMap { Array(repeating: $0, count: 50) })
        withExtendedLifetime(subscriptions) {}
    }

    @Test("not computed before an observer reads it, and observers are told only of another value")
    func computesOnDemand() {
        let told = Record<Int>()
        let silent = store.sinkState { _ in }
        store.commit { $0.amounts = [1] }
        #expect(runs == 0)
        let subscription = store.sinkState { changes in
            changes.ifChanged(computed: \.total) { told.append($0) }
        }
        store.commit { $0.note = "lunch" }
        store.commit { $0.amounts = [2] }
        #expect(told.elements == [1, 2])
        withExtendedLifetime((silent, subscription)) {}
    }

    @Test("two properties of one state are two values")
    func keepsPropertiesApart() {
        let read = Record<[Int]>()
        let subscription = store.sinkState { changes in
            read.append([changes.computed.total, changes.computed.largest, changes.computed.total])
        }
        store.commit { $0.amounts = [4, 5] }
        #expect(read.elements == [[0, 0, 0], [9, 5, 9]])
        #expect(runs == 4)
        withExtendedLifetime(subscription) {}
    }

    @Test("two changes that are kept and read late, in any order, share the state between them")
    func sharesLate() {
        let kept = Record<Changes<Ledger>>()
        let subscription = store.sinkState { kept.append($0) }
        for amount in 1...3 { store.commit { $0.amounts.append(amount) } }
        subscription.cancel()
        #expect(runs == 0)
        let late = kept.elements.reversed()
        #expect(late.map { $0.previousComputed?.total } == [3, 1, 0, nil])
        #expect(late.map(\.computed.total) == [6, 3, 1, 0])
        #expect(runs == 4)
    }

    @Test("merged changes share the states that they begin and end with")
    func sharesMerged() async {
        let kept = Record<Changes<Ledger>>()
        let subscription = store.sinkState { kept.append($0) }
        var merged = store.changes(backlog: .merged).makeAsyncIterator()
        _ = await merged.next()
        for amount in 1...3 { store.commit { $0.amounts.append(amount) } }
        let last = await merged.next()
        #expect(last?.previousComputed?.total == 0)
        #expect(last?.computed.total == 6)
        #expect(runs == 2)
        #expect(kept.elements.map(\.computed.total) == [0, 1, 3, 6])
        #expect(runs == 4)
        withExtendedLifetime(subscription) {}
    }

    @Test("computed once for threads that ask at the same time")
    func computesOnceForThreads() {
        let kept = Record<Changes<Ledger>>()
        let subscription = store.sinkState { kept.append($0) }
        for round in 1...50 {
            store.commit { $0.amounts = [round] }
            let changes = kept.elements[round]
            onThreads(4) { index in
                #expect(changes.computed.total == round)
                if index.isMultiple(of: 2) {
                    #expect(changes.previousComputed?.total == round - 1)
                }
            }
        }
        #expect(runs == 51)
        withExtendedLifetime(subscription) {}
    }

    @Test("commits that nobody observed are not answered with what was computed before them")
    func forgetsUnobserved() {
        let first = store.sinkState { _ = $0.computed.total }
        first.cancel()
        store.commit { $0.amounts = [7] }
        let read = Record<Int>()
        let second = store.sinkState { read.append($0.computed.total) }
        #expect(read.elements == [7])
        withExtendedLifetime(second) {}
    }

    @Test("a value is freed with its state: after the next commit, and with the last observer")
    func freesValues() {
        let seen = Record<Weak>()
        let subscription = store.sinkState { seen.append(Weak(report: $0.computed.report)) }
        for amount in 1...3 { store.commit { $0.amounts = [amount] } }
        #expect(seen.elements.map { $0.report?.total } == [nil, nil, nil, 3])
        subscription.cancel()
        #expect(seen.elements.map { $0.report?.total } == [nil, nil, nil, nil])
    }

    @Test("the caller's own measure decides")
    func ownMeasure() {
        let told = Record<Int>()
        let subscription = store.sinkState { changes in
            changes.ifChanged(computed: \.report, by: { $0.total / 10 == $1.total / 10 }) {
                told.append($0.total)
            }
        }
        for amount in [3, 12, 15, 20] { store.commit { $0.amounts = [amount] } }
        #expect(told.elements == [0, 12, 20])
        withExtendedLifetime(subscription) {}
    }

    @Test("in changes that no store made, a property has its value all the same")
    func withoutStore() {
        var new = Ledger()
        new.amounts = [5]
        let changes = Changes(
            previous: Ledger(),
            current: new,
            version: 1,
            origin: CommitOrigin()
        )
        #expect(changes.computed.total == 5)
        #expect(changes.ifChanged(computed: \.total) { $0 } == 5)
    }

    @Test("a property that reads itself through the changes stops with a sentence")
    func readsItself() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let kept = Record<Changes<Loop>>()
            let store = Store(Loop { kept.elements[0].computed.total })
            let subscription = store.sinkState { kept.append($0) }
            _ = kept.elements[0].computed.total
            subscription.cancel()
        }
        let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(output.contains("A computed property of a state read itself"), "\(output)")
    }
}
