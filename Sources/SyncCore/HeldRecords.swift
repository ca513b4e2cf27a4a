/// The records that a device holds, by key: a table with open addressing.
///
/// An `EntityTable` beside the one of the shown records would do the same with more code, and no
/// part of the program observes this one.
///
/// Invariants
/// 1. The number of slots is a power of two, and at least a quarter of them are free.
/// 2. Between the slot that the hash of a record's key names and the record's own slot, none is free.
struct HeldRecords: Sendable {
    private var slots: [SyncRecord?] = [nil, nil, nil, nil]
    private var count = 0

    /// The slot of a key, or the free slot for it; until the next insertion or removal.
    @inline(never)
    func slot(of key: RecordKey) -> Int {
        let mask = slots.count - 1
        var slot = Int(truncatingIfNeeded: key.spread) & mask
        while let record = slots[slot], record.key != key { slot = (slot + 1) & mask }
        return slot
    }

    /// The record of a key.
    ///
    /// - Complexity: O(1), if hashes collide only by chance.
    @inline(never)
    func find(_ key: RecordKey) -> SyncRecord? { slots[slot(of: key)] }

    /// The record in a slot; `nil` if the slot is free.
    subscript(slot: Int) -> SyncRecord? { slots[slot] }

    /// The record in a slot, to be changed: itself if no other part of the program has it or one of
    /// its changes, else a copy that takes its place. `nil` if the slot is free.
    ///
    /// - Complexity: O(1), and O(*n*) for *n* records while a copy of this table exists.
    @inline(never)
    mutating func own(_ slot: Int) -> SyncRecord? {
        if slots[slot]?.isOpen ?? true { return slots[slot] }
        let hasChanges = slots[slot]?.changes.isEmpty == false
        if hasChanges || !isKnownUniquelyReferenced(&slots[slot]), let shared = slots[slot] {
            slots[slot] = SyncRecord(copying: shared)
        }
        return slots[slot]
    }

    /// Inserts a record, in the place of the one with its key.
    ///
    /// - Complexity: O(1), averaged over insertions.
    mutating func insert(_ record: SyncRecord) { insert(record, at: slot(of: record.key)) }

    /// Inserts a record whose slot is known.
    @inline(never)
    mutating func insert(_ record: SyncRecord, at slot: Int) {
        if slots[slot] == nil {
            count += 1
            if count * 4 > slots.count * 3 {
                let old = slots
                slots = Array(repeating: nil, count: old.count * 2)
                for moved in old { if let moved { slots[self.slot(of: moved.key)] = moved } }
                slots[self.slot(of: record.key)] = record
                return
            }
        }
        slots[slot] = record
    }

    /// Removes the record of a key.
    ///
    /// - Complexity: O(1), if hashes collide only by chance.
    @inline(never)
    mutating func remove(_ key: RecordKey) {
        var free = slot(of: key)
        guard slots[free] != nil else { return }
        slots[free] = nil
        count -= 1
        // Those behind it that could be in the free slot move up.
        let mask = slots.count - 1
        var next = (free + 1) & mask
        while let record = slots[next] {
            let home = Int(truncatingIfNeeded: record.key.spread) & mask
            if (next - home) & mask >= (next - free) & mask {
                slots[free] = record
                slots[next] = nil
                free = next
            }
            next = (next + 1) & mask
        }
    }

    /// All records, in no order.
    @inline(never)
    var all: [SyncRecord] {
        var all: [SyncRecord] = []
        for record in slots { if let record { all.append(record) } }
        return all
    }
}
