import NIOCore
import Synchronization

/// One mail on its way to a mail server, whichever connection carries it.
final class SMTPDelivery: Sendable {
    private struct State {
        var continuation: CheckedContinuation<MailOutcome, Never>?
        var carrier: SMTPConnection.Handle?
        var isCancelled = false
    }

    let mail: QueuedMail
    /// The time at which to give up, whatever the connection waits for.
    let deadline: NIODeadline
    private let state = Mutex(State())

    init(_ mail: QueuedMail, until deadline: NIODeadline) {
        self.mail = mail
        self.deadline = deadline
    }

    /// - Parameter continuation: Gets the outcome.
    func begin(_ continuation: CheckedContinuation<MailOutcome, Never>) {
        state.withLock { $0.continuation = continuation }
    }

    /// Notes the connection that carries the mail from now on.
    ///
    /// - Parameter carrier: The connection; `nil` for one that has ended, and hands the mail back.
    /// - Returns: Whether the delivery has been cancelled.
    func isCancelled(carriedBy carrier: SMTPConnection.Handle?) -> Bool {
        state.withLock {
            $0.carrier = carrier
            return $0.isCancelled
        }
    }

    /// Ends the delivery at once, or, where the server may already have the mail, waits for
    /// ``StopTimes/answer``: a server that looks through a mail for long would get it twice.
    func cancel() {
        let carrier = state.withLock {
            $0.isCancelled = true
            return $0.carrier
        }
        carrier?.cancel(self)
    }

    /// Once; later calls change nothing.
    func finish(_ outcome: MailOutcome) {
        let continuation = state.withLock { state in
            defer { (state.continuation, state.carrier) = (nil, nil) }
            return state.continuation
        }
        continuation?.resume(returning: outcome)
    }
}
