import LibC
public import MemoKit

extension BoxKeys {
    /// The keyring of this system, and the place that the environment names for the first key.
    ///
    /// - Parameter agent: The program that asks the keyring of a Linux desktop; `nil` for
    ///   ``AgentProgram/located()``.
    /// - Throws: ``/MemoKit/MemoError/keyStoreUnknown(_:)`` for a name in `MEMO_KEY_STORE` without a
    ///   place on this system.
    public static func ofEnvironment(agent: String? = nil) throws(MemoError) -> BoxKeys {
        let newKey = try KeyHome.ofEnvironment()
        #if canImport(Security)
            return BoxKeys(keyring: KeychainKeyring(), newKey: newKey)
        #else
            return BoxKeys(keyring: AgentKeyring(agent: agent), newKey: newKey)
        #endif
    }
}

extension KeyHome {
    /// The place that the environment, `MEMO_KEY_STORE`, names for the key of a new folder; `nil`
    /// for the keyring if it is open, else the file.
    ///
    /// - Throws: ``MemoError/keyStoreUnknown(_:)`` for a name without a place on this system.
    static func ofEnvironment() throws(MemoError) -> KeyHome? {
        guard let value = getenv("MEMO_KEY_STORE"), value.pointee != 0 else { return nil }
        return try KeyHome(name: String(cString: value))
    }
}
