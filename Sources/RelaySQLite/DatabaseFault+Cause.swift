import Outbox
import OutboxCore
import RelayServer

extension DatabaseFault {
    /// The fault that an error of the store tells.
    init(_ error: any Error) {
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
