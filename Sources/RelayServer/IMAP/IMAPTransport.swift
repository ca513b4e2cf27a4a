public import OutboxCore

/// Appends all mails to one folder of one mailbox, whatever the recipient, by IMAP
/// ([RFC 9051](https://www.rfc-editor.org/rfc/rfc9051), [RFC 3501](https://www.rfc-editor.org/rfc/rfc3501)),
/// with libcurl. Keeps connections open for further mails.
///
/// A mail is in the folder once, also where the folder keeps equal Message-IDs, the connection is
/// lost, or server and relay are killed (``ExactlyOnceAppend`` has the order of steps and the limits).
/// No mail is refused for good: a mailbox that is full, a password that is wrong and a folder that
/// was moved are causes for which mails wait.
public struct IMAPTransport: MailTransport {
    private let mailbox: IMAPMailbox
    private let connections: MailConnections
    /// When this process began to hand mails over.
    private let beginning: WallTime
    private let firstWait: Milliseconds

    /// - Parameters:
    ///   - mailbox: The folder that gets the mails.
    ///   - firstWait: The wait before the first look for a late copy; each further one of
    ///     ``AppendHistory/looks`` is twice as long.
    ///   - clock: Reads the wall clock by which mails have their times.
    public init(mailbox: IMAPMailbox, firstWait: Milliseconds, clock: WallClock) {
        self.mailbox = mailbox
        connections = MailConnections(mailbox.server.reuse)
        self.firstWait = firstWait
        beginning = clock()
    }

    public func deliver(_ mail: QueuedMail) async -> MailOutcome {
        let session = IMAPSession(mailbox: mailbox, mail: mail, connections: connections)
        let history = AppendHistory(mail.earlier.lastFailure)
        let mayHaveBeenTried = mail.earlier.queuedAt.map { $0 <= beginning } ?? true
        return await withTaskCancellationHandler {
            await BlockingQueue(label: "imap").run { [firstWait] in
                session.run(history, mayHaveBeenTried: mayHaveBeenTried, firstWait: firstWait)
            }
        } onCancel: {
            session.cancel()
        }
    }

    public func isUnknown(_ reason: ReasonCode) -> Bool { AppendHistory(reason) != .none }
}
