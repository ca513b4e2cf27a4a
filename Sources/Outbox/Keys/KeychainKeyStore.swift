#if canImport(Security)
    import Foundation
    public import OutboxCore
    import Security

    /// Keeps keys in the Keychain of this device: readable from the first unlock after a start on,
    /// so that a delivery in the background can read them, and never copied to another device.
    ///
    /// A Keychain that does not answer now means wait: for example, the device was not unlocked
    /// since its start (`errSecInteractionNotAllowed`).
    public struct KeychainKeyStore: KeyStore {
        private let store: KeyRingStore<KeychainItem>

        /// - Parameters:
        ///   - service: The name of the app, such as `org.example.app`.
        ///   - account: The name of the storage, which distinguishes several storages of one app.
        ///   - locks: A path in a folder that every process of the app can write. `PATH-lock` and
        ///     `PATH-use` are locked while keys are changed and used; they hold nothing.
        ///   - accessGroup: The group of the app and its extensions, which share the keys. `nil`:
        ///     only the app has the keys.
        public init(
            service: String,
            account: String,
            locks: String,
            accessGroup: String? = nil
        ) {
            store = KeyRingStore(
                place: KeychainItem(
                    service: service,
                    account: account,
                    accessGroup: accessGroup
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

    /// A key ring in one generic password of the data protection keychain.
    package struct KeychainItem: RemovableKeyPlace {
        private let service: String
        private let account: String
        private let accessGroup: String?

        package init(service: String, account: String, accessGroup: String? = nil) {
            self.service = service
            self.account = account
            self.accessGroup = accessGroup
        }

        package func read() throws(KeyStoreError) -> [UInt8]? {
            var query = query
            query[kSecReturnData] = true
            query[kSecMatchLimit] = kSecMatchLimitOne
            var result: CFTypeRef?
            switch SecItemCopyMatching(query as CFDictionary, &result) {
            case errSecSuccess:
                guard let data = result as? Data else { throw .malformed }
                return Array(data)
            case errSecItemNotFound: return nil
            case let status: throw Self.refusal(status)
            }
        }

        package func add(_ bytes: [UInt8]) throws(KeyStoreError) -> Bool {
            var attributes = query
            attributes[kSecAttrAccessible] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
            attributes[kSecValueData] = Data(bytes)
            switch SecItemAdd(attributes as CFDictionary, nil) {
            case errSecSuccess: return true
            case errSecDuplicateItem: return false
            case let status: throw Self.refusal(status)
            }
        }

        package func replace(with bytes: [UInt8]) throws(KeyStoreError) {
            let change: [CFString: Any] = [kSecValueData: Data(bytes)]
            switch SecItemUpdate(query as CFDictionary, change as CFDictionary) {
            case errSecSuccess: return
            case errSecItemNotFound: throw .missing
            case let status: throw Self.refusal(status)
            }
        }

        package func remove() throws(KeyStoreError) {
            switch SecItemDelete(query as CFDictionary) {
            case errSecSuccess, errSecItemNotFound: return
            case let status: throw Self.refusal(status)
            }
        }

        private var query: [CFString: Any] {
            var query: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword,
                kSecAttrService: service,
                kSecAttrAccount: account,
                kSecUseDataProtectionKeychain: true,
            ]
            query[kSecAttrAccessGroup] = accessGroup
            return query
        }

        /// No status but "not found" says that there is no key.
        private static func refusal(_ status: OSStatus) -> KeyStoreError {
            switch status {
            case errSecInteractionNotAllowed, errSecUserCanceled, errSecAuthFailed,
                errSecInteractionRequired:
                .withheld(.locked)
            case errSecNotAvailable, errSecMissingEntitlement, errSecNoSuchKeychain:
                .withheld(.unreachable)
            default: .unreadable(code: status)
            }
        }
    }
#endif
