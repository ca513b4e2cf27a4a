import NIOCore
import NIOPosix
import NIOSSL

/// Submits mail to a server by SMTP
/// ([RFC 6409](https://www.rfc-editor.org/rfc/rfc6409)) over SwiftNIO, with `PIPELINING` where the server
/// offers it. Keeps connections open for further mails. Holds no thread for a mail.
///
/// The outcomes and their reasons are those of ``SMTPTransport``. Password mechanisms are `PLAIN` and
/// `LOGIN`; a server that has only others gets no mail (`smtp.authentication`).
public struct NIOSMTPTransport: MailTransport {
    private let endpoint: MailServer
    private let connections: SMTPConnections

    /// A transport on ``MailThreads/sessions``.
    public init(endpoint: MailServer) {
        self.init(endpoint: endpoint, roots: .default)
    }

    /// - Parameter roots: The certificates of the authorities that are trusted.
    init(endpoint: MailServer, roots: NIOSSLTrustRoots) {
        self.endpoint = endpoint
        connections = SMTPConnections(
            endpoint,
            trust: SMTPTrust(roots),
            group: MailThreads.sessions
        )
    }

    public func deliver(_ mail: QueuedMail) async -> MailOutcome {
        let delivery = SMTPDelivery(mail, until: .now() + TimeAmount(endpoint.timeout))
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                delivery.begin(continuation)
                connections.carry(delivery)
            }
        } onCancel: {
            delivery.cancel()
        }
    }
}
