import Outbox

/// A keychain or keyring, as far as a data folder needs one.
protocol Keyring: Sendable {
    /// The item with this name.
    func item(_ name: String, access: KeyringAccess) -> any RemovableKeyPlace
}

/// How much somebody wants what a keyring has.
enum KeyringAccess: Sendable {
    /// Another place will do: nobody is asked, and waiting is short.
    case tentative
    /// The key is there, and nowhere else: a person at the terminal may be asked to unlock it.
    case needed
}

#if canImport(Security)
    /// The Keychain of an Apple system.
    struct SystemKeyring: Keyring {
        init(agent: String?) {}

        func item(_ name: String, access: KeyringAccess) -> any RemovableKeyPlace {
            KeychainItem(service: "simple-memo", account: name)
        }
    }
#else
    typealias SystemKeyring = AgentKeyring
#endif
