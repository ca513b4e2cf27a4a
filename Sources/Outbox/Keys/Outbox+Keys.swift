public import OutboxCore

/// The result of ``Outbox/rekey()``.
public struct RekeyReport: Hashable, Sendable {
    /// How many operations were sealed again.
    public internal(set) var resealed = 0
    /// Queued and parked operations that cannot be read, left as they are: a drain will quarantine
    /// what it attempts of them.
    public internal(set) var unreadable = 0
    /// Quarantined entries, left as they are.
    public internal(set) var quarantined = 0
}

/// Changing the key.
///
/// ```swift
/// try outbox.rotateKey()            // everything from now on is sealed under a new key
/// let report = try outbox.rekey()   // and so is what was stored before
/// try outbox.retireKeys()           // the old key is gone, once nothing needs it
/// ```
///
/// Each step may be cut short by a crash at any point, and repeated: every record can be read all
/// the time. Other processes may enqueue and drain meanwhile; they read the keys again when they
/// meet a record under a key that they do not know.
extension Outbox {
    /// Makes a new key, under which this object seals everything from now on. Records that were
    /// sealed before stay readable.
    ///
    /// Other processes go on under the key they have until they meet a record under the new one.
    ///
    /// - Throws: ``KeyStoreError``; the keys are as they were.
    @discardableResult
    public func rotateKey() throws -> KeyID {
        try sealer.rotate()
    }

    /// Seals every queued and parked operation that is under another key again, under the current
    /// one. Nothing else about it changes. Quarantined entries are left as they are.
    ///
    /// - Throws: ``StorageError`` or ``KeyStoreError``; what was sealed again by then stays so, and
    ///   the next call goes on.
    /// - Complexity: One disk write for each operation that is sealed again.
    public func rekey() throws -> RekeyReport {
        var report = RekeyReport()
        // An operation that a person, or a drain, moves between the states meanwhile is met in the
        // second round.
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

    /// The keys that anything in the storage is sealed under, quarantined entries as well.
    ///
    /// - Complexity: O(entries).
    public func keysInUse() throws -> Set<KeyID> {
        var keys: Set<KeyID> = []
        // In this order, what moves meanwhile is met: queued again later, or opened by this object,
        // which then keeps the key by itself.
        for state in [OperationState.quarantined, .parked, .queued] {
            try forEachEntry(in: state) { entry in
                if let key = Sealer.keyID(of: entry.record) { keys.insert(key) }
            }
        }
        return keys
    }

    /// Removes every key that nothing needs any more.
    ///
    /// A key stays while something stored is sealed under it; while another process, or another
    /// object of this one, has read the keys, because it may be about to store something; and while
    /// this object lives, if it has sealed or opened anything under it, for the same reason.
    ///
    /// - Parameter elsewhere: Returns the keys of bytes that ``sealer`` sealed and that are kept
    ///   elsewhere. Called while no other process or object has the keys.
    /// - Returns: The keys that were removed.
    /// - Throws: ``StorageError``, ``KeyStoreError`` or what `elsewhere` threw; the keys are as
    ///   they were.
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
