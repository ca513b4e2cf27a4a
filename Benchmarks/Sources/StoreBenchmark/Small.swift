import Measurement
import Store
import Synchronization

/// A state of a few words.
struct Counter: Sendable, Equatable {
    var count = 0
    var limit = 10
    var title = "a title that is longer than fifteen bytes"
}

/// A commit without subscribers.
func commitContenders() -> [Contender] {
    let store = Store(Counter())
    let lock = Locked(Counter())
    return [
        Contender("Store.commit, no subscriber") { rounds in
            for round in 0..<rounds {
                store.commit { $0 = Counter(count: round) }
            }
        },
        Contender("Mutex and a struct assignment") { rounds in
            for round in 0..<rounds {
                lock.state.withLock { $0 = Counter(count: round) }
            }
        },
    ]
}

/// A read of a derivation that is up to date.
func derivedContenders() -> [Contender] {
    let store = Store(Counter(count: 7))
    let derived = store.derived(\.count).map { $0 * 2 }
    return [
        Contender("Derived.value, up to date") { rounds in
            for _ in 0..<rounds { consume(derived.value) }
        },
        Contender("the stored property through the store") { rounds in
            for _ in 0..<rounds { consume(store.count) }
        },
        Contender("the stored property in a Mutex") { [lock = Locked(Counter(count: 7))] rounds in
            for _ in 0..<rounds { consume(lock.state.withLock { $0.count }) }
        },
    ]
}

private final class Locked: Sendable {
    let state: Mutex<Counter>

    init(_ counter: Counter) {
        state = Mutex(counter)
    }
}
