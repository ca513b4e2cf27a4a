/// The entries that are evicted next: the least recently used ones at the moment of one look at all, in
/// their order.
///
/// An entry whose use is still the one that was found then is the least recently used of all: the others
/// had later uses already, and every use since is later. So one look serves many evictions, in every
/// process, and no index by use is kept, which each use would change.
struct CacheVictims: Sendable {
    struct Victim: Hashable, Sendable {
        let entry: Int64
        /// The use that was found. An entry with another one is no victim any more.
        let used: Int64
    }

    private var queue: ArraySlice<Victim> = []

    init() {}

    init(_ queue: [Victim]) { self.queue = queue[...] }

    var isEmpty: Bool { queue.isEmpty }

    /// Takes the next one.
    mutating func next() -> Victim? { queue.popFirst() }

    /// The number of victims that one look at all entries finds: a sixty-fourth, so that an eviction
    /// costs a look at some sixty entries.
    static func count(of entries: Int64) -> Int64 { max(64, entries / 64) }
}
