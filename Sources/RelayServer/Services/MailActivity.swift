package import OutboxCore
import Synchronization

/// The attempts of this process to hand mails over, and the latest movement of its part of the mail
/// queue.
package final class MailActivity: Sendable {
    /// A kind of attempts that are counted together.
    struct Attempt: Hashable {
        /// A mail that is handed over.
        enum Mail: String, CaseIterable {
            case code
            case memo
            case device
        }

        /// The name of a ``MailOutcome``.
        enum Outcome: String, CaseIterable {
            case accepted
            case refused
            case later
            case unknown
            case settling
        }

        let mail: Mail
        let outcome: Outcome
    }

    /// The least time between two movements that are noted in the store, for other relays. Less than a
    /// minute, see ``Readiness``.
    private static let exactness: Milliseconds = .seconds(30)

    private struct State {
        var latest: WallTime
        var noted: WallTime?
        var underWay = 0
        var attempts: [Attempt: Int] = [:]
    }

    private let state: Mutex<State>

    /// - Parameter time: The time at which the delivery begins, which counts as a movement.
    package init(since time: WallTime) {
        state = Mutex(State(latest: time))
    }

    /// Notes that an attempt begins.
    func began(at time: WallTime) {
        state.withLock { state in
            state.latest = time
            state.underWay += 1
        }
    }

    /// Notes that an attempt has ended.
    ///
    /// - Returns: Whether the store has to note the movement.
    func ended(_ mail: Attempt.Mail, _ outcome: MailOutcome, at time: WallTime) -> Bool {
        let name: Attempt.Outcome =
            switch outcome {
            case .accepted: .accepted
            case .refused: .refused
            case .tryLater: .later
            case .unknown: .unknown
            case .settling: .settling
            }
        return state.withLock { state in
            state.latest = time
            state.underWay -= 1
            state.attempts[Attempt(mail: mail, outcome: name), default: 0] += 1
            if let noted = state.noted, abs(time.since(noted).count) < Self.exactness.count {
                return false
            }
            state.noted = time
            return true
        }
    }

    /// The time at which the latest attempt began or ended.
    var lastMoved: WallTime { state.withLock { $0.latest } }

    /// Whether an attempt is under way.
    var isUnderWay: Bool { state.withLock { $0.underWay > 0 } }

    /// Every kind of attempt has a sample from the beginning.
    func write(to page: inout PrometheusText) {
        let attempts = state.withLock { $0.attempts }
        let name = "memo_relay_mail_attempts_total"
        page.family(
            name,
            .counter,
            "Attempts to hand a mail over, by what the mail server made of it."
        )
        for mail in Attempt.Mail.allCases {
            for outcome in Attempt.Outcome.allCases {
                page.sample(
                    name,
                    ["mail": mail.rawValue, "outcome": outcome.rawValue],
                    attempts[Attempt(mail: mail, outcome: outcome)] ?? 0
                )
            }
        }
    }
}
