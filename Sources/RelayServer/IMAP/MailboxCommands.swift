import OutboxCore

/// The commands by which one mail gets into a folder, and how each can end.
protocol MailboxCommands {
    /// Searches the folder for copies of the mail, as the folder is now.
    ///
    /// - Parameter first: The least identifier that is looked at; 1 for the whole folder.
    func search(from first: MailboxCopy) throws(MailboxFailure) -> FolderSearch

    /// Appends the mail.
    ///
    /// - Returns: The appended copy; `nil` where the server does not tell which one it is.
    /// - Throws: ``MailboxFailure/unanswered`` when the server may or may not have appended it.
    func append() throws(MailboxFailure) -> MailboxCopy?

    /// Makes a copy one that nobody has read.
    func markUnread(_ copy: MailboxCopy) throws(MailboxFailure)

    /// Removes copies for good.
    func remove(_ copies: [MailboxCopy]) throws(MailboxFailure)
}

/// The identifier of a mail in a folder. A mail that arrives later has a greater one.
typealias MailboxCopy = UInt32

/// A command that did not succeed.
enum MailboxFailure: Error, Hashable {
    /// The server has refused the command, or was not reached: it has done nothing.
    case failed(ReasonCode)
    /// The connection was lost while the server may have been executing an append.
    case unanswered
}
