import Outbox

/// The key ring of a data folder: in the key file if there is one, else in the place that the
/// marker names.
///
/// A move writes the new place whole before it gives up the old one. One step decides between the
/// two: the key file appears, or disappears. A process that is killed at any moment leaves the key
/// in the place that the folder names.
struct FolderKeyPlace: KeyPlace {
    let folder: DataFolder
    let keyring: any Keyring
    /// The place for the first key; `nil` for the keyring if the keyring is open, else the file.
    let preference: KeyHome?

    private var file: KeyFile { KeyFile(path: folder.key) }

    func read() throws(KeyStoreError) -> [UInt8]? {
        while true {
            if let bytes = try file.read() { return bytes }
            // From here on another process may be moving the key ring.
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

    /// Nothing is sealed under a first key before the key was read back: an item without a marker
    /// is of no use and does no harm.
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

    /// Moves the key ring, or continues a move that was cut short. Call this inside
    /// ``/Outbox/KeyLocks/changing(_:)``, like every change.
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
        // The file counts from here on. The copy is removed before the marker that names the copy.
        guard let marker = try KeyMarker(in: folder) else { return }
        try item(marker).remove()
        try KeyMarker.remove(in: folder)
    }

    private func moveToKeyring(_ bytes: [UInt8]) throws(KeyStoreError) {
        let marker = try KeyMarker(in: folder) ?? KeyMarker()
        let item = item(marker)
        // Throws if the keyring is not open, before anything is written.
        _ = try item.read()
        try marker.write(in: folder)
        if try !item.add(bytes) { try item.replace(with: bytes) }
        guard try item.read() == bytes else { throw .withheld(.failed) }
        // The keyring's key counts as soon as the file is gone.
        try file.remove()
    }
}
