import Outbox
import OutboxCore

extension DatabaseFault {
    /// The fault that an error of the store tells.
    package init(_ error: any Error) {
        self =
            switch error {
            case let fault as DatabaseFault: fault
            case StorageError.corrupt, is CorruptRow: .damaged
            case StorageError.diskFull: .diskFull
            case StorageError.readOnly, StorageError.cannotOpen: .notWritable
            case StorageError.busy: .busy
            case let error as UnreadableRecord:
                error.reason == .unknownKey ? .otherKey : .damaged
            default: .failed(code: "\(ReasonCode(failure: error))")
            }
    }
}

extension OperatorError {
    /// The reason that an error of the store tells.
    package init(_ error: any Error) {
        self =
            switch error {
            case let error as OperatorError: error
            case let error as KeyStoreError: .key(error)
            default: .unusable(DatabaseFault(error))
            }
    }
}
