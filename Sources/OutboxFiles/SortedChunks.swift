/// Values in order, without repetition, in chunks that are cheap to shift.
///
/// - Complexity: Looking up, inserting and removing take two binary searches. Inserting and
///   removing also shift one chunk, at most 512 values, and seldom the list of chunks: a
///   flat cost up to some millions of values.
struct SortedChunks<Value: Comparable & Sendable>: Sendable {
    private var capacity: Int { 512 }
    /// No chunk is empty.
    private var chunks: [[Value]] = []
    private(set) var count = 0

    var first: Value? { chunks.first?.first }

    var last: Value? { chunks.last?.last }

    mutating func insert(_ value: Value) {
        guard let last = chunks.indices.last else {
            chunks.append([value])
            count = 1
            return
        }
        let chunk = min(self.chunk(atOrAfter: value), last)
        let index = Self.partition(chunks[chunk]) { $0 < value }
        if index < chunks[chunk].count, chunks[chunk][index] == value { return }
        chunks[chunk].insert(value, at: index)
        count += 1
        if chunks[chunk].count > capacity { split(chunk, isGrowing: chunk == last) }
    }

    mutating func remove(_ value: Value) {
        let chunk = self.chunk(atOrAfter: value)
        guard chunk < chunks.count else { return }
        let index = Self.partition(chunks[chunk]) { $0 < value }
        guard index < chunks[chunk].count, chunks[chunk][index] == value else { return }
        chunks[chunk].remove(at: index)
        count -= 1
        if chunks[chunk].isEmpty { chunks.remove(at: chunk) }
    }

    /// The values greater than `bound`, ascending; all values when `bound` is `nil`.
    func values(after bound: Value?) -> some Sequence<Value> {
        var (chunk, index) = (0, 0)
        if let bound {
            chunk = Self.partition(chunks) { $0[$0.count - 1] <= bound }
            if chunk < chunks.count { index = Self.partition(chunks[chunk]) { $0 <= bound } }
        }
        return sequence(state: (chunk: chunk, index: index)) { state -> Value? in
            guard state.chunk < chunks.count else { return nil }
            defer {
                state.index += 1
                if state.index == chunks[state.chunk].count { state = (state.chunk + 1, 0) }
            }
            return chunks[state.chunk][state.index]
        }
    }

    /// The values, descending.
    var descending: some Sequence<Value> { chunks.reversed().lazy.flatMap { $0.reversed() } }

    private func chunk(atOrAfter value: Value) -> Int {
        Self.partition(chunks) { $0[$0.count - 1] < value }
    }

    /// Splits a chunk. A chunk that grew at the very end keeps almost all values: the next values
    /// go behind them, too.
    private mutating func split(_ chunk: Int, isGrowing: Bool) {
        let middle = isGrowing ? chunks[chunk].count - 1 : chunks[chunk].count / 2
        let upper = Array(chunks[chunk][middle...])
        chunks[chunk].removeSubrange(middle...)
        chunks.insert(upper, at: chunk + 1)
    }

    /// The index of the first element that is not below. All elements that are below come first.
    private static func partition<Element>(
        _ elements: [Element],
        isBelow: (Element) -> Bool
    ) -> Int {
        var (low, high) = (0, elements.count)
        while low < high {
            let middle = (low + high) / 2
            if isBelow(elements[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
