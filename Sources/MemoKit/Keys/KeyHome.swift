import LibC

/// The place of a data folder's key. The raw value is the name that a person types.
public enum KeyHome: String, Hashable, Sendable {
    /// A file of mode 0600 in the data folder.
    case file
    /// The Keychain of an Apple system.
    case keychain
    /// The Secret Service of a Linux desktop, such as GNOME Keyring or KWallet.
    case secretService = "secret-service"

    /// The places that this system has.
    public static var offered: [KeyHome] { [.file, keyring] }

    #if canImport(Security)
        static let keyring = KeyHome.keychain
    #else
        static let keyring = KeyHome.secretService
    #endif

    /// Finds the place of a name.
    ///
    /// - Throws: ``MemoError/keyStoreUnknown(_:)`` for a name without a place on this system.
    public init(name: String) throws(MemoError) {
        guard let home = KeyHome(rawValue: name), Self.offered.contains(home) else {
            throw .keyStoreUnknown(name)
        }
        self = home
    }

    /// The place that the environment, `MEMO_KEY_STORE`, names for the key of a new folder; `nil`
    /// for the keyring if it is open, else the file.
    ///
    /// - Throws: ``MemoError/keyStoreUnknown(_:)`` for a name without a place on this system.
    static func ofEnvironment() throws(MemoError) -> KeyHome? {
        guard let value = getenv("MEMO_KEY_STORE"), value.pointee != 0 else { return nil }
        return try KeyHome(name: String(cString: value))
    }
}
