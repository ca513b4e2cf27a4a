import OutboxCore

/// An event inside the app, as ``Event`` is one outside. A part of the app tells it by
/// ``AppContext/happened(_:)``; ``App`` handles it once the part has returned.
enum Occurrence {
    /// A memo is stored, to be sent.
    case memoStored
    /// A due operation is to be attempted, with its opened payload. The drain waits for the outcome.
    case operationDue(Envelope, payload: [UInt8])
    /// An operation's transition is stored.
    case operationSettled(DeliveryMachine.Transition)
    /// A person made an operation eligible.
    case operationRequeued
    /// Nothing is left to attempt now.
    case drainRested
    /// Entries of the history are on the page.
    case historyShown
    /// A person has deleted a memo.
    case memoDeleted
    /// Statuses of sent memos, as the relay told them, are stored.
    case statusesStored
    /// The records that all devices share are others, or another page has made them others.
    case sharedChanged
    /// The account's settings are stored here.
    case settingsShared
    /// A person has changed a shared record.
    case sharedEdited
    /// What the account has is here, and what was changed here is sent.
    case sharingRested
    /// Operations may be attempted: after a sign-in, and after a sign-out that failed.
    case signedIn
    /// The stored account is not the shown account.
    case accountOutdated
    /// The relay does not know this token.
    case tokenRefused([UInt8])
}
