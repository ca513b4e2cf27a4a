import StoreCore
import Testing

@Suite("EntityIndexes")
struct EntityIndexesTests {
    struct Forgetful: EntityIndexes {
        var byRank = OrderedIndex<ByRank>()
        var byGroup = GroupedIndex<ByGroup>()

        mutating func update(_ change: EntityChange<Note>) {
            byRank.update(change)
        }
    }

    struct Nested: EntityIndexes {
        var byRank = OrderedIndex<ByRank>()
        var inner = Forgetful()

        mutating func update(_ change: EntityChange<Note>) {
            byRank.update(change)
            inner.update(change)
        }
    }

    @Test("an index that update forgets stops a debug build at the first insertion")
    func forgottenIndex() async {
        await #expect(processExitsWith: .failure) {
            var table = EntityTable<Note, Forgetful>()
            table.insert(Note(1))
        }
        await #expect(processExitsWith: .failure) {
            var table = EntityTable<Note, Nested>()
            table.insert(Note(1))
        }
    }

    @Test("an index that keeps nothing of an entity is not taken for a forgotten one")
    func emptyIndex() {
        var table = Notes()
        table.insert(Note(1, rank: 1))
        #expect(table.indexes.byEvenRank.isEmpty)
        #expect(table.indexes.byGroup.isEmpty)
    }

    @Test("an index is a snapshot: a later update does not change a copy")
    func snapshots() {
        var table = Notes((0..<500).map { Note($0, rank: Int($0), group: Int($0) % 3) })
        let before = table.indexes
        let window = before.byRank[100..<110]
        let group = before.byGroup[1]
        for number in 0..<500 { table.update(EntityID(Key(UInt64(number)))) { $0.rank = -$0.rank } }
        table.removeAll()
        #expect(before.byRank.map(\.rawValue.number) == Array(0..<500))
        #expect(window.map(\.rawValue.number) == Array(100..<110))
        #expect(group.map(\.rawValue.number) == (0..<500).filter { $0 % 3 == 1 })
        #expect(table.indexes.byRank.isEmpty)
    }

    @Test("first, last, reversed and windows of an index read what its positions read")
    func collection() {
        let index = Notes((0..<1_000).map { Note($0, rank: Int($0 * 7 % 1_000)) }).indexes.byRank
        let expected = (0..<1_000 as Range<UInt64>).sorted { $0 * 7 % 1_000 < $1 * 7 % 1_000 }
        #expect(index.first?.rawValue.number == expected.first)
        #expect(index.last?.rawValue.number == expected.last)
        #expect(index.reversed().map(\.rawValue.number) == expected.reversed())
        for start in stride(from: 0, to: 1_000, by: 37) {
            let window = index[start..<min(start + 50, 1_000)]
            #expect(window.startIndex == start)
            #expect(
                window.map(\.rawValue.number) == Array(expected[start..<min(start + 50, 1_000)])
            )
            #expect(window.dropFirst(3).first == (start + 3 < 1_000 ? index[start + 3] : nil))
        }
    }
}
