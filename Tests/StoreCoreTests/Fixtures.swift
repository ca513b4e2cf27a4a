import StoreCore

/// An identifier whose hash says no more than it is told to.
struct Key: Hashable, Comparable, Sendable {
    let number: UInt64
    /// Identifiers with the same value here have the same hash.
    let hashed: UInt64

    init(_ number: UInt64, hashed: UInt64? = nil) {
        self.number = number
        self.hashed = hashed ?? number
    }

    static func == (left: Self, right: Self) -> Bool { left.number == right.number }
    static func < (left: Self, right: Self) -> Bool { left.number < right.number }
    func hash(into hasher: inout Hasher) { hashed.hash(into: &hasher) }
}

struct Note: Entity {
    typealias RawID = Key

    let id: EntityID<Note>
    var rank: Int
    var group: Int?
    var text = ""

    init(
        _ number: UInt64,
        rank: Int = 0,
        group: Int? = nil,
        text: String = "",
        hashed: UInt64? = nil
    ) {
        id = EntityID(Key(number, hashed: hashed))
        self.rank = rank
        self.group = group
        self.text = text
    }
}

/// Only notes of an even rank.
enum ByEvenRank: IndexOrder {
    static func key(of note: Note) -> Int? { note.rank.isMultiple(of: 2) ? note.rank : nil }
}

enum ByRank: IndexOrder {
    static func key(of note: Note) -> Int? { note.rank }
}

enum ByGroup: IndexGrouping {
    static func group(of note: Note) -> Int? { note.group }
    static func key(of note: Note) -> Int? { note.rank }
}

struct NoteIndexes: EntityIndexes, Equatable {
    var byRank = OrderedIndex<ByRank>()
    var byEvenRank = OrderedIndex<ByEvenRank>()
    var byGroup = GroupedIndex<ByGroup>()

    mutating func update(_ change: EntityChange<Note>) {
        byRank.update(change)
        byEvenRank.update(change)
        byGroup.update(change)
    }
}

typealias Notes = EntityTable<Note, NoteIndexes>

extension EntityTable {
    func listedChanges(since old: Self) -> [EntityChange<E>] {
        var list: [EntityChange<E>] = []
        changes(since: old) { list.append($0) }
        return list.sorted { $0.id < $1.id }
    }

    /// The same by looking at everything.
    func naiveChanges(since old: Self) -> [EntityChange<E>] {
        let before = Dictionary(uniqueKeysWithValues: old.map { ($0.id, $0) })
        let after = Dictionary(uniqueKeysWithValues: map { ($0.id, $0) })
        var list: [EntityChange<E>] = []
        for id in Set(before.keys).union(after.keys).sorted() {
            switch (before[id], after[id]) {
            case (nil, let new?): list.append(.inserted(new))
            case (let old?, nil): list.append(.removed(old))
            case (let old?, let new?) where old != new: list.append(.updated(from: old, to: new))
            default: break
            }
        }
        return list
    }
}
