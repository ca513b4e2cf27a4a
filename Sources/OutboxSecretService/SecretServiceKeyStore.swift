#if os(Linux)
    public import Outbox
    public import OutboxCore

    /// Keeps keys in the Secret Service of the person's desktop, through libsecret: GNOME Keyring,
    /// KWallet, KeePassXC and every other service that speaks `org.freedesktop.secrets`.
    ///
    /// The first use of the keys loads libsecret. The keys are unavailable for the moment,
    /// ``/Outbox/KeyStoreError/withheld(_:)``, without libsecret, without a session bus or a
    /// service on it, while the keyring is locked, and when no answer comes in time. A login by ssh
    /// often has no session bus, or its keyring is locked.
    ///
    /// Storing a key is rare and ends with `sync(2)`: a service may write a key without making it
    /// durable. Do not use a service that keeps keys only in memory or elsewhere.
    public struct SecretServiceKeyStore: KeyStore {
        private let store: KeyRingStore<SecretServiceItem>

        /// - Parameters:
        ///   - application: The name of the app, such as `org.example.app`.
        ///   - account: A name that distinguishes the storages of one app.
        ///   - label: The text that a person reads in the list of their passwords.
        ///   - locks: A path in a folder that every process of the app can write. The empty files
        ///     `PATH-lock` and `PATH-use` are locked while keys are changed and used.
        ///   - mayAsk: Whether the service may ask the person to unlock the keyring. Pass `false`
        ///     in a background process.
        ///   - patience: The longest duration of one access. With `mayAsk`, it includes the
        ///     person's answer.
        public init(
            application: String,
            account: String,
            label: String,
            locks: String,
            mayAsk: Bool = false,
            patience: Duration = .seconds(5)
        ) {
            store = KeyRingStore(
                place: SecretServiceItem(
                    application: application,
                    account: account,
                    label: label,
                    mayAsk: mayAsk,
                    patience: patience
                ),
                locks: KeyLocks(prefix: locks)
            )
        }

        public func keys(creating: Bool) throws(KeyStoreError) -> [SealingKey] {
            try store.keys(creating: creating)
        }

        public func addKey() throws(KeyStoreError) -> KeyID {
            try store.addKey()
        }

        public func retireKeys(needed: () throws -> Set<KeyID>) throws -> Set<KeyID>? {
            try store.retireKeys(needed: needed)
        }
    }
#endif
