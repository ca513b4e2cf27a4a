import StoreCore
import Testing

@Suite("LocalTable")
struct LocalTableTests {
    struct State {
        var notes = Notes((0..<50).map { Note($0, rank: Int($0), group: Int($0) % 5) })
        var other = 0
    }

    private func id(_ number: UInt64) -> EntityID<Note> { EntityID(Key(number)) }

    @Test("an entity's observer is handed it at once, and woken by changes of it alone")
    func entities() {
        let store = LocalStore(State())
        let table = LocalTable(of: store) { $0.notes }
        var seen: [EntityChange<Note>] = []
        let subscription = table.observe(id(7)) { seen.append($0) }
        let original = Note(7, rank: 7, group: 2)
        #expect(seen == [.inserted(original)])
        store.commit { $0.notes.update(id(8)) { $0.rank = 0 } }
        store.commit { $0.other = 1 }
        store.commit { $0.notes.update(id(7)) { $0.rank = 7 } }
        #expect(seen.count == 1)
        store.commit { $0.notes.update(id(7)) { $0.rank = 70 } }
        store.commit { $0.notes.remove(id(7)) }
        let changed = Note(7, rank: 70, group: 2)
        #expect(seen.dropFirst() == [.updated(from: original, to: changed), .removed(changed)])
        subscription.cancel()
        store.commit { $0.notes.insert(original) }
        #expect(seen.count == 3)
    }

    @Test("an entity that is not there yet is told of when it comes")
    func absentEntity() {
        let store = LocalStore(State())
        let table = LocalTable(of: store) { $0.notes }
        var seen: [EntityChange<Note>] = []
        let subscription = table.observe(id(100)) { seen.append($0) }
        #expect(seen.isEmpty)
        store.commit { $0.notes.insert(Note(100)) }
        #expect(seen == [.inserted(Note(100))])
        subscription.cancel()
    }

    @Test("a group's observer is woken by its members alone, once for each commit")
    func groups() {
        let store = LocalStore(State())
        let table = LocalTable(of: store) { $0.notes }
        let groups = table.groups(ByGroup.self)
        var counts: [Int] = []
        let subscription = groups.observe(1) {
            counts.append($0.current.notes.indexes.byGroup.count(of: 1))
        }
        store.commit { $0.notes.update(id(0)) { $0.rank = -1 } }
        #expect(counts == [10])
        store.commit { state in
            for number in [1, 6, 11] as [UInt64] { state.notes.update(id(number)) { $0.group = 0 } }
        }
        #expect(counts == [10, 7])
        store.commit { $0.notes.update(id(16)) { $0.rank = -1 } }
        #expect(counts == [10, 7, 7])
        subscription.cancel()
        store.commit { $0.notes.remove(id(16)) }
        #expect(counts == [10, 7, 7])
    }

    @Test("an observer that is added inside a handler hears of later commits only")
    func observerInsideHandler() {
        let store = LocalStore(State())
        let table = LocalTable(of: store) { $0.notes }
        var inner: LocalSubscription?
        var seen: [Int?] = []
        let outer = table.observe(id(1)) { change in
            if inner == nil, change.old != nil {
                store.commit { $0.notes.update(id(2)) { $0.rank = 100 } }
                inner = table.observe(id(2)) { seen.append($0.new?.rank) }
            }
        }
        store.commit { $0.notes.update(id(1)) { $0.rank = 100 } }
        #expect(seen == [100])
        store.commit { $0.notes.update(id(2)) { $0.rank = 101 } }
        #expect(seen == [100, 101])
        outer.cancel()
        inner?.cancel()
    }

    @Test("a store is released with its tables and observers")
    func release() {
        weak var released: LocalStore<State>?
        do {
            let store = LocalStore(State())
            released = store
            let table = LocalTable(of: store) { $0.notes }
            let groups = table.groups(ByGroup.self)
            let subscriptions = [table.observe(id(1)) { _ in }, groups.observe(1) { _ in }]
            store.commit { $0.notes.removeAll() }
            withExtendedLifetime(subscriptions) {}
        }
        #expect(released == nil)
    }
}
