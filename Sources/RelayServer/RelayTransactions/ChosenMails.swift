package import OutboxCore
import RelayRules

/// The mails of one page of a list that a transaction changes, and where the next page begins.
package struct ChosenMails<Mail: ListedMail>: Hashable, Sendable {
    /// The number of mails that one transaction looks at.
    package static var limit: Int { 128 }

    package let mails: [StoredMail<Mail>]
    /// The last mail that was looked at; `nil` when there is none behind it.
    package let last: EntryID?

    /// Chooses among the mails of a page.
    ///
    /// - Parameters:
    ///   - found: The page, of at most ``limit`` mails, in the order in which they were queued.
    ///   - isChosen: Whether a mail is to be changed.
    package init(among found: [StoredMail<Mail>], _ isChosen: (Mail) -> Bool) {
        let chosen = found.filter { isChosen($0.mail) }
        let count = LetterBatch.count(of: chosen.map(\.mail.bytes))
        mails = Array(chosen.prefix(count))
        let end = found.count == Self.limit ? found.last : nil
        last = (count < chosen.count ? mails.last : end)?.entry
    }
}
