package import OutboxCore

extension OperationKind {
    /// The kinds of sealed bytes outside the queue.
    package static let secret: OperationKind = "relay.secret"
    package static let address: OperationKind = "relay.address"
    package static let deviceName: OperationKind = "relay.device-name"
    package static let settings: OperationKind = "relay.settings"
    package static let ownMailbox: OperationKind = "relay.own-mailbox"
}

extension OperationID {
    /// An identifier from a column that holds 16 bytes.
    package init(column bytes: [UInt8]) throws(CorruptRow) {
        guard let id = OperationID(bytes: bytes) else { throw CorruptRow() }
        self = id
    }
}

/// A row with bytes that this relay does not write.
package struct CorruptRow: Error {
    package init() {}
}
