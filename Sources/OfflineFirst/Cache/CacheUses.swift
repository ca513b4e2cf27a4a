/// The uses of entries that are not stored yet, in their order.
///
/// A use that is noted after another one is later than it. An entry has one place: that of its last use.
struct CacheUses: Sendable {
    /// The number of entries at which the uses are to be stored.
    static let limit = 16_384

    private var uses: [Int64: Int] = [:]
    private var last = 0

    /// Whether the uses are to be stored now.
    var isFull: Bool { uses.count >= Self.limit }

    /// Notes a use.
    mutating func note(_ entry: Int64) {
        last += 1
        uses[entry] = last
    }

    /// The entries that were used, in their own order, with the places of their uses, from 1 to `count`;
    /// then none are noted.
    mutating func take() -> (uses: [(entry: Int64, place: Int)], count: Int) {
        defer {
            uses.removeAll(keepingCapacity: true)
            last = 0
        }
        return (uses.map { (entry: $0.key, place: $0.value) }.sorted { $0.entry < $1.entry }, last)
    }
}
