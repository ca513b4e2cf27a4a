/// A queue that gives memory back: an empty queue keeps room for a few elements, any other queue
/// room for at most twice its elements.
@usableFromInline
struct FirstInFirstOut<Element> {
    private static var keptCapacity: Int { 32 }

    @usableFromInline private(set) var elements: [Element?] = []
    @usableFromInline private(set) var first = 0

    @usableFromInline
    init() {}

    @inlinable
    var isEmpty: Bool { first == elements.count }

    var count: Int { elements.count - first }

    /// - Complexity: Amortised O(1).
    mutating func append(_ element: Element) {
        elements.append(element)
    }

    /// - Complexity: Amortised O(1).
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
