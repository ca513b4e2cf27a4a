#if os(Linux)
    public import Outbox
    public import OutboxCore

    /// Keeps keys in the Secret Service of the person's desktop: GNOME Keyring, KWallet, KeePassXC
    /// and whatever else speaks `org.freedesktop.secrets`, by way of libsecret.
    ///
    /// libsecret is looked for when the keys are first needed. Without it, without a session bus or
    /// a service on it, while the keyring is locked, and when no answer comes in time, the keys
    /// cannot be read *now*: ``/Outbox/KeyStoreError/withheld(_:)``. A login by ssh often has no
    /// session bus, or a keyring that nobody has unlocked.
    ///
    /// Storing a key, which is rare, ends with `sync(2)`: a service may have written it without
    /// making it durable. One that keeps keys in memory only, or elsewhere, is not to be trusted with
    /// them.
    public struct SecretServiceKeyStore: KeyStore {
        private let store: KeyRingStore<SecretServiceItem>

        /// - Parameters:
        ///   - application: Names the app, such as `org.example.app`.
        ///   - account: Tells several storages of one app apart.
        ///   - label: What a person reads in the list of their passwords.
        ///   - locks: A path in a folder that every process of the app can write. `PATH-lock` and
        ///     `PATH-use` are locked while keys are changed and used; they hold nothing.
        ///   - mayAsk: Whether the service may ask the person to unlock it. Not in the background.
        ///   - patience: How long one access may take; with `mayAsk`, how long the person may.
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
