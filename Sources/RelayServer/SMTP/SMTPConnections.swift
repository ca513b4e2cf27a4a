import NIOCore
import Synchronization

/// The open connections to one mail server that wait for another mail.
///
/// Each connection carries one mail at a time, and ends after a number of mails, after a time, or when it
/// has waited for too long (``MailServer/Reuse``). There are as many as mails were handed over at once.
final class SMTPConnections: Sendable {
    private let server: MailServer
    private let trust: SMTPTrust
    private let group: any EventLoopGroup
    private let waiting = Mutex<[SMTPConnection.Handle]>([])

    init(_ server: MailServer, trust: SMTPTrust, group: any EventLoopGroup) {
        self.server = server
        self.trust = trust
        self.group = group
    }

    deinit {
        for handle in waiting.withLock({ $0 }) { handle.retire() }
    }

    /// Has the connection that was used last carry the mail, else a new one.
    func carry(_ delivery: SMTPDelivery) {
        if let handle = takeLatest() {
            handle.carry(delivery)
        } else {
            carryOnNew(delivery)
        }
    }

    /// Has a new connection carry the mail.
    func carryOnNew(_ delivery: SMTPDelivery) {
        let loop = group.next()
        loop.execute { [self] in
            let domain = delivery.mail.sender.split(separator: "@").last ?? "localhost"
            let connection = SMTPConnection(
                server,
                trust: trust,
                name: String(domain),
                connections: self,
                on: loop
            )
            connection.open(for: delivery)
        }
    }

    /// Takes a connection back that may carry another mail.
    ///
    /// - Returns: `false` for a connection that is too old: it has to end.
    func takeBack(_ handle: SMTPConnection.Handle) -> Bool {
        guard !isTooOld(handle) else { return false }
        waiting.withLock { $0.append(handle) }
        return true
    }

    /// Forgets a connection that is about to end, or has ended.
    ///
    /// - Returns: `false` where the connection did not wait any more: a mail is on its way to it.
    @discardableResult
    func forget(_ handle: SMTPConnection.Handle) -> Bool {
        waiting.withLock { waiting in
            guard let index = waiting.lastIndex(where: { $0 === handle }) else { return false }
            waiting.remove(at: index)
            return true
        }
    }

    private func takeLatest() -> SMTPConnection.Handle? {
        let (handle, old) = waiting.withLock { waiting in
            let old = waiting.filter(isTooOld)
            waiting.removeAll(where: isTooOld)
            return (waiting.popLast(), old)
        }
        for handle in old { handle.retire() }
        return handle
    }

    private func isTooOld(_ handle: SMTPConnection.Handle) -> Bool {
        NIODeadline.now() - handle.openedAt >= TimeAmount(server.reuse.age)
    }
}
