package import OutboxCore

/// A key store over any place that holds one value.
package final class KeyRingStore<Place: KeyPlace>: KeyStore {
    package let place: Place
    package let locks: KeyLocks

    package init(place: Place, locks: KeyLocks) {
        self.place = place
        self.locks = locks
    }

    package func keys(creating: Bool) throws(KeyStoreError) -> [SealingKey] {
        try locks.share()
        if let bytes = try place.read() { return try KeyRing(decoding: bytes).keys }
        guard creating else { throw .missing }
        return try locks.changing { () throws(KeyStoreError) in
            // Another process may have made the first key, perhaps without a lock.
            if let bytes = try place.read() { return try KeyRing(decoding: bytes).keys }
            _ = try place.add(KeyRing().encoded())
            guard let bytes = try place.read() else { throw .missing }
            return try KeyRing(decoding: bytes).keys
        }
    }

    package func addKey() throws(KeyStoreError) -> KeyID {
        try locks.changing { () throws(KeyStoreError) in
            guard let bytes = try place.read() else { throw .missing }
            var ring = try KeyRing(decoding: bytes)
            let key = SealingKey.random()
            try ring.add(key)
            try place.replace(with: ring.encoded())
            return key.id
        }
    }

    package func retireKeys(needed: () throws -> Set<KeyID>) throws -> Set<KeyID>? {
        try locks.alone {
            let needed = try needed()
            return try locks.changing { () throws(KeyStoreError) in
                guard let bytes = try place.read() else { throw .missing }
                let keys = try KeyRing(decoding: bytes).keys
                let current = keys[keys.count - 1].id
                let kept = keys.filter { $0.id == current || needed.contains($0.id) }
                guard kept.count < keys.count else { return [] }
                try place.replace(with: KeyRing(keys: kept).encoded())
                return Set(keys.map(\.id)).subtracting(kept.map(\.id))
            }
        }
    }
}

/// Holds one value, the key ring of one storage: a file, an item of a keychain or keyring.
///
/// Changes run inside ``KeyLocks/changing(_:)``; reading needs no lock.
package protocol KeyPlace: Sendable {
    /// The value; `nil` only when it is certain that there is no value.
    func read() throws(KeyStoreError) -> [UInt8]?

    /// Stores the first value, durably.
    ///
    /// - Returns: `false` when there is a value already, which stays.
    func add(_ bytes: [UInt8]) throws(KeyStoreError) -> Bool

    /// Replaces the present value, durably and completely or not at all.
    func replace(with bytes: [UInt8]) throws(KeyStoreError)
}

/// A place that can be emptied.
package protocol RemovableKeyPlace: KeyPlace {
    /// Removes the value, durably. A missing value is not an error.
    func remove() throws(KeyStoreError)
}
