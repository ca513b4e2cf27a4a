import Synchronization

/// A mailbox that a relay appends to.
struct OpenMailbox: Sendable {
    /// The open connections of its login.
    let connections: MailConnections<FolderView>
    /// What searches in its folder have shown.
    let searches: EarlierSearches
}

/// The mailboxes that a relay appends to, each with the open connections of its own login.
///
/// A mailbox that refuses the login rests: its mails wait without another attempt. Mail servers count
/// failed logins by the network that they come from, so a relay that repeats one person's wrong password
/// for each mail would be locked out with the mails of all others. A mailbox with another password or
/// folder is another mailbox, which does not rest.
final class OpenMailboxes: Sendable {
    private struct Open {
        let mailbox: OpenMailbox
        /// The end of the rest; in the past for a mailbox that does not rest.
        var restsUntil: ContinuousClock.Instant
        var usedAt: ContinuousClock.Instant
    }

    /// The greatest number of mailboxes whose connections are kept. Beyond it, the one that was used longest
    /// ago is forgotten, with its rest and its searches: attempts under way keep their connections.
    static let mostKept = 256

    private let rest: Duration
    private let now: @Sendable () -> ContinuousClock.Instant
    private let open = Mutex<[IMAPMailbox: Open]>([:])

    /// - Parameters:
    ///   - rest: The length of a rest.
    ///   - now: Reads the monotonic clock.
    init(rest: Duration, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.rest = rest
        self.now = now
    }

    /// What is open of a mailbox; `nil` while it rests.
    ///
    /// - Complexity: O(1); O(``mostKept``) for a mailbox beyond them.
    func open(_ mailbox: IMAPMailbox) -> OpenMailbox? {
        let time = now()
        return open.withLock { open in
            if var known = open[mailbox] {
                guard known.restsUntil <= time else { return nil }
                known.usedAt = time
                open[mailbox] = known
                return known.mailbox
            }
            if open.count >= Self.mostKept,
                let oldest = open.min(by: { $0.value.usedAt < $1.value.usedAt })
            {
                open[oldest.key] = nil
            }
            let new = OpenMailbox(
                connections: MailConnections(mailbox.server.reuse),
                searches: EarlierSearches()
            )
            open[mailbox] = Open(mailbox: new, restsUntil: time, usedAt: time)
            return new
        }
    }

    /// Lets a mailbox rest, because its server has refused the login.
    func letRest(_ mailbox: IMAPMailbox) {
        let end = now() + rest
        open.withLock { $0[mailbox]?.restsUntil = end }
    }
}
