import Synchronization

/// What the searches of this process in one folder have shown, so that the next search for a mail looks
/// at nothing but what has arrived since.
///
/// A search of a whole folder costs the server time that grows with the folder, and a mail that is looked
/// after is searched for ``AppendHistory/looks`` times.
final class EarlierSearches: Sendable {
    /// The end of the part of the folder that was searched for a mail, and the copy found there.
    struct Search: Hashable, Sendable {
        /// The searched part: all mails up to ``FolderView/reached``.
        let view: FolderView
        /// The mail's only copy there; `nil` for none.
        let copy: MailboxCopy?
    }

    /// The greatest number of mails whose searches are kept. Beyond it all are forgotten: the next
    /// search for each looks at the whole folder.
    static let mostKept = 4_096

    private let searches = Mutex<[String: Search]>([:])

    /// The latest search for the mail with this Message-ID; `nil` for none.
    func search(for messageID: String) -> Search? {
        searches.withLock { $0[messageID] }
    }

    /// Notes a search. One that found several copies is not kept: some are to be removed.
    func note(_ search: FolderSearch, for messageID: String) {
        guard let view = search.view, search.copies.count <= 1 else {
            return forget(messageID)
        }
        searches.withLock { searches in
            if searches.count >= Self.mostKept, searches[messageID] == nil { searches = [:] }
            searches[messageID] = Search(view: view, copy: search.copies.first)
        }
    }

    /// Forgets the search for a mail that is not searched for any more.
    func forget(_ messageID: String) {
        searches.withLock { _ = $0.removeValue(forKey: messageID) }
    }
}
