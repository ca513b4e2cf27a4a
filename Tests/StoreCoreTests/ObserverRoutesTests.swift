import StoreCore
import Testing

@Suite("Routing changes to observers")
struct ObserverRoutesTests {
    @Test("only observers of the touched entity are found, in the order in which they came")
    func entities() {
        var observers = EntityObservers<Note, String>()
        _ = observers.add("first of 1", for: EntityID(Key(1)))
        let removed = observers.add("removed", for: EntityID(Key(1)))
        _ = observers.add("of 2", for: EntityID(Key(2)))
        _ = observers.add("second of 1", for: EntityID(Key(1)))
        observers.remove(removed, for: EntityID(Key(1)))
        observers.remove(removed, for: EntityID(Key(1)))
        var found: [String] = []
        observers.forEach(of: EntityChange.inserted(Note(1))) { found.append($0) }
        #expect(found == ["first of 1", "second of 1"])
        #expect(observers.hasObservers(of: EntityID(Key(2))))
        #expect(!observers.hasObservers(of: EntityID(Key(3))))
    }

    @Test("removing the last observer leaves nothing behind")
    func emptiness() {
        var observers = EntityObservers<Note, Int>()
        #expect(observers.isEmpty)
        let token = observers.add(1, for: EntityID(Key(1)))
        #expect(!observers.isEmpty)
        observers.remove(token, for: EntityID(Key(1)))
        #expect(observers.isEmpty)
    }

    @Test("a group's observers are found when an entity comes, goes or changes in it, once for all")
    func groups() {
        var observers = GroupObservers<ByGroup, Int>()
        for group in 0..<4 { _ = observers.routes.add(group, for: group) }
        func touched(_ changes: EntityChange<Note>...) -> [Int] {
            for change in changes { observers.record(change) }
            var found: [Int] = []
            observers.forEachTouched { group, observer in
                #expect(group == observer)
                found.append(observer)
            }
            return found.sorted()
        }
        #expect(touched(.inserted(Note(1, group: 0))) == [0])
        #expect(touched(.removed(Note(1, group: 3))) == [3])
        #expect(touched(.updated(from: Note(1, group: 1), to: Note(1, group: 2))) == [1, 2])
        #expect(touched(.updated(from: Note(1, group: 1), to: Note(1, rank: 9, group: 1))) == [1])
        #expect(touched(.inserted(Note(1)), .inserted(Note(2, group: 9))).isEmpty)
        #expect(touched(.inserted(Note(1, group: 0)), .inserted(Note(2, group: 0))) == [0])
        #expect(touched().isEmpty)
    }
}
