internal import OutboxCore

extension Outbox {
    /// What is wrong with the storage beyond single entries: entries may be missing, or never be
    /// attempted.
    ///
    /// - Parameter checkingEntries: Whether to look through all that is stored. Else only what was
    ///   noticed before is told.
    /// - Throws: ``StorageError``.
    /// - Complexity: O(entries), if it is to check them.
    public func damage(checkingEntries: Bool = true) throws -> [StorageDamage] {
        try storage.damage(checkingEntries: checkingEntries)
    }

    /// Says what was noticed to be damaged.
    func logNoticedDamage() {
        logDamage { try damage(checkingEntries: false) }
    }

    /// Looks through a queue that is not long, and says what else is damaged.
    func checkEntries() {
        logDamage {
            let longest = 1000
            let queued = try storage.entries(in: .queued, after: nil, limit: longest + 1)
            guard queued.count <= longest else { return [] }
            let noticed = try damage(checkingEntries: false)
            return try damage(checkingEntries: true).filter { !noticed.contains($0) }
        }
    }

    private func logDamage(_ find: () throws -> [StorageDamage]) {
        do {
            for damage in try find() { log(OutboxEvent(.damaged, reason: damage.reason)) }
        } catch {
            log(OutboxEvent(.queueNotRead, reason: ReasonCode(failure: error)))
        }
    }
}
