import OutboxTesting
import StoreCore
import Testing

@Suite("EntityTable under random operations")
struct EntityTablePropertyTests {
    /// How the identifiers hash: apart, into few values, or all into one.
    static let hashings: [UInt64] = [.max, 7, 1]

    @Test(
        "table, indexes, difference and equality are those of naive models; snapshots stay as they were",
        arguments: 0..<6 as Range<UInt64>,
        hashings
    )
    func againstModels(seed: UInt64, hashes: UInt64) {
        var random = SeededRandom(seed: seed)
        let identifiers = [20, 200, 1_000][Int(seed % 3)] / (hashes == 1 ? 10 : 1) + 10
        var table = Notes()
        var model: [EntityID<Note>: Note] = [:]
        var snapshots: [(table: Notes, model: [EntityID<Note>: Note])] = []
        let steps = identifiers * 6
        for step in 0..<steps {
            // First mostly insertions, then mostly removals.
            let removalChance = step < steps / 2 ? 20 : 60
            let number = UInt64.random(in: 0..<UInt64(identifiers), using: &random)
            let note = Note(
                number,
                rank: Int.random(in: 0..<identifiers, using: &random),
                group: Bool.random(using: &random) ? Int.random(in: 0..<5, using: &random) : nil,
                hashed: number % hashes
            )
            if Int.random(in: 0..<100, using: &random) < removalChance {
                let removed = table.remove(note.id)
                #expect(removed == model.removeValue(forKey: note.id), "seed \(seed)")
            } else {
                let replaced = table.insert(note)
                #expect(replaced == model.updateValue(note, forKey: note.id), "seed \(seed)")
            }
            if Int.random(in: 0..<(steps / 8), using: &random) == 0 {
                snapshots.append((table, model))
            }
        }
        snapshots.append((table, model))
        for (table, model) in snapshots {
            #expect(table.count == model.count, "seed \(seed)")
            #expect(
                Dictionary(uniqueKeysWithValues: table.map { ($0.id, $0) }) == model,
                "seed \(seed)"
            )
            #expect(model.allSatisfy { table[$0.key] == $0.value }, "seed \(seed)")
            #expect(table.indexes == table.rebuiltIndexes(), "seed \(seed)")
            let rebuilt = Notes(model.values.shuffled(using: &random))
            #expect(table == rebuilt, "seed \(seed)")
            #expect(
                Array(table) == Array(rebuilt),
                "the order follows from the content, seed \(seed)"
            )
            #expect(rebuilt.listedChanges(since: table).isEmpty, "seed \(seed)")
            expectIndexes(of: table, are: model, seed)
        }
        for (old, _) in snapshots {
            for (new, _) in snapshots {
                let changes = new.listedChanges(since: old)
                #expect(changes == new.naiveChanges(since: old), "seed \(seed)")
                #expect((old == new) == changes.isEmpty, "seed \(seed)")
            }
        }
    }

    private func expectIndexes(
        of table: Notes,
        are model: [EntityID<Note>: Note],
        _ seed: UInt64
    ) {
        func sorted(_ notes: some Sequence<Note>) -> [EntityID<Note>] {
            notes.sorted { ($0.rank, $0.id) < ($1.rank, $1.id) }.map(\.id)
        }
        let indexes = table.indexes
        let byRank = sorted(model.values)
        #expect(Array(indexes.byRank) == byRank, "seed \(seed)")
        #expect(indexes.byRank.count == byRank.count, "seed \(seed)")
        #expect(byRank.indices.allSatisfy { indexes.byRank[$0] == byRank[$0] }, "seed \(seed)")
        #expect(
            byRank.indices.allSatisfy { indexes.byRank.position(of: model[byRank[$0]]!) == $0 },
            "seed \(seed)"
        )
        #expect(
            Array(indexes.byEvenRank) == sorted(model.values.filter { $0.rank.isMultiple(of: 2) }),
            "seed \(seed)"
        )
        let groups = Dictionary(grouping: model.values.filter { $0.group != nil }) { $0.group! }
        #expect(indexes.byGroup.groups == groups.keys.sorted(), "seed \(seed)")
        for group in -1..<6 {
            let expected = sorted(groups[group] ?? [])
            let slice = indexes.byGroup[group]
            #expect(Array(slice) == expected, "seed \(seed)")
            #expect(indexes.byGroup.count(of: group) == expected.count, "seed \(seed)")
            #expect(slice.indices.allSatisfy { slice[$0] == expected[$0] }, "seed \(seed)")
            #expect(
                expected.indices.allSatisfy {
                    indexes.byGroup.position(of: model[expected[$0]]!) == $0
                },
                "seed \(seed)"
            )
        }
        for rank in [-1, 0, 3, 10, 1_000] {
            #expect(
                indexes.byRank.rank(of: rank) == model.values.filter { $0.rank < rank }.count,
                "seed \(seed)"
            )
            #expect(
                Array(indexes.byRank[keys: rank..<rank + 5])
                    == sorted(model.values.filter { (rank..<rank + 5).contains($0.rank) }),
                "seed \(seed)"
            )
            #expect(
                Array(indexes.byRank[keys: rank...rank + 5])
                    == sorted(model.values.filter { (rank...rank + 5).contains($0.rank) }),
                "seed \(seed)"
            )
        }
    }
}
