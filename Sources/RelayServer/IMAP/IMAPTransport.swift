public import OutboxCore
public import RelayRules

/// Appends mails to folders of mailboxes on one server, by IMAP
/// ([RFC 9051](https://www.rfc-editor.org/rfc/rfc9051), [RFC 3501](https://www.rfc-editor.org/rfc/rfc3501)),
/// with libcurl. Keeps connections open for further mails.
///
/// A mail to an address that has an ``OwnMailbox`` goes there, any other one to the mailbox for all. Where
/// there is neither, the mail waits. Mailboxes are looked up for each attempt: a change of one holds from
/// the next attempt on.
///
/// A mail is in the folder once, also where the folder keeps equal Message-IDs, the connection is
/// lost, or server and relay are killed (``ExactlyOnceAppend`` has the order of steps and the limits).
/// No mail is refused for good: a mailbox that is full, a password that is wrong and a folder that
/// was moved are causes for which the mails of this mailbox wait, and no others.
public struct IMAPTransport: MailTransport {
    /// Finds the mailbox of an address; `nil` where the address has none of its own.
    public typealias Directory = @Sendable (MailAddress) async throws -> OwnMailbox?

    /// The mailbox for all addresses that have none of their own. Without credentials there is none.
    private let shared: IMAPMailbox
    private let directory: Directory
    private let open: OpenMailboxes
    /// When this process began to hand mails over.
    private let beginning: WallTime
    private let firstWait: Milliseconds

    /// - Parameters:
    ///   - mailbox: The server, and the folder that gets the mails to addresses without a mailbox of
    ///     their own; without credentials where there is no such mailbox.
    ///   - firstWait: The wait before the first look for a late copy; each further one of
    ///     ``AppendHistory/looks`` is twice as long. A mailbox that refuses the login rests for as long.
    ///   - clock: Reads the wall clock by which mails have their times.
    ///   - directory: Finds the mailbox of an address.
    public init(
        mailbox: IMAPMailbox,
        firstWait: Milliseconds,
        clock: WallClock,
        directory: @escaping Directory
    ) {
        shared = mailbox
        self.firstWait = firstWait
        self.directory = directory
        open = OpenMailboxes(rest: .milliseconds(firstWait.count))
        beginning = clock()
    }

    public func deliver(_ mail: QueuedMail) async -> MailOutcome {
        let history = AppendHistory(mail.earlier.lastFailure)
        let mailbox: IMAPMailbox
        do {
            mailbox = try await self.mailbox(of: mail)
        } catch {
            return Self.wait("imap.mailbox.unreadable", history)
        }
        guard mailbox.server.credentials != nil else { return Self.wait("imap.mailbox", history) }
        guard let open = open.open(mailbox) else { return Self.wait("imap.login", history) }
        let session = IMAPSession(mailbox: mailbox, mail: mail, open: open)
        let mayHaveBeenTried = mail.earlier.queuedAt.map { $0 <= beginning } ?? true
        let outcome = await withTaskCancellationHandler {
            await BlockingQueue(label: "imap").run { [firstWait] in
                session.run(history, mayHaveBeenTried: mayHaveBeenTried, firstWait: firstWait)
            }
        } onCancel: {
            session.cancel()
        }
        if session.isLoginRefused { self.open.letRest(mailbox) }
        return outcome
    }

    public func isUnknown(_ reason: ReasonCode) -> Bool { AppendHistory(reason) != .none }

    private func mailbox(of mail: QueuedMail) async throws -> IMAPMailbox {
        guard let address = MailAddress(mail.recipient), let own = try await directory(address)
        else { return shared }
        return shared.mailbox(of: own)
    }

    /// The outcome of an attempt that has not reached a server. A mail that is looked after has been
    /// handed over, whatever its mailbox says now.
    private static func wait(_ reason: ReasonCode, _ history: AppendHistory) -> MailOutcome {
        if case .settling = history, let settling = history.reason {
            return .settling(settling, after: nil)
        }
        return .tryLater(reason)
    }
}
