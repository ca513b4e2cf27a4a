import OutboxTesting
import Testing

@testable import StoreCore

@Suite("Differences between snapshots of an index")
struct IndexDifferenceTests {
    @Test("rows that go, come and move are told with their positions")
    func rows() {
        let old = Notes((1...5).map { Note($0, rank: Int($0) * 10) })
        var new = old
        new.remove(EntityID(Key(2)))
        new.insert(Note(6, rank: 5))
        new.update(EntityID(Key(3))) { $0.rank = 60 }
        new.update(EntityID(Key(4))) { $0.text = "not in the index" }
        let difference = new.indexes.byRank.difference(from: old.indexes.byRank)
        #expect(difference.removals == [.init(position: 1, id: EntityID(Key(2)))])
        #expect(difference.insertions == [.init(position: 0, id: EntityID(Key(6)))])
        #expect(difference.moves == [.init(from: 2, to: 4, id: EntityID(Key(3)))])
        #expect(!difference.isEmpty)
        #expect(new.indexes.byRank.difference(from: new.indexes.byRank).isEmpty)
    }

    @Test(
        "applied to the old list, a difference gives the new one, for whole indexes, windows and groups",
        arguments: 0..<10 as Range<UInt64>
    )
    func application(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let count = [5, 100, 2_000][Int(seed % 3)]
        func note() -> Note {
            Note(
                UInt64.random(in: 0..<UInt64(count), using: &random),
                rank: Int.random(in: 0..<count, using: &random),
                group: Int.random(in: 0..<3, using: &random)
            )
        }
        var table = Notes((0..<count).map { _ in note() })
        for _ in 0..<40 {
            let old = table
            for _ in 0..<Int.random(in: 0..<12, using: &random) {
                let note = note()
                if Bool.random(using: &random) { table.remove(note.id) } else { table.insert(note) }
            }
            if Int.random(in: 0..<8, using: &random) == 0 { table = Notes(table) }
            let (before, after) = (old.indexes, table.indexes)
            expect(before.byRank[...], after.byRank[...], seed)
            for group in 0..<3 {
                expect(before.byGroup[group], after.byGroup[group], seed)
                #expect(
                    after.byGroup[group] == table.rebuiltIndexes().byGroup[group],
                    "seed \(seed)"
                )
            }
            func window(_ index: OrderedIndex<ByRank>) -> IndexSlice<Note, Int> {
                let start = Int.random(in: 0...index.count, using: &random)
                return index[start..<Int.random(in: start...index.count, using: &random)]
            }
            expect(window(before.byRank), window(after.byRank), seed)
        }
    }

    private func expect<Key: Comparable>(
        _ old: IndexSlice<Note, Key>,
        _ new: IndexSlice<Note, Key>,
        _ seed: UInt64
    ) {
        let difference = new.difference(from: old)
        let gone = difference.removals.map(\.position) + difference.moves.map(\.from)
        let come =
            difference.insertions.map { ($0.position, $0.id) }
            + difference.moves.map { ($0.to, $0.id) }
        #expect(
            difference.moves.allSatisfy { old[$0.from] == $0.id && new[$0.to] == $0.id },
            "seed \(seed)"
        )
        #expect(difference.removals.allSatisfy { old[$0.position] == $0.id }, "seed \(seed)")
        var list = old.indices.filter { !gone.contains($0) }.map { old[$0] }
        for (position, id) in come.sorted(by: { $0.0 < $1.0 }) {
            list.insert(id, at: position - new.startIndex)
        }
        #expect(list == Array(new), "seed \(seed)")
        let oldEntries = Set(old.entries.map { [$0.id.rawValue.number, UInt64($0.rank)] })
        let newEntries = Set(new.entries.map { [$0.id.rawValue.number, UInt64($0.rank)] })
        let untouched = oldEntries.intersection(newEntries).count
        #expect(old.count - gone.count == untouched, "nothing else is told, seed \(seed)")
        #expect((old == new) == difference.isEmpty, "seed \(seed)")
    }
}

extension IndexSlice {
    /// Identifiers with their keys.
    fileprivate var entries: [(id: EntityID<E>, rank: Int)] {
        indices.map { position in
            let entry = tree.entry(at: origin + position)
            if let rank = entry.key as? Int { return (entry.id, rank) }
            let key = entry.key as? GroupedKey<Int, Int>
            return (entry.id, (key?.group ?? 0) * 1_000_000 + (key?.key ?? 0))
        }
    }
}
