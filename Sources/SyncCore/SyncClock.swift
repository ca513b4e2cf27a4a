public import OutboxCore

/// A hybrid logical clock that neither stalls nor dominates.
///
/// A stamp is later than every stamp that this clock has given or seen. The wall clock may jump in
/// both directions: backwards, and the stamps go on from the last one; forwards, and the server
/// clamps the stamps to its own time plus ``tolerance``, hands them back, and every device takes
/// them. Nobody refuses a stamp. A stamp of the past is never touched, however old it is.
///
/// The server's side of the contract, for the changes of one node:
/// 1. `min(stamp.time, now + tolerance)` is the time of a stamp that the server hears first.
/// 2. That time is not before the time of a change with a smaller number, and not after the time of
///    a change with a greater number, as far as the server has heard them. So clamped stamps of one
///    node keep the order of their numbers.
/// 3. A change that the server hears again has the first clamped stamp.
public struct SyncClock: Hashable, Sendable {
    /// The time by which a stamp may be ahead of the server: one minute.
    public static var tolerance: Milliseconds { .seconds(60) }

    /// The node of the next stamps.
    public internal(set) var node: NodeID
    /// The number of the last stamp of this node; 0 before the first one.
    public internal(set) var number: UInt64 = 0
    /// The latest time of a stamp that was given or seen.
    var time = WallTime.distantPast
    /// The latest time of the server that was heard.
    var serverTime = WallTime.distantPast

    /// A clock that has given and seen no stamp.
    public init(node: NodeID) {
        self.node = node
    }

    /// Gives the next stamp.
    ///
    /// - Parameter now: The wall clock of this device, right or wrong.
    @inline(never)
    mutating func stamp(now: WallTime) -> Stamp {
        time = max(time, now)
        number += 1
        return Stamp(time: time, id: ChangeID(number: number, node: node))
    }

    /// Sees a stamp of a row. A stamp of another node moves the clock beyond itself.
    @inline(never)
    mutating func observe(_ stamp: Stamp) {
        guard stamp.time >= time else { return }
        time = stamp.id.node == node ? stamp.time : stamp.time.advanced(by: Milliseconds(1))
    }

    /// Hears the server's time, and comes back from a time that the server would clamp.
    @inline(never)
    mutating func hear(serverTime told: WallTime) {
        serverTime = max(serverTime, told)
        time = min(time, serverTime.advanced(by: Self.tolerance))
    }
}
