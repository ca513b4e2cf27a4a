package import OutboxCore

/// The rule on the number of memos that a device may send, at one moment. The memos of all devices
/// of an account count together: signing in once more gives nobody more memos.
///
/// A store counts the account's accepted memos in each of ``windows`` and asks for the decision, in
/// the transaction that stores the memo:
///
/// 1. Accepted memos count. So a restart does not reset a limit, and a replay does not count.
/// 2. A memo is granted when every limit leaves room for one more.
/// 3. A refused memo changes no count: it may be sent as soon as the longest violated limit has
///    passed.
package struct DeviceQuota: Hashable, Sendable {
    /// The decision about one more memo.
    package enum Decision: Hashable, Sendable {
        /// The memo may be stored; with the use of the limits after it.
        case granted([LimitUsage])
        /// The memo is refused; with the use of the limits, at least one of which is used up.
        case refused([LimitUsage])
    }

    private let limits: [DeviceLimit]
    /// The windows in which memos count: one for each limit, in the order of the limits.
    package let windows: [RateWindow]

    package init(_ limits: DeviceLimits, at now: WallTime) {
        self.limits = limits.all
        windows = limits.all.map { RateWindow($0.window, at: now) }
    }

    /// The use of the limits, in their order.
    ///
    /// - Parameter uses: The account's accepted memos in each of ``windows``.
    package func usages(_ uses: [RateUse]) -> [LimitUsage] {
        precondition(uses.count == windows.count, "each window has a use")
        return limits.indices.map { index in
            LimitUsage(
                limit: limits[index],
                remaining: max(0, limits[index].count - uses[index].count),
                reset: windows[index].wait(after: uses[index])
            )
        }
    }

    /// Decides about one more memo.
    ///
    /// - Parameter uses: The account's accepted memos in each of ``windows``.
    package func decision(_ uses: [RateUse]) -> Decision {
        let before = usages(uses)
        guard before.allSatisfy({ $0.remaining > 0 }) else { return .refused(before) }
        return .granted(before.map(\.withOneMore))
    }
}
