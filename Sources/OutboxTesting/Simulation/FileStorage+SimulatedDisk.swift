public import Outbox
public import OutboxFiles

extension FileStorage {
    /// Opens the store in `folder` of a simulated disk, as a process of the machine would; its parent
    /// must exist.
    ///
    /// - Throws: ``/Outbox/StorageError``.
    public convenience init(folder: String, disk: SimulatedDisk) throws(StorageError) {
        try self.init(folder: folder, system: disk)
    }
}
