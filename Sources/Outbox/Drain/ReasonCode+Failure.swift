import OutboxCore

extension ReasonCode {
    /// The type of a failure of storage or key store, fit for a log.
    package init(failure: any Error) {
        switch failure {
        case let error as StorageError:
            switch error {
            case .diskFull: self = "storage.disk-full"
            case .readOnly: self = "storage.read-only"
            case .cannotOpen: self = "storage.cannot-open"
            case .corrupt: self = "storage.corrupt"
            case .busy: self = "storage.busy"
            case .duplicate: self = "storage.duplicate"
            case .closed: self = "storage.closed"
            case .failed(let code): self.init(utf8: Array("storage.\(code)".utf8))
            }
        case let error as KeyStoreError:
            switch error {
            case .missing: self = "key.missing"
            case .unreadable: self = "key.unreadable"
            case .withheld: self = "key.withheld"
            case .permissionsTooWide: self = "key.permissions"
            case .malformed: self = "key.malformed"
            case .cannotCreate: self = "key.cannot-create"
            }
        default: self = "storage.unknown"
        }
    }
}

extension DrainMachine.Failure {
    /// The failure with which a storage or key store answered.
    init(_ error: any Error) {
        let reason = ReasonCode(failure: error)
        switch error {
        case StorageError.corrupt: self.init(.corrupt, reason: reason)
        default: self.init(.passing, reason: reason)
        }
    }
}
