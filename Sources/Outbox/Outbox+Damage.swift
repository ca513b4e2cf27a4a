import OutboxCore

extension Outbox {
    /// Reports damage of the storage beyond single entries: entries may be missing, or never be
    /// attempted.
    ///
    /// - Parameter limit: The number of bytes of records up to which the whole storage is checked.
    ///   For a larger storage, and with 0, only damage that was noticed before is reported.
    /// - Throws: ``StorageError``.
    /// - Complexity: O(bytes stored), or O(`limit`) where that is less.
    public func damage(checkingUpTo limit: Int = .max) throws -> [StorageDamage] {
        try storage.damage(checkingUpTo: limit)
    }

    /// Logs the damage that the storage has noticed so far.
    func logNoticedDamage() {
        logDamage { try damage(checkingUpTo: 0) }
    }

    /// Checks a small storage, and logs the damage that the check finds. Delays an enqueue by at
    /// most a few milliseconds.
    func checkEntries() {
        logDamage { try damage(checkingUpTo: 4 << 20).filter { $0 == .inconsistent } }
    }

    private func logDamage(_ find: () throws -> [StorageDamage]) {
        do {
            for damage in try find() { log(OutboxEvent(.damaged, reason: damage.reason)) }
        } catch {
            log(OutboxEvent(.queueNotRead, reason: ReasonCode(failure: error)))
        }
    }
}
