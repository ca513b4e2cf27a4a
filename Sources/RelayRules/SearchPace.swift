package import OutboxCore

/// How often a choice among due mails (``FairChoice``) goes through the mails of mailboxes that have their share:
/// a pure decision.
///
/// Where one mailbox has thousands of mails that wait, a choice goes through them for the mails of others. Mostly
/// there are none, and a choice follows each mail that leaves.
///
/// 1. After a choice that has gone through such mails and has found nothing to hand over, choices are made among
///    the first page of each age alone, for ``rest`` times as long as that search took, and for ``longestRest`` at
///    most. So searches in vain take a fifth of the time at most, unless one takes longer than half a second.
/// 2. A mail behind others waits for so long at most. ``Choice/wait`` says for how long.
/// 3. After a search that has found something the next choice may search again at once.
package struct SearchPace: Sendable {
    /// How much longer than a search in vain the rest after the search is.
    package static let rest: Int64 = 4
    /// The longest rest.
    package static let longestRest = Milliseconds.seconds(2)

    /// The mails to hand over next.
    package struct Choice: Sendable {
        /// In their order.
        package let mails: [FairChoice.Mail]
        /// After this time a choice may find more mails that are due now; `nil` where it would find none.
        package let wait: Milliseconds?
    }

    /// The end of the rest.
    private var end: Milliseconds?

    /// A pace that allows a search.
    package init() {}

    /// Makes a choice.
    ///
    /// - Parameters:
    ///   - limit: The greatest number of mails to choose.
    ///   - inFlight: The mails that are being handed over. A search that finds these alone is in vain.
    ///   - now: A time that only grows.
    ///   - read: Reads a page, and says whether no mails follow, as ``FairChoice/take(_:isLast:)`` wants both.
    /// - Throws: What `read` throws.
    package mutating func choose(
        limit: Int,
        inFlight: Set<OperationID>,
        now: () -> Milliseconds,
        reading read: (FairChoice.Page) throws -> (mails: [FairChoice.Mail], isLast: Bool?)
    ) rethrows -> Choice {
        let left = end.map { $0.count - now().count } ?? 0
        var choice = FairChoice(limit: limit, searchesFurther: left <= 0)
        var begun: Milliseconds?
        while let page = choice.next {
            if page.last != nil, begun == nil { begun = now() }
            let answer = try read(page)
            choice.take(answer.mails, isLast: answer.isLast)
        }
        if let begun {
            let isInVain = choice.foundFurther.allSatisfy { mail in
                OperationID(bytes: mail.position.id).map(inFlight.contains) ?? false
            }
            end = isInVain ? Self.end(of: begun, at: now()) : nil
        }
        return Choice(
            mails: choice.chosen,
            wait: choice.isCutShort ? Milliseconds(left) : nil
        )
    }

    /// The end of the rest after a search.
    private static func end(of begun: Milliseconds, at now: Milliseconds) -> Milliseconds {
        Milliseconds(now.count + min((now.count - begun.count) * rest, longestRest.count))
    }
}
