/// A queue that gives its memory back: it keeps room for a few elements when it has run empty, and
/// at most twice what it holds otherwise.
@usableFromInline
struct FirstInFirstOut<Element> {
    private static var keptCapacity: Int { 32 }

    @usableFromInline var elements: [Element?] = []
    @usableFromInline var first = 0

    @usableFromInline
    init() {}

    @inlinable
    var isEmpty: Bool { first == elements.count }

    var count: Int { elements.count - first }

    /// - Complexity: amortised O(1).
    mutating func append(_ element: Element) {
        elements.append(element)
    }

    /// - Complexity: amortised O(1).
    mutating func popFirst() -> Element? {
        guard first < elements.count else { return nil }
        let element = elements[first]
        elements[first] = nil
        first += 1
        if first == elements.count {
            elements.removeAll(keepingCapacity: elements.capacity <= Self.keptCapacity)
            first = 0
        } else if first > Self.keptCapacity, first > elements.count / 2 {
            elements = Array(elements[first...])
            first = 0
        }
        return element
    }
}

extension FirstInFirstOut: Sendable where Element: Sendable {}
