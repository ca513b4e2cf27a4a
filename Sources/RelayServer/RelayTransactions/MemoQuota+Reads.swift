package import RelayRules

extension MemoQuota {
    /// Reads what the decision needs.
    package func find(in tables: some RelayReads) throws -> Found {
        Found(
            uses: try counters.map { try tables.use($0) },
            oldest: asksForOldest ? try tables.oldestAccount() : nil,
            knownSince: try askedPair.flatMap { try tables.oldestAccount(signedInUnder: $0) }
        )
    }
}
