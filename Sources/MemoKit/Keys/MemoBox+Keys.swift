import Outbox
import OutboxCore
import OutboxSQLite
import SQLite

extension MemoBox {
    /// Moves the key to another place, or finishes a move that was interrupted. A folder without a
    /// key gets its first key there.
    ///
    /// A process that is killed at any moment leaves the key in the place that
    /// ``DataFolder/keyHome`` names. Other processes go on with the key that they have read.
    ///
    /// - Throws: ``MemoError/keyringLocked``, ``MemoError/keyringUnreachable`` and others: the key
    ///   stays in its place. ``MemoError/keyCopyLeft``: the key is in the file, and the keyring's
    ///   copy could not be removed.
    public func moveKey(to home: KeyHome) throws(MemoError) {
        try translatingErrors {
            do {
                let isUnused = try storage.isUnused()
                try keys.locks.changing { () throws(KeyStoreError) in
                    if isUnused, try keys.place.read() == nil {
                        let new = FolderKeyPlace(
                            folder: folder,
                            keyring: keys.place.keyring,
                            preference: home
                        )
                        _ = try new.add(KeyRing().encoded())
                        guard try new.read() != nil else { throw .missing }
                    }
                    try keys.place.move(to: home)
                }
            } catch let error as KeyStoreError {
                guard case .withheld = error, home == .file, folder.keyHome == .file else {
                    throw error
                }
                throw MemoError.keyCopyLeft
            }
        }
    }

    /// Seals all stored data again under a new key: queued memos, history, drafts, account and
    /// settings. Then removes the old key, unless a running program has read the old key, an entry
    /// cannot be read, or the folder has records that all devices of the person share: those stay under
    /// the key with which they were sealed.
    ///
    /// A process that is killed at any moment leaves all data readable, and another call finishes
    /// the rotation. Other programs may use the folder meanwhile.
    ///
    /// - Throws: ``MemoError``; what is stored is as readable as before.
    public func rotateKey() throws(MemoError) -> KeyRotation {
        try translatingErrors {
            try outbox.rotateKey()
            var resealed = try outbox.rekey().resealed
            for table in SealedTable.all { resealed += try table.reseal(in: self) }
            try outbox.retireKeys(neededElsewhere: {
                // Records that all devices share are sealed in databases of their own, which this
                // program does not open: all keys stay while there is one.
                if folder.hasSharedRecords {
                    return Set(try keys.keys(creating: false).map(\.id))
                }
                return try SealedTable.all.reduce(into: []) {
                    $0.formUnion(try $1.keysInUse(in: self))
                }
            })
            let isOldKeyGone = try keys.keys(creating: false).count == 1
            return KeyRotation(resealed: resealed, isOldKeyGone: isOldKeyGone)
        }
    }
}

/// The result of a rotation.
public struct KeyRotation: Hashable, Sendable {
    /// The number of stored entries that were sealed again.
    public let resealed: Int
    /// Whether the new key is the only one.
    public let isOldKeyGone: Bool
}
