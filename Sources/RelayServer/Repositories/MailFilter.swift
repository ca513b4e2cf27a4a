public import OutboxCore

/// A choice of mails: those to which every given condition applies.
public struct MailFilter: Hashable, Sendable {
    /// The reason of the last failure, or the beginning of it up to a dot: `expired` chooses all expired
    /// mails.
    public var reason: String?
    /// The domain of the recipient, in any case.
    public var domain: String?
    /// The mails that were queued before this time.
    public var before: WallTime?
    /// The mails of these identifiers, or of the memos of these identifiers.
    public var ids: Set<OperationID>?

    /// All mails.
    public init() {}

    package func chooses(_ mail: some ListedMail) -> Bool {
        if let ids, !mail.identifiers.contains(where: ids.contains) { return false }
        if let before, mail.queuedAt >= before { return false }
        if let domain, mail.domain != domain.lowercased() { return false }
        guard let reason else { return true }
        guard let failure = mail.lastFailure else { return false }
        return failure == reason || failure.hasPrefix(reason + ".")
    }
}

/// A mail in a list of an operator: without content, and without the address.
package protocol ListedMail: Hashable, Sendable {
    var id: OperationID { get }
    /// The identifier under which the sender's history has the memo; `nil` for a mail of no memo.
    var memo: OperationID? { get }
    var queuedAt: WallTime { get }
    /// The domain of the recipient; `nil` for a mail of no account.
    var domain: String? { get }
    /// The reason of the last failure; `nil` for a mail without failures.
    var lastFailure: String? { get }
    /// The length of the sealed mail, in bytes.
    var bytes: Int { get }
}

extension ListedMail {
    /// Every identifier by which the mail can be named.
    package var identifiers: [OperationID] { [id, memo].compactMap { $0 } }
}

/// A mail of a list, and its place in the queue.
package struct StoredMail<Mail: ListedMail>: Hashable, Sendable {
    package let entry: EntryID
    package let mail: Mail

    package init(entry: EntryID, mail: Mail) {
        self.entry = entry
        self.mail = mail
    }
}
