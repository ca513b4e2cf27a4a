/// Submits mail to a server by SMTP
/// ([RFC 6409](https://www.rfc-editor.org/rfc/rfc6409)), with libcurl. Keeps connections open for
/// further mails.
public struct SMTPTransport: MailTransport {
    private let endpoint: MailServer
    private let connections: MailConnections<Never>

    public init(endpoint: MailServer) {
        self.endpoint = endpoint
        connections = MailConnections<Never>(endpoint.reuse)
    }

    public func deliver(_ mail: QueuedMail) async -> MailOutcome {
        let session = SMTPSession(endpoint: endpoint, mail: mail)
        return await withTaskCancellationHandler {
            await BlockingQueue(label: "smtp").run { [connections] in session.run(on: connections) }
        } onCancel: {
            session.cancel()
        }
    }
}
