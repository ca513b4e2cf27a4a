/// Makes one change, whatever the tables hold.
package struct MakeWrite: RelayTransaction {
    private let write: RelayWrite

    package init(_ write: RelayWrite) {
        self.write = write
    }

    package func find(in tables: some RelayReads) throws {}

    package func decide(_ found: Void) -> RelayDecision<Void> {
        RelayDecision((), writes: [write])
    }
}
