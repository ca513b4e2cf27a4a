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
