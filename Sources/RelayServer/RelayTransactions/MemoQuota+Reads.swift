package import RelayRules

extension MemoQuota {
    /// Reads what the decision needs.
    package func find(in tables: some RelayReads) throws -> Found {
        Found(
            uses: try tables.uses(counters),
            oldest: asksForOldest ? try tables.oldestAccount() : nil,
            knownSince: try askedPair.flatMap { try tables.oldestAccount(signedInUnder: $0) }
        )
    }
}
