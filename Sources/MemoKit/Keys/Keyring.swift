package import Outbox

/// The part of a keychain or keyring that a data folder needs.
package protocol Keyring: Sendable {
    /// The item with this name.
    func item(_ name: String, access: KeyringAccess) -> any RemovableKeyPlace
}

/// The reason for asking a keyring.
package enum KeyringAccess: Sendable {
    /// Another place will do: no person is asked to unlock the keyring, and the wait is short.
    case tentative
    /// The key is in the keyring and nowhere else: a person at the terminal may be asked to unlock
    /// the keyring.
    case needed
}

#if canImport(Security)
    /// The Keychain of an Apple system.
    package struct KeychainKeyring: Keyring {
        package init() {}

        package func item(_ name: String, access: KeyringAccess) -> any RemovableKeyPlace {
            KeychainItem(service: "simple-memo", account: name)
        }
    }
#endif
