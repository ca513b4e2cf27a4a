public import OutboxCore

/// The result of ``Outbox/rekey()``.
public struct RekeyReport: Hashable, Sendable {
    /// The number of operations that were sealed again.
    public internal(set) var resealed = 0
    /// The number of queued and parked operations that cannot be read. They are left as they are: a
    /// drain quarantines such an operation when it attempts it.
    public internal(set) var unreadable = 0
    /// The number of quarantined entries. They are left as they are.
    public internal(set) var quarantined = 0
}

/// Methods that change the key.
///
/// ```swift
/// try outbox.rotateKey()            // everything from now on is sealed under a new key
/// let report = try outbox.rekey()   // and so is what was stored before
/// try outbox.retireKeys()           // the old key is gone, once nothing needs it
/// ```
///
/// A crash may interrupt each step at any point, and each step may be repeated: every record stays
/// readable all the time. Other processes may enqueue and drain meanwhile. They read the keys again
/// when they meet a record under an unknown key.
extension Outbox {
    /// Makes a new key, under which this object seals everything from then on. Records under
    /// earlier keys stay readable.
    ///
    /// Other processes use their current key until they meet a record under the new key.
    ///
    /// - Throws: ``KeyStoreError``; the keys are as they were.
    @discardableResult
    public func rotateKey() throws -> KeyID {
        try sealer.rotate()
    }

    /// Seals again, under the current key, every queued and parked operation that is sealed under
    /// another key. Nothing else about the operation changes. Quarantined entries are left as they
    /// are.
    ///
    /// - Throws: ``StorageError`` or ``KeyStoreError``; operations that are already sealed again
    ///   stay so, and the next call continues.
    /// - Complexity: One disk write for each operation that is sealed again.
    public func rekey() throws -> RekeyReport {
        var report = RekeyReport()
        // The second round meets an operation that a person, or a drain, moves between the states
        // meanwhile.
        for _ in 0..<2 {
            report.unreadable = 0
            for state in [OperationState.parked, .queued] {
                try forEachEntry(in: state) { entry in
                    do {
                        if try reseal(entry) { report.resealed += 1 }
                    } catch is UnreadableRecord {
                        report.unreadable += 1
                    }
                }
            }
        }
        report.quarantined = try counts().quarantined
        return report
    }

    /// Returns the keys of all records in the storage, including those of quarantined entries.
    ///
    /// - Complexity: O(entries).
    public func keysInUse() throws -> Set<KeyID> {
        var keys: Set<KeyID> = []
        // This order meets an entry that moves meanwhile: the entry is queued again and read later,
        // or this object opened it and then keeps the key by itself.
        for state in [OperationState.quarantined, .parked, .queued] {
            try forEachEntry(in: state) { entry in
                if let key = Sealer.keyID(of: entry.record) { keys.insert(key) }
            }
        }
        return keys
    }

    /// Removes every key that nothing needs.
    ///
    /// A key stays while a stored record is sealed under it. All keys stay while another process,
    /// or another object of this process, has read the keys, because it may be about to store
    /// something. For the same reason a key stays while this object lives, if this object has
    /// sealed or opened anything under that key.
    ///
    /// - Parameter elsewhere: A function that returns the keys of bytes that ``sealer`` sealed and
    ///   that are kept elsewhere. It runs while no other process or object has the keys.
    /// - Returns: The keys that were removed.
    /// - Throws: ``StorageError``, ``KeyStoreError`` or the error of `elsewhere`. The keys are then
    ///   unchanged.
    @discardableResult
    public func retireKeys(
        neededElsewhere elsewhere: () throws -> Set<KeyID> = { [] }
    ) throws -> Set<KeyID> {
        try sealer.retire { try keysInUse().union(elsewhere()) } ?? []
    }

    // MARK: -

    private func reseal(_ entry: StoredEntry) throws -> Bool {
        guard let envelope = try? Envelope(decoding: entry.envelope),
            envelope.id == entry.operationID
        else { throw UnreadableRecord(reason: .envelope) }
        let resealed = try sealer.resealed(
            entry.record,
            id: envelope.id,
            kind: envelope.kind,
            createdAt: envelope.createdAt
        )
        guard let resealed else { return false }
        return try storage.replaceRecord(entry.id, from: entry.record, to: resealed)
    }

    private func forEachEntry(
        in state: OperationState,
        _ body: (StoredEntry) throws -> Void
    ) throws {
        var last: EntryID?
        while true {
            let entries = try storage.entries(in: state, after: last, limit: 100)
            for entry in entries { try body(entry) }
            guard let end = entries.last?.id else { return }
            last = end
        }
    }
}
