import OutboxCore
import RelayAPI
import SyncCore

/// An observation from outside: by the person, on the wire, in the inbox, on a disk that was taken
/// out. All that a ``Checker`` knows.
enum Observation {
    /// The person pressed send.
    case sendPressed(WrittenMemo)
    /// The screen was cleared: the memo is safe.
    case acknowledged(WrittenMemo)
    /// The person was told that the memo is not stored, or the process died meanwhile.
    case notAcknowledged(WrittenMemo)
    /// The device began an attempt; `count` is how many failed before, as the outbox says.
    case attempted(OperationID, count: UInt32, by: String)
    /// The attempt ended, as the device understands the answer.
    case attemptEnded(OperationID, AttemptEnd)
    /// The process died that attempted it, or was ended.
    case attemptAbandoned(OperationID)
    /// A process began, and has read nothing yet.
    case processStarted(String)
    /// A process read a memo's file, or wrote it; or the disk would not let it.
    case fileRead(OperationID, Bool, by: String)
    /// A request reached the relay.
    case requested(OperationID, body: [UInt8])
    /// The relay answered that it holds the memo.
    case accepted(OperationID)
    /// The person deletes, or retries, a memo: from now on it may be gone, or be attempted again.
    case deleting(OperationID)
    case retrying(OperationID)
    /// The outbox says that the memo waits for a person.
    case parked(OperationID)
    /// The relay gave a mail to the provider.
    case handedOver(message: [UInt8])
    /// The provider put a mail into the inbox.
    case delivered(messageID: String, message: [UInt8])
    /// The bytes that whoever takes out a disk finds.
    case atRest(disk: String, bytes: [[UInt8]])
    /// Faults are over.
    case healed
    /// The memos that are left at the end: queued on devices and at the relay.
    case rested(queuedOnDevices: Int, queuedAtRelay: Int)
    /// A browser's database after a transaction, or after a power cut.
    case stored(BrowserRecords, on: String, afterPowerCut: Bool)
    /// The relay has stored these settings.
    case settingsChanged(SharedSettings)
    /// The relay has signed this device out.
    case signedOut(device: [UInt8])
    /// The relay's clock was moved.
    case relayClockMoved
    /// The person gives up a change of what all devices share: from now on it may be gone.
    case givingUp(RecordKey, SyncChange)
    /// What a device and the relay have at the end of what all devices share, without changes that wait for
    /// the person.
    case shares(SharedFound, on: String)
    case sharesAtRelay(SharedFound)
    /// Where a memo is, at the end.
    case found(WrittenMemo, OnDevice?, status: DeliveryStatus?)

    enum OnDevice: Hashable {
        case queued
        case parked(ReasonCode?)
        case quarantined
    }

    enum AttemptEnd: Hashable {
        case done
        case failed
        /// The server asked for a wait.
        case askedToWait
        case refused

        init(_ outcome: DeliveryMachine.Outcome) {
            self =
                switch outcome {
                case .done: .done
                // A wait that a saboteur counts is still a wait.
                case .retry("relay.http.429"), .retry("relay.http.503"), .retryAfter: .askedToWait
                case .retry, .retryOnNetwork: .failed
                case .park: .refused
                }
        }
    }
}
