/// Finds the mailbox of an address. Writes nothing.
package struct FindMailbox: RelayTransaction {
    private let addressKey: [UInt8]

    /// - Parameter addressKey: A keyed hash of the address.
    package init(of addressKey: [UInt8]) {
        self.addressKey = addressKey
    }

    package func find(in tables: some RelayReads) throws -> OwnMailbox? {
        try tables.ownMailbox(of: addressKey)
    }

    package func decide(_ mailbox: OwnMailbox?) -> RelayDecision<OwnMailbox?> {
        RelayDecision(mailbox)
    }
}

/// Forgets the mailbox of an address. The outcome is whether there was one. Opens nothing: a mailbox that
/// cannot be opened is forgotten, too.
package struct DropMailbox: RelayTransaction {
    private let addressKey: [UInt8]

    /// - Parameter addressKey: A keyed hash of the address.
    package init(of addressKey: [UInt8]) {
        self.addressKey = addressKey
    }

    package func find(in tables: some RelayReads) throws -> Bool {
        try tables.hasOwnMailbox(addressKey)
    }

    package func decide(_ isThere: Bool) -> RelayDecision<Bool> {
        RelayDecision(isThere, writes: isThere ? [.dropOwnMailbox(of: addressKey)] : [])
    }
}
