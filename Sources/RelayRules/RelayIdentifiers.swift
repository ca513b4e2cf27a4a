package import OutboxCore

/// The identifier of an account, which has one address and any number of devices.
public struct AccountID: Hashable, Sendable {
    package let bits: OperationID

    package init(bits: OperationID) {
        self.bits = bits
    }
}

/// The identifier of a mailbox, which any number of accounts may have: a keyed hash of its
/// ``MailboxName``. Limits, and the memory of accepted memos, go by mailbox.
public struct MailboxID: Hashable, Sendable {
    package let bits: OperationID

    package init(bits: OperationID) {
        self.bits = bits
    }
}

/// The identifier of a device.
public struct DeviceID: Hashable, Sendable {
    package let bits: OperationID

    package init(bits: OperationID) {
        self.bits = bits
    }
}
