package import MemoTexts
public import Outbox
public import OutboxCore
public import RelayAPI
public import RelayRules

/// The relay's whole memory, its mail queue included: the only thing that relay processes share.
///
/// Every method is one transaction, durable on return. Data that can be traced to a person is
/// sealed, or stored as a keyed hash only. A method that throws has changed nothing.
public protocol RelayStore: MemoStore {
    /// The relay's secret: one for all processes that share the store.
    var secret: RelaySecret { get }

    /// Stores a code under its handle and the long code of its mail, beside all other codes, and queues
    /// the mail, unless a limit is reached.
    func startVerification(_ new: NewVerification, rules: VerificationRules) async throws
        -> CodeDecision

    /// Counts a try of the handle's code. The code goes, with its handle, when it is right or was
    /// tried for the last time. A try of a long code is not counted, and needs no handle. A right code
    /// of either kind ends all long codes of its address. For a right code the account is made unless it exists, and gets the
    /// device, unless the account has had its ``VerificationRules/signIns``: then nothing changes. The
    /// oldest devices beyond ``VerificationRules/devices`` are revoked. Where
    /// ``VerificationRules/announces(living:recent:)`` says so, the mail about the device is queued in
    /// the same transaction.
    func confirm(
        _ confirmation: Confirmation,
        rules: VerificationRules
    ) async throws -> SignInDecision

    /// The device with this token, revoked or not.
    func device(tokenHash: [UInt8]) async throws -> AuthenticatedDevice?

    /// Revokes a device of an account, for good.
    ///
    /// - Returns: The number of the account's change by which the device was revoked; `nil` if the
    ///   account never had such a device.
    func revoke(_ device: DeviceID, of account: AccountID, at now: WallTime) async throws -> Int64?

    /// Notes that a device has been used. The time that is noted last stays, whatever it is.
    func note(_ use: DeviceUse) async throws

    /// The devices of an account that are not revoked, the newest first; at most 100, which is
    /// all that an account has (``VerificationRules/devices``).
    ///
    /// - Complexity: O(*n*) in the listed devices, however many devices of the account are revoked.
    func devices(of account: AccountID) async throws -> [DeviceRecord]

    /// Ends an account for good, if the code is right: from then on no token of it is known, and its
    /// address has no account. A wrong code counts as in ``confirm(_:rules:)``. The rows that are left
    /// go with ``forgetErased()``.
    ///
    /// - Returns: Whether the code was right.
    func erase(_ erasure: AccountErasure, rules: VerificationRules) async throws -> Bool

    /// The rows of an account whose latest changes have numbers above `number`, the earliest first: as of
    /// one moment, so that a reader that goes on behind them misses none.
    ///
    /// - Complexity: O(*n*) in the listed rows and `limit`.
    func accountChanges(of account: AccountID, after number: Int64, limit: Int) async throws
        -> AccountChangeList

    /// The settings of an account; `nil` if there are none.
    func settings(of account: AccountID) async throws -> SharedSettings?

    /// Applies a change of an account's settings, if they have the version that the change was made on,
    /// and at most once. A change that was answered before is answered again, and counts against no
    /// limit. Answers are kept as ``ChangeLedger`` says.
    func change(_ change: SettingsChange, at now: WallTime) async throws -> SettingsDecision

    /// The answer to an earlier change of an account's settings; `nil` if it never came.
    ///
    /// - Parameters:
    ///   - change: The change.
    ///   - account: The account.
    ///   - isRepeated: Whether the change has come again, and would be decided if it never came before.
    func answer(
        to change: ChangeName,
        of account: AccountID,
        isRepeated: Bool
    ) async throws -> SettingsDecision?
}

/// The relay's memory of memos, and the queue of their mails: a part of ``RelayStore`` with the
/// same guarantees.
public protocol MemoStore: Sendable {
    /// Stores the memo and queues its mail, unless it was accepted before, from any account of its
    /// mailbox, or a limit is reached. Of several concurrent calls for one memo, one accepts it.
    func accept(_ memo: NewMemo, limits: MemoLimits) async throws -> MemoDecision

    /// The use that was made of a sender's limits. The next ``accept(_:limits:)`` may find more.
    func usages(of sender: MemoSender, limits: MemoLimits, at now: WallTime) async throws
        -> [LimitUsage]

    /// The record of an account's memo; `nil` if there is none.
    func memo(_ id: OperationID, of account: AccountID) async throws -> MemoRecord?

    /// The record of an account's memo, else of a memo of another account of its mailbox; `nil` if there
    /// is none.
    func memo(
        _ id: OperationID,
        of account: AccountID,
        or mailbox: MailboxID
    ) async throws -> MemoRecord?

    /// The changes of an account's memos with numbers above `number`, the earliest first.
    func changes(of account: AccountID, after number: Int64, limit: Int) async throws
        -> StatusChangeList

    /// Records what became of a memo's mail after a mail server had taken it. Recorded once: a memo
    /// with that news, or one whose mail was refused or has expired, keeps its fate.
    ///
    /// - Complexity: O(1).
    func record(_ bounce: MailBounce) async throws -> MailBounceResult

    /// Notes how long the relay has run and some of the mails that are newly dead, and discards some
    /// of the dead letters that are old by that. The records of their memos stay.
    ///
    /// - Parameters:
    ///   - age: The rule.
    ///   - span: The time for which the relay has run since the latest call; 0 for a call that
    ///     continues a sweep.
    func ageDeadLetters(
        _ age: RunningAge,
        after span: Milliseconds
    ) async throws -> DeadLetterSweep

    /// Queues some of the mails again that were quarantined because their key was missing, and that can be
    /// opened by now. Their memos are accepted again.
    ///
    /// - Parameters:
    ///   - last: ``QuarantineSweep/last`` of the call before; `nil` for the first mails.
    ///   - now: The wall clock's time.
    /// - Complexity: Opens at most 128 mails, one after the other.
    func retryQuarantined(after last: EntryID?, at now: WallTime) async throws -> QuarantineSweep

    /// Removes some of what is left of erased accounts: memos, with their mails and dead letters, then
    /// devices, then the accounts.
    ///
    /// - Returns: Whether nothing is left.
    /// - Complexity: O(1).
    func forgetErased() async throws -> Bool

    /// Notes which devices are newly signed out, and forgets those that have been for long. With the last
    /// device of an account goes the account, unless it has memos or settings: its address is a new one
    /// then. The transactions are of some devices each.
    ///
    /// - Parameter age: The rule. The running time is the one that ``ageDeadLetters(_:after:)`` notes.
    func forgetDevices(_ age: RunningAge) async throws

    /// Forgets the oldest counts of networks and of codes beyond ``RateSteps/kept``.
    func forgetCounts() async throws

    /// Discards dead letters until all others fit. The records of their memos stay. The transactions
    /// are of some letters each: an error leaves those of earlier transactions discarded.
    ///
    /// - Parameter room: The rule.
    /// - Returns: The number of letters that are discarded.
    /// - Complexity: O(dead letters), also where all fit.
    func discardDeadLetters(toFit room: DeadLetterRoom) async throws -> Int

    /// Takes the next turn of a pace that all relays of the store keep together.
    ///
    /// - Parameters:
    ///   - pace: The pace.
    ///   - pause: The time from this turn to the next one.
    ///   - now: The wall clock's time.
    /// - Returns: The wait until the turn. Never longer than a minute, so that a clock that was set back
    ///   strands no mail.
    func takeTurn(of pace: PaceName, pause: Milliseconds, at now: WallTime) async throws
        -> Milliseconds

    /// Puts off the turns of a pace that nobody has taken yet: none is earlier than `time` from now.
    func rest(_ pace: PaceName, for time: Milliseconds, at now: WallTime) async throws

    /// Notes that an attempt to hand a mail over has ended.
    func noteMovement(at now: WallTime) async throws

    /// The mailbox of an address; `nil` where the address has none of its own.
    ///
    /// - Parameter addressKey: A keyed hash of the address.
    /// - Complexity: One look-up.
    func ownMailbox(of addressKey: [UInt8]) async throws -> OwnMailbox?

    /// Hands queued mails to the handlers, each mail to one of all processes at a time, until the
    /// task is cancelled.
    ///
    /// An outcome that decides a ``MemoFate`` is recorded in one transaction with the memo's
    /// status. While that fails, only the recording is repeated: in this process no handler gets
    /// the mail again.
    ///
    /// - Parameter handlers: The handler of each kind of mail.
    /// - Throws: An error that ends this process's delivery for good.
    func deliver(_ handlers: [OperationKind: OperationHandler]) async throws
}

/// The outcome of a part of a sweep of dead letters.
public struct DeadLetterSweep: Hashable, Sendable {
    /// The number of discarded letters.
    package let discarded: Int
    /// Whether nothing is left to be noted or discarded now.
    package let isDone: Bool

    package init(discarded: Int, isDone: Bool) {
        self.discarded = discarded
        self.isDone = isDone
    }
}

/// The outcome of a look at some quarantined mails.
public struct QuarantineSweep: Hashable, Sendable {
    /// The number of mails that are queued again.
    package let retried: Int
    /// The mail behind which the next look begins; `nil` for the first mails.
    package let last: EntryID?

    package init(retried: Int, last: EntryID?) {
        self.retried = retried
        self.last = last
    }
}

/// A device identified by its token.
public struct AuthenticatedDevice: Sendable {
    package let id: DeviceID
    package let account: AccountID
    package let address: MailAddress
    /// The time at which the account was made; `nil` where it is not known.
    package let accountCreatedAt: WallTime?
    package let isRevoked: Bool
    /// The last noted use, see ``DeviceUse``.
    package let usedAt: WallTime?

    package init(
        id: DeviceID,
        account: AccountID,
        address: MailAddress,
        accountCreatedAt: WallTime? = nil,
        isRevoked: Bool,
        usedAt: WallTime? = nil
    ) {
        self.id = id
        self.account = account
        self.address = address
        self.accountCreatedAt = accountCreatedAt
        self.isRevoked = isRevoked
        self.usedAt = usedAt
    }
}

/// A device in the list of an account's devices.
public struct DeviceRecord: Hashable, Sendable {
    package let id: DeviceID
    package let name: String
    package let createdAt: WallTime
    /// The last noted use, see ``DeviceUse``.
    package var usedAt: WallTime?

    package init(id: DeviceID, name: String, createdAt: WallTime, usedAt: WallTime? = nil) {
        self.id = id
        self.name = name
        self.createdAt = createdAt
        self.usedAt = usedAt
    }
}

/// A request for a code.
public struct NewVerification: Sendable {
    /// A keyed hash of the handle with which the code can be tried.
    package let handle: [UInt8]
    /// A keyed hash of the address.
    package let addressKey: [UInt8]
    /// Keyed hashes, no two of which are equal, of what the request is counted by.
    package let subjects: [CodeSubject: [UInt8]]
    /// Whether the settings let the address become that of a new account. Where they do not, and the
    /// address has no account and no invitation, the request is counted and stored like any other, and its
    /// mail is not sent.
    package let maySignUp: Bool
    /// The language of the mails about this sign-in.
    package let language: Language
    package let now: WallTime
    /// Makes a code of so many digits and a long code, with their mail, once the request is granted:
    /// `nil` for a long code alone. The mail goes to the address of the account, whatever spelling was
    /// asked with; `nil` where there is no account.
    package let letter: @Sendable (_ digits: Int?, _ address: MailAddress?) -> CodeLetter

    package init(
        handle: [UInt8],
        addressKey: [UInt8],
        subjects: [CodeSubject: [UInt8]],
        maySignUp: Bool = true,
        language: Language = .english,
        now: WallTime,
        letter: @escaping @Sendable (_ digits: Int?, _ address: MailAddress?) -> CodeLetter
    ) {
        self.handle = handle
        self.addressKey = addressKey
        self.subjects = subjects
        self.maySignUp = maySignUp
        self.language = language
        self.now = now
        self.letter = letter
    }
}

/// The codes of a mail, and the mail.
package struct CodeLetter: Sendable {
    /// A keyed hash of the code; `nil` where the mail has a long code alone.
    package let code: [UInt8]?
    /// A keyed hash of the long code.
    package let longCode: [UInt8]
    package let mail: QueuedMail

    package init(code: [UInt8]?, longCode: [UInt8], mail: QueuedMail) {
        self.code = code
        self.longCode = longCode
        self.mail = mail
    }
}

/// The code that a person entered, as keyed hashes.
package enum EnteredCode: Hashable, Sendable {
    /// Digits, with the ``NewVerification/handle`` of their request.
    case digits([UInt8], handle: [UInt8])
    /// A long code, with the pair of the mailbox and the network in which it was entered: the network
    /// that asked for the mail may be a stranger's.
    case long([UInt8], pair: [UInt8])
    /// No code: a proxy vouches for the address, whether or not it may sign up by itself. With the pair of
    /// the mailbox and the network, and the language of the mails about the sign-in. Signs in, and proves
    /// nothing else.
    case vouched(pair: [UInt8], language: Language)
}

/// A code that a person entered, with the account to erase if the code is right.
public struct AccountErasure: Sendable {
    package let account: AccountID
    package let code: EnteredCode
    /// A keyed hash of the account's address.
    package let addressKey: [UInt8]
    package let now: WallTime

    package init(account: AccountID, code: EnteredCode, addressKey: [UInt8], now: WallTime) {
        self.account = account
        self.code = code
        self.addressKey = addressKey
        self.now = now
    }
}

/// A code that a person entered, with the device to add if the code is right.
public struct Confirmation: Sendable {
    package let code: EnteredCode
    /// A keyed hash of the account's address.
    package let addressKey: [UInt8]
    /// The address as it was given: that of an account that is made.
    package let address: MailAddress
    /// The mailbox of the address.
    package let mailbox: MailboxID
    package let tokenHash: [UInt8]
    package let deviceName: String
    package let now: WallTime
    /// Makes the mail about the new device, for the account's owner.
    package let announcement: @Sendable (NewDevice) -> QueuedMail

    package init(
        code: EnteredCode,
        addressKey: [UInt8],
        address: MailAddress,
        mailbox: MailboxID,
        tokenHash: [UInt8],
        deviceName: String,
        now: WallTime,
        announcement: @escaping @Sendable (NewDevice) -> QueuedMail
    ) {
        self.code = code
        self.addressKey = addressKey
        self.address = address
        self.mailbox = mailbox
        self.tokenHash = tokenHash
        self.deviceName = deviceName
        self.now = now
        self.announcement = announcement
    }
}

/// A device that is being added to an account that has other devices.
package struct NewDevice: Hashable, Sendable {
    package let id: DeviceID
    package let account: AccountID
    /// The address of the account.
    package let address: MailAddress
    /// The language of the account: whoever asked for the code does not choose it, where it is known.
    package let language: Language

    package init(
        id: DeviceID,
        account: AccountID,
        address: MailAddress,
        language: Language
    ) {
        self.id = id
        self.account = account
        self.address = address
        self.language = language
    }
}

/// A memo on its way into the store.
public struct NewMemo: Sendable {
    package let id: OperationID
    package let account: AccountID
    /// The mailbox of the account.
    package let mailbox: MailboxID
    /// The memo's sender, as the limits see it.
    package let sender: MemoSender
    package let device: DeviceID
    /// Equal for requests that carry the same memo.
    package let contentCode: [UInt8]
    /// The body of the answer to this request and to every repetition of it.
    package let response: [UInt8]
    package let acceptedAt: WallTime
    package let mail: QueuedMail

    package init(
        id: OperationID,
        account: AccountID,
        mailbox: MailboxID,
        sender: MemoSender? = nil,
        device: DeviceID,
        contentCode: [UInt8],
        response: [UInt8],
        acceptedAt: WallTime,
        mail: QueuedMail
    ) {
        self.id = id
        self.account = account
        self.mailbox = mailbox
        self.sender = sender ?? MemoSender(mailbox: mailbox)
        self.device = device
        self.contentCode = contentCode
        self.response = response
        self.acceptedAt = acceptedAt
        self.mail = mail
    }

    /// The size of the memo's mail, in bytes.
    package var size: Int { mail.message.count }
}

/// The record of a memo, which outlives the memo's text.
public struct MemoRecord: Hashable, Sendable {
    package let contentCode: [UInt8]
    package let response: [UInt8]
    package let status: DeliveryStatus
    package let reason: String?

    package init(
        contentCode: [UInt8],
        response: [UInt8],
        status: DeliveryStatus,
        reason: String?
    ) {
        self.contentCode = contentCode
        self.response = response
        self.status = status
        self.reason = reason
    }
}

/// A store's decision about a ``NewMemo``.
public enum MemoDecision: Hashable, Sendable {
    /// Accepted; with the use of the limits.
    case accepted([LimitUsage])
    /// Accepted before, with the record of that time.
    case acceptedBefore(MemoRecord)
    /// Refused: the device is signed out.
    case revoked
    /// Refused; with the use of the limits, at least one of which is exceeded.
    case overLimit([LimitUsage])
}

/// The latest change of a memo's status, as a store keeps it.
public struct StatusChange: Hashable, Sendable {
    package let number: Int64
    package let id: OperationID
    package let status: DeliveryStatus
    package let reason: String?

    package init(number: Int64, id: OperationID, status: DeliveryStatus, reason: String?) {
        self.number = number
        self.id = id
        self.status = status
        self.reason = reason
    }
}

/// The latest change of a row of an account, as a store keeps it. All changes of an account are numbered
/// together, in the order in which they are committed.
public struct AccountChange: Hashable, Sendable {
    /// The row after the change.
    package enum Row: Hashable, Sendable {
        case memo(AccountMemo)
        case device(DeviceRecord)
        case revoked(DeviceID, at: WallTime)
        case settings(SharedSettings)
    }

    package let number: Int64
    package let row: Row

    package init(number: Int64, row: Row) {
        self.number = number
        self.row = row
    }
}

/// A memo as the devices of its account are told it.
package struct AccountMemo: Hashable, Sendable {
    package let id: OperationID
    /// The device that wrote the memo.
    package let device: DeviceID
    package let status: DeliveryStatus
    package let reason: String?
    package let acceptedAt: WallTime

    package init(
        id: OperationID,
        device: DeviceID,
        status: DeliveryStatus,
        reason: String?,
        acceptedAt: WallTime
    ) {
        self.id = id
        self.device = device
        self.status = status
        self.reason = reason
        self.acceptedAt = acceptedAt
    }
}

/// The requested changes of an account.
public struct AccountChangeList: Hashable, Sendable {
    package let changes: [AccountChange]
    /// The number of the account's latest change; 0 when there is none.
    package let latest: Int64
    /// The greatest number of a row that was swept away; 0 when there is none. A reader that began
    /// before, and is behind it, begins anew.
    package let forgotten: Int64

    package init(changes: [AccountChange], latest: Int64, forgotten: Int64) {
        self.changes = changes
        self.latest = latest
        self.forgotten = forgotten
    }
}

/// The requested changes of an account's memos.
public struct StatusChangeList: Hashable, Sendable {
    package let changes: [StatusChange]
    /// The number of the account's latest change; 0 when there is none.
    package let latest: Int64

    package init(changes: [StatusChange], latest: Int64) {
        self.changes = changes
        self.latest = latest
    }
}
