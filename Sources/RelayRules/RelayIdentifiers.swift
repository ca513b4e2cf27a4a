package import OutboxCore

/// The identifier of an account, which has one address and any number of devices.
public struct AccountID: Hashable, Sendable {
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
