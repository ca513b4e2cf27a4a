import Outbox

/// The key ring of a data folder, wherever that is: in the key file if there is one, else where the
/// marker says.
///
/// A move writes the new place whole before it gives up the old one, and what decides between them
/// is one step: that the key file appears, or that it goes. Killed at any moment, the key is where
/// the folder says.
struct FolderKeyPlace: KeyPlace {
    let folder: DataFolder
    let keyring: any Keyring
    /// Where the first key is to be kept; `nil` for the keyring if it is open, else the file.
    let preference: KeyHome?

    private var file: KeyFile { KeyFile(path: folder.key) }

    func read() throws(KeyStoreError) -> [UInt8]? {
        while true {
            if let bytes = try file.read() { return bytes }
            // From here on another process may be moving it.
            let marker = try KeyMarker(in: folder)
            if let marker, let bytes = try item(marker).read() { return bytes }
            if let bytes = try file.read() { return bytes }
            if try KeyMarker(in: folder) == marker { return nil }
        }
    }

    func add(_ bytes: [UInt8]) throws(KeyStoreError) -> Bool {
        switch preference {
        case .file: return try file.add(bytes)
        case .keychain, .secretService: return try addToKeyring(bytes, access: .needed)
        case nil:
            do throws(KeyStoreError) {
                return try addToKeyring(bytes, access: .tentative)
            } catch {
                return try file.add(bytes)
            }
        }
    }

    func replace(with bytes: [UInt8]) throws(KeyStoreError) {
        if try file.read() != nil { return try file.replace(with: bytes) }
        guard let marker = try KeyMarker(in: folder) else { throw .missing }
        try item(marker).replace(with: bytes)
    }

    /// Nothing is sealed under a first key before it was read back: an item without a marker is of
    /// no use and does no harm.
    private func addToKeyring(
        _ bytes: [UInt8],
        access: KeyringAccess
    ) throws(KeyStoreError) -> Bool {
        let marker = KeyMarker()
        guard try keyring.item(marker.item, access: access).add(bytes) else { return false }
        try marker.write(in: folder)
        return true
    }

    private func item(_ marker: KeyMarker) -> any RemovableKeyPlace {
        keyring.item(marker.item, access: .needed)
    }

    // MARK: Moving

    /// Moves the key ring, or goes on with a move that was cut short. Held under
    /// ``Outbox/KeyLocks/changing(_:)``, like every change.
    ///
    /// - Throws: ``KeyStoreError``; the key is where ``DataFolder/keyHome`` says.
    func move(to home: KeyHome) throws(KeyStoreError) {
        guard let bytes = try read() else { throw .missing }
        if home == .file {
            try moveToFile(bytes)
        } else if try file.read() != nil {
            try moveToKeyring(bytes)
        }
    }

    private func moveToFile(_ bytes: [UInt8]) throws(KeyStoreError) {
        if try file.read() == nil { _ = try file.add(bytes) }
        // The file counts now; the copy goes before what names it.
        guard let marker = try KeyMarker(in: folder) else { return }
        try item(marker).remove()
        try KeyMarker.remove(in: folder)
    }

    private func moveToKeyring(_ bytes: [UInt8]) throws(KeyStoreError) {
        let marker = try KeyMarker(in: folder) ?? KeyMarker()
        let item = item(marker)
        // A keyring that is not open is told before anything is written.
        _ = try item.read()
        try marker.write(in: folder)
        if try !item.add(bytes) { try item.replace(with: bytes) }
        guard try item.read() == bytes else { throw .withheld(.failed) }
        // The keyring's counts as soon as the file is gone.
        try file.remove()
    }
}
