import OutboxCore

/// The moments at which a device pulls. Pure: times are of a monotonic clock.
///
/// ```
///          ended well                          failed
/// resting ◀────────── pulling ──────────────────────────▶ waiting
///    │ interval, in the foreground; urgent; asked ▲  ▲        │ doubled wait; urgent; asked
///    └────────────────────────────────────────────┘  └────────┘ never before the server's moment
/// ```
///
/// Invariants
/// 1. No pull begins before the moment that the server asked for, whatever the reason.
/// 2. Each failure doubles the wait, up to the longest; a success ends it.
/// 3. After a failure, only an urgent reason begins a pull before the end of the wait. What the records ask
///    for is none: while they cannot be stored, they ask again at once.
struct PullSchedule: Equatable, Sendable {
    let settings: SyncSettings
    private var failures = 0
    private var lastEnd: Milliseconds?
    private var notBefore = Milliseconds(0)

    init(settings: SyncSettings) { self.settings = settings }

    /// A pull has ended.
    ///
    /// - Parameter failure: `nil` if it went well.
    mutating func ended(_ failure: SyncFailure?, now: Milliseconds) {
        lastEnd = now
        failures = failure == nil ? 0 : failures + 1
        if case .busy(let wait) = failure {
            let asked = min(wait ?? settings.firstWait, Milliseconds(Self.longestServerWait))
            notBefore = Milliseconds(now.count + asked.count)
        }
    }

    /// The wait before the next pull; 0 to pull now, `nil` to wait for a reason.
    ///
    /// - Parameters:
    ///   - isUrgent: Whether a person, or an arrival of the network, asks for a pull.
    ///   - isWanted: Whether the records ask for one.
    func wait(
        isUrgent: Bool,
        isWanted: Bool,
        isForeground: Bool,
        now: Milliseconds
    ) -> Milliseconds? {
        guard let lastEnd else { return Milliseconds(0) }
        let due: Int64
        if isUrgent || isWanted && failures == 0 {
            due = now.count
        } else if failures > 0 {
            let doubled = settings.firstWait.count << min(failures - 1, 20)
            due = lastEnd.count + min(doubled, settings.longestWait.count)
        } else if isForeground {
            due = lastEnd.count + settings.foregroundInterval.count
        } else {
            return nil
        }
        return Milliseconds(max(0, max(due, notBefore.count) - now.count))
    }

    /// A day: a longer wait is a mistake of the server, or of somebody between.
    private static let longestServerWait: Int64 = 24 * 3600 * 1000
}
