import OutboxCore

extension Outbox {
    /// What is wrong with the storage beyond single entries: entries may be missing, or never be
    /// attempted.
    ///
    /// - Parameter limit: How many bytes of records may be looked through: of a storage that holds
    ///   more, and with 0, only what was noticed before is told.
    /// - Throws: ``StorageError``.
    /// - Complexity: O(bytes stored), or O(`limit`) where that is less.
    public func damage(checkingUpTo limit: Int = .max) throws -> [StorageDamage] {
        try storage.damage(checkingUpTo: limit)
    }

    /// Says what was noticed to be damaged.
    func logNoticedDamage() {
        logDamage { try damage(checkingUpTo: 0) }
    }

    /// Looks through a storage that is not large, and says what else is damaged. Those who enqueue
    /// may have to wait for it: for a few milliseconds.
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
