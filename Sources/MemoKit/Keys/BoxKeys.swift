import Outbox

/// The places in which a box may keep its key ring: a file in the data folder, and a keyring.
public struct BoxKeys: Sendable {
    let keyring: any Keyring
    /// The place for the first key; `nil` for the keyring if the keyring is open, else the file.
    let newKey: KeyHome?

    package init(keyring: any Keyring, newKey: KeyHome?) {
        self.keyring = keyring
        self.newKey = newKey
    }

    /// The first key goes into a file. A key that is in a keyring counts as out of reach.
    public static var file: BoxKeys {
        BoxKeys(keyring: UnreachableKeyring(), newKey: .file)
    }

    #if canImport(Security)
        /// The first key goes into the Keychain if the Keychain is open, else into a file.
        public static var keychain: BoxKeys {
            BoxKeys(keyring: KeychainKeyring(), newKey: nil)
        }
    #endif
}

/// A keyring that this process has no way to.
private struct UnreachableKeyring: Keyring {
    func item(_ name: String, access: KeyringAccess) -> any RemovableKeyPlace { Item() }

    private struct Item: RemovableKeyPlace {
        func read() throws(KeyStoreError) -> [UInt8]? { throw .withheld(.unreachable) }
        func add(_ bytes: [UInt8]) throws(KeyStoreError) -> Bool { throw .withheld(.unreachable) }
        func replace(with bytes: [UInt8]) throws(KeyStoreError) { throw .withheld(.unreachable) }
        func remove() throws(KeyStoreError) { throw .withheld(.unreachable) }
    }
}
