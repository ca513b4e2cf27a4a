package import MemoTexts
package import Outbox
package import OutboxCore
package import RelayAPI
package import RelayRules

/// A change of a store's tables.
///
/// A store seals what can be traced to a person. A change of a row that is not there changes nothing.
package enum RelayWrite: Sendable {
    /// Adds a mail to the queue. Its identifier says to which part of the queue.
    case queue(SealedOperation)
    /// Adds the record of an accepted memo, as the latest change of its account.
    case memo(NewMemo, mail: OperationID)
    /// Counts one memo, or one code, more in the current step of a key.
    case count(key: [UInt8], RateSteps)
    /// Sets the status of the memo with a mail, as the latest change of its account.
    case fate(MemoFate, ofMail: OperationID, at: WallTime)
    /// Makes the memo with a mail accepted again, as the latest change of its account.
    case acceptAgain(mail: OperationID, at: WallTime)
    /// Makes a mail eligible at once. It is neither noted as a dead letter nor held any more.
    case requeue(EntryID)
    /// Holds a mail that is queued: no drain attempts it before it is made eligible. An attempt that is
    /// under way goes on; the mail is held unless that attempt ends its stay in the queue.
    case hold(EntryID, at: WallTime)
    /// Removes a mail from the queue for good, and what is noted of it.
    case discard(EntryID)
    /// Notes the running time at which a relay first saw a dead letter. The first note stays.
    case noteDead(EntryID, at: Milliseconds)
    /// Sets the time for which the relay has run.
    case running(Milliseconds)

    /// Adds a code under its handle.
    case code(MailedCode, under: [UInt8])
    /// Counts a try of the code under a handle: it has been tried as often as this record says.
    case tried(SentCode, under: [UInt8])
    /// Drops the code under a handle.
    case dropCode([UInt8])
    /// Adds a long code of an address.
    case longCode(MailedLongCode, of: [UInt8])
    /// Drops all long codes of an address.
    case dropLongCodes(of: [UInt8])
    /// Drops all codes and long codes that are dead (``CodeLife``).
    case dropDeadCodes(at: WallTime)
    /// Counts a request for a code.
    case request([UInt8], at: WallTime)
    /// Drops all requests that count for a subject.
    case dropRequests([UInt8])
    /// Drops the requests that count for a subject, and are older than a window.
    case dropRequestsBefore(RateWindow, of: [UInt8])
    /// Drops all requests that lie outside a window.
    case dropRequestsOutside(RateWindow)
    /// Counts a failed try of a code of a share by its ``GuessBudget/chance(digits:)``.
    case failedTry(CodeShare, step: WallTime, chance: Int64)
    /// Drops the failed tries that lie outside a window.
    case dropFailedTriesOutside(RateWindow)

    /// Adds an account.
    case account(NewAccount)
    /// Notes the language of an account's latest sign-in.
    case language(Language, of: AccountID)
    /// Adds a device to an account, as the latest change of the account.
    case device(NewDeviceRow, of: AccountID)
    /// Revokes a device, as the latest change of its account. A device that is revoked stays as it is.
    case revoke(DeviceID, at: WallTime)
    /// Notes the running time at which a relay first saw a device signed out.
    case noteRevoked(DeviceID, at: Milliseconds)
    /// Removes the row of a device that is signed out.
    case forget(DeviceID)
    /// Removes an account, with all that is its own, unless anything names it: a device, a memo, settings.
    /// An erased account goes otherwise (``ForgetAccounts``).
    case dropUnnamed(AccountID)
    /// Drops the oldest counts of keys beyond a number of steps.
    case dropCounts(beyond: Int)
    /// Notes that a device has been used.
    case use(DeviceUse)

    /// Makes an account one that is erased: its tokens are good for nothing, its address is free, its
    /// settings and ledgers are gone.
    case erase(AccountID, at: WallTime)
    /// Removes a memo's record. Its mail is removed before.
    case dropMemo(OperationID, of: AccountID)
    /// Removes an erased account of which no memo and no device are left, with all that is its own.
    case dropAccount(AccountID)

    /// Sets the settings of an account. Their version is the number of the account's latest change.
    case settings(SharedSettings, of: AccountID, at: WallTime)
    /// Sets the ledger of a node of an account.
    case ledger(ChangeLedger, of: [UInt8], AccountID, at: WallTime)
    /// Drops the ledger of a node of an account.
    case dropLedger(of: [UInt8], AccountID)

    /// Sets the mailbox of an address, by the address's keyed hash.
    case ownMailbox(OwnMailbox, of: [UInt8], at: WallTime)
    /// Drops the mailbox of an address.
    case dropOwnMailbox(of: [UInt8])

    /// Invites an address, in place of an earlier invitation of it.
    case invitation(MailAddress, of: [UInt8], at: WallTime)
    /// Drops the invitation of an address.
    case dropInvitation(of: [UInt8])
    /// Drops all invitations up to a time.
    case dropInvitations(until: WallTime)

    /// Sets the next turn of a pace.
    case nextTurn(WallTime, of: PaceName)
    /// Notes that a mail has moved.
    case movement(at: WallTime)
    /// Changes nothing but a row that exists for this.
    case trial(at: WallTime)
}

/// The row of a new account.
package struct NewAccount: Sendable {
    package let id: AccountID
    /// A keyed hash of the address.
    package let addressKey: [UInt8]
    package let address: MailAddress
    package let mailbox: MailboxID
    package let createdAt: WallTime
}

/// The row of a new device.
package struct NewDeviceRow: Sendable {
    package let id: DeviceID
    package let tokenHash: [UInt8]
    package let name: String
    package let createdAt: WallTime
    /// A keyed hash of the mailbox and the network under which the device is signed in.
    package let pair: [UInt8]
}
