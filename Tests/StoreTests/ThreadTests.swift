import Store
import StoreCore
import Synchronization
import Testing

@Suite("Many threads")
struct ThreadTests {
    @Test("no commit of many threads is lost")
    func losesNoCommit() {
        let store = Store(Notes())
        onThreads(8) { _ in for _ in 0..<2_000 { store.commit { $0.count += 1 } } }
        #expect(store.count == 16_000)
    }

    @Test("every subscriber sees every commit of many threads once, in one order")
    func sameOrderForAll() {
        let store = Store(Notes())
        let records = (0..<4).map { _ in Record<UInt64>() }
        let subscriptions = records.map { record in
            store.sinkState { changes in
                #expect(changes.count == Int(changes.version))
                record.append(changes.version)
            }
        }
        onThreads(8) { _ in for _ in 0..<500 { store.commit { $0.count += 1 } } }
        for record in records { #expect(record.elements == Array(0...4_000)) }
        withExtendedLifetime(subscriptions) {}
    }

    @Test("who subscribes while others commit misses nothing after the first value")
    func subscribesWithoutGap() {
        let store = Store(Notes())
        onThreads(8) { index in
            for _ in 0..<200 {
                if index < 4 {
                    store.commit { $0.count += 1 }
                } else {
                    let last = Atomic<UInt64>(.max)
                    let subscription = store.sinkState { changes in
                        let previous = last.exchange(changes.version, ordering: .relaxed)
                        #expect(previous == .max || changes.version == previous + 1)
                        #expect((changes.previous == nil) == (previous == .max))
                    }
                    store.commit { $0.count += 1 }
                    subscription.cancel()
                    let atCancel = last.load(ordering: .relaxed)
                    store.commit { $0.count += 1 }
                    #expect(last.load(ordering: .relaxed) == atCancel)
                }
            }
        }
    }

    @Test(
        "while many threads commit a Derived never goes back, and the newest value is told"
    )
    func derivedIsMonotonic() {
        let store = Store(Notes())
        let derived = store.derived(\.count) { $0 * 2 }
        let records = (0..<3).map { _ in Record<Int>() }
        let subscriptions = records.map { record in derived.sinkValue { record.append($0) } }
        onThreads(6) { _ in
            for _ in 0..<500 {
                store.commit { $0.count += 1 }
                _ = derived.value
            }
        }
        for record in records {
            let told = record.elements
            #expect(zip(told, told.dropFirst()).allSatisfy { $0 < $1 })
            #expect(told.last == 6_000)
        }
        withExtendedLifetime(subscriptions) {}
    }
}
