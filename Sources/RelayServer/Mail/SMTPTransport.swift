/// Submits mail to a server by SMTP
/// ([RFC 6409](https://www.rfc-editor.org/rfc/rfc6409)), with libcurl.
public struct SMTPTransport: MailTransport {
    private let endpoint: SMTPEndpoint

    public init(endpoint: SMTPEndpoint) {
        self.endpoint = endpoint
    }

    public func deliver(_ mail: QueuedMail) async -> MailOutcome {
        let session = SMTPSession(endpoint: endpoint, mail: mail)
        return await withTaskCancellationHandler {
            await BlockingQueue(label: "smtp").run { session.run() }
        } onCancel: {
            session.cancel()
        }
    }
}
