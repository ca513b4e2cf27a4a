package import MemoTexts
package import OutboxCore
package import RelayAPI
package import RelayRules

/// The tables of a relay's store, as the ``RelayTransaction``s read them.
///
/// A read throws when the store cannot answer it. Keyed hashes that a row can be found by are bytes.
package protocol RelayReads {
    /// The record of an account's memo, else of a memo of another account of its mailbox; `nil` if there
    /// is none.
    func memo(
        _ id: OperationID,
        of account: AccountID,
        or mailbox: MailboxID
    ) throws -> MemoRecord?

    /// The status of the memo with this mail; `nil` if there is none.
    func status(ofMail mail: OperationID) throws -> DeliveryStatus?

    /// The memos that count for a limit.
    func use(_ counter: MemoQuota.Counter) throws -> MemoUse

    /// The memos that count for limits, for each of the counters. A store may count for several of them at once.
    func uses(_ counters: [MemoQuota.Counter]) throws -> [MemoUse]

    /// The code under a handle, dead or alive; `nil` if there is none.
    func code(under handle: [UInt8]) throws -> MailedCode?

    /// The long code of an address, dead or alive; `nil` if there is none.
    ///
    /// - Parameters:
    ///   - code: A keyed hash of the long code.
    ///   - addressKey: A keyed hash of the address.
    func longCode(_ code: [UInt8], of addressKey: [UInt8]) throws -> MailedLongCode?

    /// Whether an address has a long code that is alive (``MailedLongCode/life``).
    func hasLongCode(of addressKey: [UInt8], at now: WallTime) throws -> Bool

    /// The tries that all codes still take together which are alive (``SentCode/isAlive(at:)``).
    ///
    /// - Parameter tries: The number of tries that a new code takes.
    func openTries(of tries: Int, at now: WallTime) throws -> [OpenTries]

    /// The chances of the failed tries of a share's codes in a window, all together.
    func failedTries(of share: CodeShare, in window: RateWindow) throws -> Int64

    /// The requests for codes in a window that count for a subject.
    func requests(for subject: [UInt8], in window: RateWindow) throws -> RateUse

    /// The time of the latest request for a code that counts for a subject; `nil` for none.
    func latestRequest(for subject: [UInt8]) throws -> WallTime?

    /// The time at which the oldest account was made that has a device which is signed in, and was
    /// signed in under a pair of a mailbox and a network; `nil` where no device is.
    func oldestAccount(signedInUnder pair: [UInt8]) throws -> WallTime?

    /// The time at which the oldest account of all was made; `nil` where there is none.
    func oldestAccount() throws -> WallTime?

    /// The time at which the account of an address was made; `nil` if there is none.
    func accountCreation(of addressKey: [UInt8]) throws -> WallTime?

    /// The account of an address; `nil` if there is none.
    func account(of addressKey: [UInt8]) throws -> AccountID?

    /// The address of an account, as the account was made; `nil` if there is no account.
    func address(of addressKey: [UInt8]) throws -> MailAddress?

    /// The language of an account: the one of its settings, else that of its latest sign-in; `nil` where
    /// neither is known.
    func language(of addressKey: [UInt8]) throws -> Language?

    /// The devices of an address's account that are signed in, the oldest first.
    func livingDevices(of addressKey: [UInt8]) throws -> [DeviceID]

    /// The devices of an address's account that were signed in within a window, revoked or not.
    func signIns(of addressKey: [UInt8], in window: RateWindow) throws -> RateUse

    /// Some memos of accounts that are erased.
    func erasedMemos(limit: Int) throws -> [ErasedMemo]

    /// Some devices of accounts that are erased.
    func erasedDevices(limit: Int) throws -> [DeviceID]

    /// Some accounts that are erased.
    func erasedAccounts(limit: Int) throws -> [AccountID]

    /// The settings of an account; `nil` if there are none.
    func settings(of account: AccountID) throws -> SharedSettings?

    /// The ledger of a node of an account; `nil` if there is none.
    func ledger(of node: [UInt8], _ account: AccountID) throws -> ChangeLedger?

    /// The nodes of an account that have ledgers, without the `count` ones that were heard last.
    func nodes(of account: AccountID, beyond count: Int) throws -> [[UInt8]]

    /// The number of an account's latest change; 0 for none.
    func lastChange(of account: AccountID) throws -> Int64

    /// The mailbox of an address; `nil` where the address has none of its own.
    func ownMailbox(of addressKey: [UInt8]) throws -> OwnMailbox?

    /// Whether an address has a mailbox of its own, whether or not it can be opened.
    func hasOwnMailbox(_ addressKey: [UInt8]) throws -> Bool

    /// The time from which the invitation of an address holds; `nil` where there is none. It may be void by
    /// now (``/RelayRules/Invitation``).
    func invitation(of addressKey: [UInt8]) throws -> WallTime?

    /// The number of invitations after a time.
    func invitations(after time: WallTime) throws -> Int

    /// A device of an account, revoked or not; `nil` if there is none.
    func device(_ device: DeviceID, of account: AccountID) throws -> OwnedDevice?

    /// The time for which the relay has run, as far as it is noted.
    func runningTime() throws -> Milliseconds

    /// Some dead letters that no relay has seen dead yet.
    ///
    /// - Complexity: O(`limit`).
    func newDeadLetters(limit: Int) throws -> [EntryID]

    /// The dead letters that a relay has seen dead, those that were seen first before others.
    func notedDeadLetters(limit: Int) throws -> [NotedLetter]

    /// The size of all dead letters together, and the number of their holders.
    ///
    /// - Complexity: O(dead letters).
    func totalOfDeadLetters() throws -> DeadLetterRoom.Total

    /// The holders of most bytes of dead letters, in the order in which they lose letters for their
    /// room.
    ///
    /// - Complexity: O(dead letters).
    func heaviestHolders(limit: Int) throws -> [DeadLetterRoom.Holding]

    /// The size of a holder's dead letters together, in bytes.
    ///
    /// - Parameter mailbox: `nil` for the letters of no memo.
    /// - Complexity: O(letters of the holder).
    func heldBytes(of mailbox: MailboxID?) throws -> Int

    /// The dead letters of a holder, in the order in which they were queued.
    ///
    /// - Parameter mailbox: `nil` for the letters of no memo.
    func heldLetters(of mailbox: MailboxID?, limit: Int) throws -> [DeadLetterRoom.Letter]

    /// The dead letters behind an entry of the queue, in the order in which they were queued.
    func letters(after last: EntryID?, limit: Int) throws -> [StoredMail<DeadLetter>]

    /// The mails behind an entry of the queue that are due, wait, or are held, in the order in which they
    /// were queued.
    func waitingMails(after last: EntryID?, limit: Int) throws -> [StoredMail<WaitingMail>]

    /// The mails behind an entry of the queue that are quarantined because their key was missing, in the
    /// order in which they were queued.
    ///
    /// - Complexity: O(quarantined mails); no mail is read.
    func mailsWithoutKey(after last: EntryID?, limit: Int) throws -> [QuarantinedMail]

    /// Some devices that are signed out, and that no relay has noted as such.
    ///
    /// - Complexity: O(`limit`).
    func newlyRevoked(limit: Int) throws -> [DeviceID]

    /// The devices that a relay has noted as signed out, those that were seen first before others.
    ///
    /// - Complexity: O(`limit`).
    func notedRevoked(limit: Int) throws -> [RevokedDevice]

    /// The next turn of a pace; `nil` before the first one.
    func nextTurn(of pace: PaceName) throws -> WallTime?
}

extension RelayReads {
    package func uses(_ counters: [MemoQuota.Counter]) throws -> [MemoUse] {
        try counters.map { try use($0) }
    }
}

/// A code under its handle.
package struct MailedCode: Hashable, Sendable {
    package let code: SentCode
    /// A keyed hash of the mailbox and the network that asked for the code.
    package let pair: [UInt8]
    /// The share of the day's codes for which the code counts.
    package let share: CodeShare
    /// The language of the mails about this sign-in.
    package let language: Language

    package init(_ code: SentCode, pair: [UInt8], share: CodeShare, language: Language) {
        self.code = code
        self.pair = pair
        self.share = share
        self.language = language
    }
}

/// A long code that was mailed to an address.
package struct MailedLongCode: Hashable, Sendable {
    /// A keyed hash of the long code.
    package let code: [UInt8]
    package let life: CodeLife
    /// The share of the day's codes for which the mail counts.
    package let share: CodeShare
    /// The language of the mails about this sign-in.
    package let language: Language

    package init(_ code: [UInt8], life: CodeLife, share: CodeShare, language: Language) {
        self.code = code
        self.life = life
        self.share = share
        self.language = language
    }
}

/// The tries that the codes of one share and one length still take together.
package struct OpenTries: Hashable, Sendable {
    package let share: CodeShare
    package let digits: Int
    package let count: Int

    package init(share: CodeShare, digits: Int, count: Int) {
        self.share = share
        self.digits = digits
        self.count = count
    }
}
