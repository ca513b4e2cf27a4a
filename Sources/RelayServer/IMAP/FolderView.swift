/// A folder as a connection knows it that has the folder open.
struct FolderView: Hashable, Sendable {
    /// The validity of the folder's identifiers
    /// ([RFC 9051, section 2.3.1.1](https://www.rfc-editor.org/rfc/rfc9051#section-2.3.1.1)): a folder
    /// with another one is another folder, whose identifiers name other mails.
    let validity: UInt32
    /// An identifier that the folder has reached, 0 where none is known: a mail that arrives later
    /// has a greater one.
    private(set) var reached: MailboxCopy

    /// Notes a mail that the folder holds.
    mutating func note(_ copy: MailboxCopy) {
        reached = max(reached, copy)
    }
}

/// What one search for a mail has shown.
struct FolderSearch: Hashable, Sendable {
    /// The copies, in the order in which they arrived.
    let copies: [MailboxCopy]
    /// The folder that was searched: all mails up to ``FolderView/reached`` were looked at. `nil` where the
    /// server tells no validity.
    let view: FolderView?
}
