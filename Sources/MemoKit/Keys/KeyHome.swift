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
}
