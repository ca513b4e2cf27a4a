public import OutboxCore

/// The number that tells one copy of a replica from all others: 128 random bits.
///
/// A shorter number, or a hash of something, collides. Two devices with one node would take each
/// other's changes for their own.
public struct NodeID: Hashable, Comparable, Sendable {
    /// The first eight bytes.
    public let high: UInt64
    /// The last eight bytes.
    public let low: UInt64

    /// Makes a node of 128 random bits from a cryptographic source.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    public static func < (left: Self, right: Self) -> Bool {
        left.high != right.high ? left.high < right.high : left.low < right.low
    }
}

/// The identity of a change: the node that made it, and a number that only grows on that node.
public struct ChangeID: Hashable, Comparable, Sendable {
    /// The number of the change on its node, from 1 on.
    public let number: UInt64
    /// The node that made the change.
    public let node: NodeID

    /// Makes the identity of a change.
    public init(number: UInt64, node: NodeID) {
        self.number = number
        self.node = node
    }

    @inline(never)
    public static func == (left: Self, right: Self) -> Bool {
        left.number == right.number && left.node == right.node
    }

    public static func < (left: Self, right: Self) -> Bool {
        left.number != right.number ? left.number < right.number : left.node < right.node
    }
}

/// The time of a change on a hybrid logical clock: a wall-clock time, then the change's number, then
/// its node.
///
/// The server may change the time of a stamp, never its identity. So two values of a field come from
/// the same change exactly if the identities of their stamps are equal.
public final class Stamp: Hashable, Comparable, Sendable {
    /// The wall-clock time, never far ahead of the server's once the server has answered.
    public let time: WallTime
    /// The identity of the change, which decides between equal times.
    public let id: ChangeID

    /// Makes a stamp.
    public init(time: WallTime, id: ChangeID) {
        self.time = time
        self.id = id
    }

    /// The stamp of a value that no change has written yet.
    public static let zero = Stamp(
        time: .distantPast,
        id: ChangeID(number: 0, node: NodeID(high: 0, low: 0))
    )

    @inline(never)
    public static func == (left: Stamp, right: Stamp) -> Bool {
        left === right || left.time == right.time && left.id == right.id
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(time)
        hasher.combine(id)
    }

    @inline(never)
    public static func < (left: Stamp, right: Stamp) -> Bool {
        left.time != right.time ? left.time < right.time : left.id < right.id
    }
}
