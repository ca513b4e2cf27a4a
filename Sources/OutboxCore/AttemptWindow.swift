/// The number of operations that are in flight at once, which follows what the other side takes.
///
/// The window begins at ``least``. While the other side takes what it gets, and the window is in use,
/// the window doubles with each round of attempts. After the first failure that may pass, and after each
/// further one, the window halves, and then grows by one with each round.
///
/// The window counts rounds, not time: a slow other side lets it grow slowly.
public struct AttemptWindow: Hashable, Sendable {
    /// The least size, at least 1.
    public let least: Int
    /// The greatest size.
    public let most: Int
    /// The number of operations that may be in flight now. More may be, for a while after a failure.
    public private(set) var size: Int

    private var hasFailed = false
    /// The operations that were taken since the window grew, after a failure.
    private var taken = 0

    /// A window that stays as it is.
    ///
    /// - Parameter size: At least 1.
    public init(_ size: Int) {
        self.init(size...size)
    }

    /// A window that grows and shrinks.
    ///
    /// - Parameter sizes: The least and the greatest size; the least at least 1.
    public init(_ sizes: ClosedRange<Int>) {
        precondition(sizes.lowerBound >= 1)
        (least, most, size) = (sizes.lowerBound, sizes.upperBound, sizes.lowerBound)
    }

    /// The other side has taken an operation.
    ///
    /// - Parameter inFlight: The number of operations in flight, this one too. A window of which less than
    ///   a quarter is in use does not grow: nothing is known of a greater one.
    mutating func taken(inFlight: Int) {
        guard size < most, inFlight >= (size + 3) / 4 else { return }
        taken += 1
        guard !hasFailed || taken >= size else { return }
        taken = 0
        size += 1
    }

    /// An operation has failed in a way that may pass.
    mutating func failed() {
        guard least < most else { return }
        size = max(least, size / 2)
        hasFailed = true
        taken = 0
    }
}
