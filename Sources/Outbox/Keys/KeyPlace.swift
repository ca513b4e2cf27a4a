/// Holds one value, the key ring of one storage: a file, an item of a keychain or keyring.
///
/// Whoever changes it holds ``KeyLocks/changing(_:)``; reading needs no lock.
package protocol KeyPlace: Sendable {
    /// The value; `nil` only when it is certain that there is none.
    func read() throws(KeyStoreError) -> [UInt8]?

    /// Stores the first value, durably.
    ///
    /// - Returns: `false` when there is one already, which stays.
    func add(_ bytes: [UInt8]) throws(KeyStoreError) -> Bool

    /// Stores another value in place of the one there is: durably, all of it or nothing.
    func replace(with bytes: [UInt8]) throws(KeyStoreError)
}

/// A place that can be emptied.
package protocol RemovableKeyPlace: KeyPlace {
    /// Removes the value, durably. One that is not there is not an error.
    func remove() throws(KeyStoreError)
}
