package import OutboxCore

/// The choice of the due mails that are handed over next, among those of one part of the queue
/// (``MailPart``): a pure decision over pages of the queue.
///
/// 1. Mails that were tried before and new mails take turns: neither keeps the other from being
///    handed over.
/// 2. Of the mails that were tried before, and of the new ones, the earliest are chosen, of each
///    mailbox at most ``perMailbox``. A mail of no mailbox has no such limit.
/// 3. Of each of the two, at most ``longestSearch`` mails are looked at for the next page of those that
///    may be chosen. Behind so many mails of a few mailboxes others wait until these become fewer.
///    ``SearchPace`` says how often.
///
/// A store reads the page that ``next`` names, hands it to ``take(_:isLast:)``, and repeats both until
/// ``next`` is `nil`. How long the pages are changes nothing of the choice.
package struct FairChoice: Sendable {
    /// Whether a mail was tried before. Its due moment says so: a new mail has none.
    package enum Age: Hashable, Sendable {
        case tried
        case new
    }

    /// A due mail.
    package struct Mail: Sendable {
        package let entry: EntryID
        package let position: Position
        /// `nil` for a mail of no mailbox.
        package let mailbox: [UInt8]?

        package init(entry: EntryID, position: Position, mailbox: [UInt8]?) {
            self.entry = entry
            self.position = position
            self.mailbox = mailbox
        }
    }

    /// A mail's place in the order in which mails are due.
    package struct Position: Hashable, Comparable, Sendable {
        /// Milliseconds since 1970; 0 for a new mail.
        package let due: Int64
        /// The mail's identifier, as it is stored.
        package let id: [UInt8]

        package init(due: Int64, id: [UInt8]) {
            self.due = due
            self.id = id
        }

        package static func < (one: Self, other: Self) -> Bool {
            one.due != other.due
                ? one.due < other.due : one.id.lexicographicallyPrecedes(other.id)
        }
    }

    /// Mails to read: the first due mails of an age behind a position.
    package struct Page: Hashable, Sendable {
        package let age: Age
        /// `nil` for the beginning.
        package let last: Position?
        /// The greatest number of mails.
        package let limit: Int
        /// Mailboxes that have their share already: their mails are not on the page. At most
        /// ``FairChoice/mostLeftOut``.
        package let leftOut: [[UInt8]]
        /// The greatest number of due mails behind the position among which the page is read, those of the
        /// mailboxes that are left out too.
        package let search: Int
    }

    /// The mails of one mailbox that are chosen at once, of each age.
    package static let perMailbox = 2
    /// The greatest number of mails of an age among which a choice is made.
    package static let longestSearch = 4096
    /// The greatest number of mailboxes that are left out of a page. Mails of others that have their share
    /// are read, and not chosen.
    package static let mostLeftOut = 8
    /// The number of mails that are read at a time where the first ones do not suffice.
    package static let laterPage = 64

    private struct Search {
        var chosen: [Mail] = []
        var taken: [[UInt8]: Int] = [:]
        /// The first mailboxes that had their share.
        var leftOut: [[UInt8]] = []
        var searched = 0
        var next: Page?
    }

    private let limit: Int
    private let searchesFurther: Bool
    private let longestSearch: Int
    private let laterPage: Int
    private var tried = Search()
    private var new = Search()
    /// The mails that were chosen behind the first page of their age.
    package private(set) var foundFurther: [Mail] = []
    /// Whether the choice would have gone further than the first page of an age.
    package private(set) var isCutShort = false

    /// - Parameters:
    ///   - limit: The greatest number of mails to choose.
    ///   - searchesFurther: Whether the choice goes further than the first page of each age, where that page
    ///     does not suffice.
    ///   - longestSearch: See ``longestSearch``.
    ///   - laterPage: See ``laterPage``.
    package init(
        limit: Int,
        searchesFurther: Bool = true,
        longestSearch: Int = Self.longestSearch,
        laterPage: Int = Self.laterPage
    ) {
        self.limit = limit
        self.searchesFurther = searchesFurther
        self.longestSearch = longestSearch
        self.laterPage = laterPage
        guard limit > 0 else { return }
        // Mostly the first mails are of as many mailboxes.
        func first(_ age: Age) -> Page {
            Page(age: age, last: nil, limit: limit, leftOut: [], search: longestSearch)
        }
        tried.next = first(.tried)
        new.next = first(.new)
    }

    /// The page that the choice needs; `nil` when the choice is made.
    package var next: Page? { tried.next ?? new.next }

    /// Takes the mails of the page ``next``, in their order.
    ///
    /// - Parameter isLast: Whether no mails follow; `nil` says that a page that is shorter than its limit is
    ///   the last one.
    package mutating func take(_ mails: [Mail], isLast: Bool? = nil) {
        guard let page = next else { preconditionFailure("the choice is made") }
        take(mails, of: page, isLast ?? (mails.count < page.limit))
    }

    private mutating func take(_ mails: [Mail], of page: Page, _ isLast: Bool) {
        var search = page.age == .tried ? tried : new
        defer {
            switch page.age {
            case .tried: tried = search
            case .new: new = search
            }
        }
        for mail in mails where search.chosen.count < limit {
            if let mailbox = mail.mailbox {
                guard search.taken[mailbox, default: 0] < Self.perMailbox else { continue }
                search.taken[mailbox, default: 0] += 1
                if search.taken[mailbox] == Self.perMailbox,
                    search.leftOut.count < Self.mostLeftOut
                {
                    search.leftOut.append(mailbox)
                }
            }
            search.chosen.append(mail)
            if page.last != nil { foundFurther.append(mail) }
        }
        search.searched += mails.count
        search.next = nil
        guard !isLast, let last = mails.last, search.chosen.count < limit,
            search.searched < longestSearch
        else { return }
        guard searchesFurther else {
            isCutShort = true
            return
        }
        search.next = Page(
            age: page.age,
            last: last.position,
            limit: laterPage,
            leftOut: search.leftOut,
            search: longestSearch - search.searched
        )
    }

    /// The chosen mails so far, in the order in which they are handed over.
    package var chosen: [Mail] {
        let turns = zip(tried.chosen, new.chosen).flatMap { [$0, $1] }
        let common = min(tried.chosen.count, new.chosen.count)
        let rest = tried.chosen.dropFirst(common) + new.chosen.dropFirst(common)
        return Array((turns + rest).prefix(limit))
    }
}
