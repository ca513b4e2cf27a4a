import Outbox
import OutboxCore
import OutboxSQLite
import SQLite

extension MemoBox {
    /// Moves the key to another place, or finishes a move that was cut short. A folder that has no
    /// key yet gets its first one there.
    ///
    /// Killed at any moment, the key is where ``DataFolder/keyHome`` says. Other processes go on with
    /// the key that they have.
    ///
    /// - Throws: ``MemoError/keyringLocked``, ``MemoError/keyringUnreachable`` and others: the key is
    ///   where it was. ``MemoError/keyCopyLeft`` when it is in the file, and the keyring's copy could
    ///   not be removed.
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

    /// Seals everything that is stored again, under a new key: memos on their way, history, drafts,
    /// account and settings. Then the old key is removed, unless something still needs it: another
    /// program that runs and has read it, or an entry that cannot be read.
    ///
    /// Killed at any moment, everything stays readable; calling it again does the rest. Other
    /// programs may go on meanwhile.
    ///
    /// - Throws: ``MemoError``; what is stored is as readable as before.
    public func rotateKey() throws(MemoError) -> KeyRotation {
        try translatingErrors {
            try outbox.rotateKey()
            var resealed = try outbox.rekey().resealed
            for table in SealedTable.all { resealed += try table.reseal(in: self) }
            try outbox.retireKeys(neededElsewhere: {
                try SealedTable.all.reduce(into: []) { $0.formUnion(try $1.keysInUse(in: self)) }
            })
            let isOldKeyGone = try keys.keys(creating: false).count == 1
            return KeyRotation(resealed: resealed, isOldKeyGone: isOldKeyGone)
        }
    }
}

/// What a change of the key came to.
public struct KeyRotation: Hashable, Sendable {
    /// How many stored entries were sealed again.
    public let resealed: Int
    /// Whether no key but the new one is left.
    public let isOldKeyGone: Bool
}
