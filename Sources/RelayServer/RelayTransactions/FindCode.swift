/// Looks whether there is a code under a handle, dead or alive. Writes nothing.
package struct FindCode: RelayTransaction {
    private let handle: [UInt8]

    package init(under handle: [UInt8]) {
        self.handle = handle
    }

    package func find(in tables: some RelayReads) throws -> Bool {
        try tables.code(under: handle) != nil
    }

    package func decide(_ isThere: Bool) -> RelayDecision<Bool> { RelayDecision(isThere) }
}
