import Store
import StoreCore
import Synchronization
import Testing

@Suite("Commit")
struct CommitTests {
    @Test("a commit returns what its body returns, and the state is changed")
    func returnsValue() {
        let store = Store(Notes())
        let doubled = store.commit { notes in
            notes.count = 4
            return notes.count * 2
        }
        #expect(doubled == 8)
        #expect(store.count == 4)
        #expect(store.state.count == 4)
        #expect(store.read { $0.count } == 4)
    }

    @Test("a commit that throws changes nothing and tells nobody", arguments: [false, true])
    func rollsBack(isObserved: Bool) {
        let store = Store(Notes())
        store.commit { $0.memos.insert(Memo(1, "kept")) }
        let seen = Record<UInt64>()
        let subscription = isObserved ? store.sinkState { seen.append($0.version) } : nil
        let count = store.derived(\.count)
        let told = Record<Int>()
        let derived = isObserved ? count.sinkValue { told.append($0) } : nil

        #expect(throws: Refusal()) {
            try store.commit { notes throws(Refusal) in
                notes.count = 9
                notes.memos.remove(EntityID(1))
                throw Refusal()
            }
        }

        #expect(store.count == 0)
        #expect(store.memos[EntityID(1)]?.text == "kept")
        #expect(count.value == 0)
        #expect(seen.elements == (isObserved ? [1] : []))
        #expect(told.elements == (isObserved ? [0] : []))
        store.commit { $0.count += 1 }
        #expect(seen.elements == (isObserved ? [1, 2] : []), "a failed commit has no version")
        withExtendedLifetime((subscription, derived)) {}
    }

    @Test("changes say where the commit was made")
    func carriesOrigin() throws {
        let store = Store(Notes())
        let seen = Record<CommitOrigin>()
        let subscription = store.sinkState { seen.append($0.origin) }
        store.commit { $0.count = 1 }
        let line: UInt = #line - 1
        store.commit("rename") { $0.title = "x" }
        try #require(seen.elements.count == 3)
        #expect("\(seen.elements[0].name)" == "init")
        #expect("\(seen.elements[1].name)" == "carriesOrigin()")
        #expect("\(seen.elements[1].file)" == "StoreTests/CommitTests.swift")
        #expect(seen.elements[1].line == line)
        #expect("\(seen.elements[2].name)" == "rename")
        subscription.cancel()
    }

    @Test(
        "a copy of the state is not changed by later commits"
    )
    func keepsSnapshots() {
        let store = Store(Notes())
        let before = store.state
        store.commit { $0.memos.insert(Memo(1, "a")) }
        #expect(before.memos.isEmpty)
        #expect(store.memos.count == 1)
    }

    @Test("what a commit replaced is freed, however many commits there are")
    func freesOldStates() {
        let alive = Alive()
        let store = Store(Alive.Token(alive))
        let subscription = store.sinkState { _ in }
        let told = store.derived { ObjectIdentifier($0) }.sinkValue { _ in }
        for _ in 0..<1_000 { store.commit { $0 = Alive.Token(alive) } }
        #expect(alive.count.load(ordering: .relaxed) == 1)
        withExtendedLifetime((subscription, told)) {}
    }

    final class Alive: Sendable {
        let count = Atomic(0)

        final class Token: Sendable {
            private let alive: Alive

            init(_ alive: Alive) {
                self.alive = alive
                alive.count.add(1, ordering: .relaxed)
            }

            deinit {
                alive.count.subtract(1, ordering: .relaxed)
            }
        }
    }

    @Test("an unobserved commit works in place, without a copy of what it changes")
    func worksInPlace() {
        let store = Store([Int](repeating: 0, count: 1_000))
        let address = store.commit { numbers in
            numbers.withUnsafeMutableBufferPointer { UInt(bitPattern: $0.baseAddress) }
        }
        let derived = store.derived(\.count)
        let told = derived.sinkValue { _ in }
        let after = store.commit { numbers in
            numbers[0] = 1
            return numbers.withUnsafeMutableBufferPointer { UInt(bitPattern: $0.baseAddress) }
        }
        #expect(address == after)
        withExtendedLifetime(told) {}
    }
}
