import CLibcurl
import Curl
import Dispatch
import LibC
import Synchronization

/// The open connections to one mail server that wait for another mail.
///
/// Each connection carries one mail at a time, and ends after a number of mails, after a time, or
/// when it has waited for too long (``MailServer/Reuse``).
///
/// `Knowledge` is what its users learn of the other side, and what holds as long as the connection does.
final class MailConnections<Knowledge: Sendable>: Sendable {
    /// A connection for one mail. Its handle connects when it is first used.
    struct Lease: Sendable {
        let handle: CurlHandle
        let openedAt: ContinuousClock.Instant
        let mailsBefore: Int
        /// Whether the connection ends after this mail.
        let isLast: Bool
        /// What is known of the other side; `nil` for nothing.
        var knowledge: Knowledge?
    }

    private struct Idle: Sendable {
        let handle: CurlHandle
        let openedAt: ContinuousClock.Instant
        let mails: Int
        let knowledge: Knowledge?
        let since: ContinuousClock.Instant
    }

    private let reuse: MailServer.Reuse
    private let idle = Mutex<[Idle]>([])
    /// Ends connections that have waited for too long.
    private let closing = DispatchQueue(label: "mail-closing")

    init(_ reuse: MailServer.Reuse) {
        // TLS writes to a connection that was closed a moment ago; that is an error, not a death.
        signal(SIGPIPE, SIG_IGN)
        self.reuse = reuse
    }

    deinit {
        for open in idle.withLock({ $0 }) { open.handle.endReading() }
    }

    /// The connection that was used last, else a new one.
    ///
    /// - Parameter isNew: Whether an open connection is not wanted.
    /// - Returns: `nil` when libcurl has no handle.
    func lease(new isNew: Bool = false) -> Lease? {
        let now = ContinuousClock.now
        closeExpired(at: now)
        if !isNew, let open = idle.withLock({ $0.popLast() }) {
            return Lease(
                handle: open.handle,
                openedAt: open.openedAt,
                mailsBefore: open.mails,
                isLast: open.mails + 1 >= reuse.mails,
                knowledge: open.knowledge
            )
        }
        return CurlHandle().map {
            Lease(handle: $0, openedAt: now, mailsBefore: 0, isLast: reuse.mails <= 1)
        }
    }

    /// Takes a connection back.
    ///
    /// - Parameter isGood: Whether the connection may carry another mail. A connection on which a
    ///   mail failed ends.
    func giveBack(_ lease: Lease, isGood: Bool) {
        guard isGood, !lease.isLast else { return lease.handle.endReading() }
        lease.handle.reset()
        let now = ContinuousClock.now
        idle.withLock {
            $0.append(
                Idle(
                    handle: lease.handle,
                    openedAt: lease.openedAt,
                    mails: lease.mailsBefore + 1,
                    knowledge: lease.knowledge,
                    since: now
                )
            )
        }
        let wait = Int(reuse.idle / .milliseconds(1)) + 1
        closing.asyncAfter(deadline: .now() + .milliseconds(wait)) { [weak self] in
            self?.closeExpired(at: .now)
        }
    }

    private func closeExpired(at now: ContinuousClock.Instant) {
        let expired = idle.withLock { idle in
            let expired = idle.filter {
                now - $0.since >= reuse.idle || now - $0.openedAt >= reuse.age
            }
            idle.removeAll { open in expired.contains { $0.handle === open.handle } }
            return expired
        }
        for open in expired { open.handle.endReading() }
    }
}

extension MailServer {
    /// The protection, as libcurl takes it.
    var useSSL: Int {
        switch security {
        case .implicit, .require: Int(CURLUSESSL_ALL.rawValue)
        case .opportunistic: Int(CURLUSESSL_TRY.rawValue)
        }
    }
}
