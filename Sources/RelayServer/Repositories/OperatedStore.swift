public import OutboxCore
public import RelayRules

/// A store as an operator's commands use it, beside the relays that serve from it.
///
/// The commands read and change what a relay reads and changes. A relay that runs notices a change
/// within a second. No command reads a memo: a mail's domain comes from its account.
public protocol OperatedStore: Sendable {
    /// The relay's secret, which the key opens.
    func relaySecret() async throws(OperatorError) -> RelaySecret

    /// The chosen dead letters, in the order in which they were queued.
    ///
    /// - Parameters:
    ///   - filter: The conditions.
    ///   - limit: The greatest number of letters.
    func deadLetters(
        _ filter: MailFilter,
        limit: Int
    ) async throws(OperatorError) -> [DeadLetter]

    /// Queues the chosen dead letters again, and tells their memos' senders that the relay goes on
    /// trying. A letter whose bookkeeping cannot be read stays.
    ///
    /// - Returns: The letters that are queued again. The transactions are of many letters each: an
    ///   error leaves those of earlier transactions queued.
    @discardableResult
    func retry(
        _ filter: MailFilter,
        at now: WallTime
    ) async throws(OperatorError) -> [DeadLetter]

    /// Discards the mails of the chosen dead letters for good. The records of their memos stay.
    ///
    /// - Returns: The letters that are discarded. The transactions are of many letters each: an
    ///   error leaves those of earlier transactions discarded.
    @discardableResult
    func discard(_ filter: MailFilter) async throws(OperatorError) -> [DeadLetter]

    /// The chosen mails that the relay has yet to hand over, in the order in which they were queued.
    ///
    /// - Parameters:
    ///   - filter: The conditions.
    ///   - limit: The greatest number of mails.
    /// - Complexity: O(mails).
    func waitingMails(
        _ filter: MailFilter,
        limit: Int
    ) async throws(OperatorError) -> [WaitingMail]

    /// Holds the chosen mails that the relay has yet to hand over: none is attempted before it is
    /// released, also after a restart of the relay. Their memos stay accepted.
    ///
    /// A mail that is being handed over at this moment may be delivered, or become a dead letter; else
    /// it is held. A held mail stays for any time; what limits the age of a mail looks at it when it is
    /// attempted again.
    ///
    /// - Returns: The mails that are held, and were not before. The transactions are of many mails each:
    ///   an error leaves those of earlier transactions held.
    @discardableResult
    func hold(_ filter: MailFilter, at now: WallTime) async throws(OperatorError) -> [WaitingMail]

    /// Makes the chosen mails that are held due at once.
    ///
    /// - Returns: The mails that are released. The transactions are of many mails each: an error leaves
    ///   those of earlier transactions released.
    @discardableResult
    func release(_ filter: MailFilter) async throws(OperatorError) -> [WaitingMail]

    /// Makes the chosen mails due at once that are not held. An attempt that is under way is that attempt,
    /// and after it the mail waits as ever.
    ///
    /// - Returns: The mails that are due. The transactions are of many mails each: an error leaves those
    ///   of earlier transactions due.
    @discardableResult
    func attemptNow(_ filter: MailFilter) async throws(OperatorError) -> [WaitingMail]

    /// The numbers of mails, memos, accounts and devices, all of one moment.
    ///
    /// - Complexity: O(mails + memos).
    func statistics(at now: WallTime) async throws(OperatorError) -> RelayStatistics

    /// Keeps the mailbox of an address, in place of an earlier one. A relay that runs appends there from
    /// its next attempt on. The address need not have an account.
    func keep(_ mailbox: OwnMailbox, at now: WallTime) async throws(OperatorError)

    /// The mailboxes of single addresses, those that were changed last behind others.
    ///
    /// - Complexity: O(mailboxes).
    func ownMailboxes() async throws(OperatorError) -> [ListedMailbox]

    /// Forgets the mailbox of an address. Mails to the address that wait go to the mailbox for all, or wait
    /// on.
    ///
    /// - Returns: Whether the address had a mailbox of its own.
    @discardableResult
    func removeMailbox(of address: MailAddress) async throws(OperatorError) -> Bool

    /// Lets an address become that of a new account, whatever ``/RelayRules/SignUp`` says.
    func invite(
        _ address: MailAddress,
        at now: WallTime
    ) async throws(OperatorError) -> InvitationDecision

    /// The invitations that nobody has used, and that are not void, the earliest first.
    ///
    /// - Complexity: O(invitations).
    func invitations(at now: WallTime) async throws(OperatorError) -> [ListedInvitation]

    /// Withdraws the invitation of an address. A code that was mailed before makes no account any more.
    ///
    /// - Returns: Whether there was one.
    @discardableResult
    func withdrawInvitation(of address: MailAddress) async throws(OperatorError) -> Bool

    /// Records a bounce like ``MemoStore/record(_:)``.
    func recordBounce(_ bounce: MailBounce) async throws(OperatorError) -> MailBounceResult
}
