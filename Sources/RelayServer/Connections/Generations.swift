import NIOCore

/// Two generations of a table that forgets, and that strangers cannot make grow: what is new goes into the
/// young one, and what is old goes with the old one.
///
/// What was put in is kept for one to two of the times after which the generations change places, or
/// shorter when the young one is full.
struct Generations<Table: Collection> {
    var young: Table
    private(set) var old: Table
    private let empty: Table
    private let period: TimeAmount
    private let most: Int
    private var since: NIODeadline

    /// - Parameters:
    ///   - empty: A table without content.
    ///   - period: The time after which the generations change places.
    ///   - most: The number of elements of the young one at which they change places at once.
    ///   - now: The present time.
    init(empty: Table, every period: TimeAmount, most: Int, at now: NIODeadline) {
        (young, old) = (empty, empty)
        self.empty = empty
        self.period = period
        self.most = most
        since = now
    }

    /// The number of elements of both.
    var count: Int { young.count + old.count }

    /// Lets the young generation become the old one, if it is time.
    mutating func turn(at now: NIODeadline) {
        let age = now - since
        guard age >= period || young.count >= most else { return }
        old = age >= period * 2 ? empty : young
        young = empty
        since = now
    }
}

extension Generations: Sendable where Table: Sendable {}
