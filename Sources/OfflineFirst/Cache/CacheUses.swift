/// The uses of entries that are not stored yet, in their order.
///
/// A use that is noted after another one is later than it. An entry has one place: that of its last use.
struct CacheUses: Sendable {
    /// The number of entries at which the uses are to be stored.
    static let limit = 4096

    private var uses: [Int64: Int] = [:]
    private var last = 0

    /// Whether the uses are to be stored now.
    var isFull: Bool { uses.count >= Self.limit }

    /// Notes a use.
    mutating func note(_ entry: Int64) {
        last += 1
        uses[entry] = last
    }

    /// The uses, earliest first; then none are noted.
    mutating func take() -> [Int64] {
        defer {
            uses.removeAll(keepingCapacity: true)
            last = 0
        }
        return uses.sorted { $0.value < $1.value }.map(\.key)
    }
}
