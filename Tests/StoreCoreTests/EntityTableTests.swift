import Testing

@testable import StoreCore

@Suite("EntityTable")
struct EntityTableTests {
    @Test("an entity is found by its identifier until it is removed")
    func singleEntity() {
        var table = Notes()
        #expect(table.isEmpty)
        #expect(table.insert(Note(1, text: "a")) == nil)
        #expect(table[EntityID(Key(1))]?.text == "a")
        #expect(table.contains(EntityID(Key(1))))
        #expect(!table.contains(EntityID(Key(2))))
        #expect(table.insert(Note(1, text: "b"))?.text == "a")
        #expect(table.count == 1)
        #expect(
            table.update(EntityID(Key(1))) {
                $0.text += "c"
                return $0.text
            } == "bc"
        )
        #expect(table.update(EntityID(Key(2))) { _ in true } == nil)
        #expect(table.remove(EntityID(Key(1)))?.text == "bc")
        #expect(table.remove(EntityID(Key(1))) == nil)
        #expect(table.isEmpty)
    }

    @Test("the subscript inserts, replaces and removes")
    func subscriptWrites() {
        var table = Notes()
        let id = EntityID<Note>(Key(7))
        table[id] = Note(7, rank: 1)
        table[id]?.rank = 2
        #expect(table[id]?.rank == 2)
        #expect(table.indexes.byRank.first == id)
        table[id] = nil
        #expect(table.isEmpty)
        #expect(table.indexes.byRank.isEmpty)
    }

    @Test("writing an equal entity is no change and leaves the blocks shared")
    func equalEntityChangesNothing() {
        var table = Notes((0..<100).map { Note($0, rank: Int($0)) })
        let before = table
        table.insert(Note(50, rank: 50))
        table.update(EntityID(Key(51))) { $0.rank = 51 }
        #expect(table.listedChanges(since: before).isEmpty)
        #expect(table.root === before.root)
    }

    @Test("tables that differ in one entity, wherever it is, are unequal until it is as it was")
    func oneUnequalEntity() {
        let table = Notes((0..<500).map { Note($0) })
        for number in 0..<500 as Range<UInt64> {
            let id = EntityID<Note>(Key(number))
            var other = table
            other.update(id) { $0.text = "b" }
            #expect(other != table, "\(number)")
            other.update(id) { $0.text = "" }
            #expect(other == table, "\(number)")
        }
    }

    @Test("a table that shares nothing is updated in place, one that shares is not")
    func updatesInPlace() throws {
        var table = Notes((0..<100).map { Note($0, rank: Int($0)) })
        let root = ObjectIdentifier(try #require(table.root))
        let ranks = ObjectIdentifier(try #require(table.maintained.byRank.tree.root))
        table.update(EntityID(Key(50))) { $0.rank = 500 }
        table.update(EntityID(Key(50))) { $0.text = "text" }
        #expect(table.root.map(ObjectIdentifier.init) == root)
        #expect(table.maintained.byRank.tree.root.map(ObjectIdentifier.init) == ranks)
        let snapshot = table
        table.update(EntityID(Key(50))) { $0.rank = 501 }
        #expect(snapshot.root.map(ObjectIdentifier.init) == root)
        #expect(table.root.map(ObjectIdentifier.init) != root)
        #expect(snapshot[EntityID(Key(50))]?.rank == 500)
    }

    @Test("an update that throws changes nothing")
    func throwingUpdate() {
        struct Refusal: Error {}
        var table = Notes([Note(1, rank: 1)])
        let before = table
        #expect(throws: Refusal.self) {
            try table.update(EntityID(Key(1))) { note throws(Refusal) in
                note.rank = 2
                throw Refusal()
            }
        }
        #expect(table == before)
        #expect(table.indexes == before.indexes)
    }

    @Test("a change of the identifier stops the program")
    func identifierIsConstant() async {
        await #expect(processExitsWith: .failure) {
            var table = Notes([Note(1)])
            table.update(EntityID(Key(1))) { $0 = Note(2) }
        }
        await #expect(processExitsWith: .failure) {
            var table = Notes()
            table[EntityID(Key(1))] = Note(2)
        }
    }

    @Test(
        "every sequence of four operations on three identifiers is that of a dictionary",
        arguments: [
            // All hashes apart; two equal; all equal.
            [1, 2, 3], [1, 1, 3], [1, 1, 1],
        ] as [[UInt64]]
    )
    func smallSequences(hashes: [UInt64]) {
        /// Insert with rank 0, insert with rank 1, remove: for each identifier.
        let operations = 9
        var total = 1
        for _ in 0..<4 { total *= operations }
        for sequence in 0..<total {
            var table = Notes()
            var model: [EntityID<Note>: Note] = [:]
            var rest = sequence
            var snapshots: [(Notes, [EntityID<Note>: Note])] = []
            for _ in 0..<4 {
                let (which, what) = ((rest % operations) / 3, rest % 3)
                rest /= operations
                let note = Note(UInt64(which), rank: what, group: which % 2, hashed: hashes[which])
                snapshots.append((table, model))
                if what == 2 {
                    #expect(table.remove(note.id) == model.removeValue(forKey: note.id))
                } else {
                    #expect(table.insert(note) == model.updateValue(note, forKey: note.id))
                }
            }
            snapshots.append((table, model))
            for (table, model) in snapshots.suffix(2) {
                if !agrees(table, model) {
                    Issue.record("sequence \(sequence)")
                    return
                }
            }
            #expect(
                table.listedChanges(since: snapshots[1].0)
                    == table.naiveChanges(since: snapshots[1].0)
            )
        }
    }

    private func agrees(_ table: Notes, _ model: [EntityID<Note>: Note]) -> Bool {
        table.count == model.count
            && Dictionary(uniqueKeysWithValues: table.map { ($0.id, $0) }) == model
            && model.allSatisfy { table[$0.key] == $0.value }
            && table.indexes == table.rebuiltIndexes()
            && table == Notes(model.values)
    }
}
