import MemoCore
import OutboxCore
import Synchronization

/// The counts of this process since it began, for ``/metrics``. No count belongs to a person.
final class RelayMetrics: Sendable {
    private struct Counts {
        var accepts = DurationHistogram()
        var problems: [ProblemCode: Int] = [:]
        var limits: [String: Int] = [:]
    }

    private let counts = Mutex(Counts())

    /// Notes that a memo was accepted, or accepted again.
    ///
    /// - Parameter duration: The time from the head of the request to the answer, with the time in
    ///   which the body arrived.
    func accepted(in duration: Duration) {
        counts.withLock { $0.accepts.note(duration) }
    }

    /// Notes that a request was refused.
    func refused(_ code: ProblemCode) {
        counts.withLock { $0.problems[code, default: 0] += 1 }
    }

    /// Notes that a limit has refused a request, or has kept a code from being mailed.
    ///
    /// - Parameter name: See ``Refusal/limits``.
    func limited(_ name: String) {
        counts.withLock { $0.limits[name, default: 0] += 1 }
    }

    /// Every problem has a sample from the beginning, so that its first increase is seen.
    func write(to page: inout PrometheusText) {
        let counts = counts.withLock { $0 }
        let accept = "memo_relay_accept_seconds"
        page.family(
            accept,
            .histogram,
            "Time from a memo's request to its acceptance, with the time in which it arrived."
        )
        page.samples(accept, counts.accepts)
        let problems = "memo_relay_problems_total"
        page.family(
            problems,
            .counter,
            "Refused requests by problem; quota-exceeded, too-many-requests and unavailable are limits."
        )
        for code in ProblemCode.allCases {
            page.sample(problems, ["code": "\(code.name)"], counts.problems[code] ?? 0)
        }
        let limits = "memo_relay_limits_total"
        page.family(
            limits,
            .counter,
            """
            Requests that a limit refused, or for which it kept a code from being mailed; one that \
            several limits refuse counts for each of them.
            """
        )
        for name in Refusal.limitNames {
            page.sample(limits, ["limit": name], counts.limits[name] ?? 0)
        }
    }
}
