/// Observers by key. Finding the observers of one key does not depend on the number of observers of
/// other keys.
///
/// An observer is of any type that its owner chooses: a closure, an inbox, a number.
public struct ObserverRoutes<Key: Hashable, Observer> {
    /// Stands for one observer of one key.
    public struct Token: Hashable, Comparable, Sendable {
        @usableFromInline let number: UInt64

        @inlinable
        init(number: UInt64) {
            self.number = number
        }

        @inlinable
        public static func < (left: Self, right: Self) -> Bool {
            left.number < right.number
        }
    }

    /// In the order in which they were added, which is that of the tokens.
    @usableFromInline var routes: [Key: [(token: Token, observer: Observer)]] = [:]
    @usableFromInline var lastNumber: UInt64 = 0

    /// - Complexity: O(1).
    @inlinable
    public init() {}

    /// - Complexity: O(1).
    @inlinable
    public var isEmpty: Bool { routes.isEmpty }

    /// Adds an observer of a key, behind the key's other observers.
    ///
    /// - Returns: The token for ``remove(_:for:)``.
    /// - Complexity: O(1).
    @inlinable
    public mutating func add(_ observer: Observer, for key: Key) -> Token {
        lastNumber += 1
        let token = Token(number: lastNumber)
        routes[key, default: []].append((token, observer))
        return token
    }

    /// Removes an observer. Removing it a second time is not an error.
    ///
    /// - Complexity: O(*k*) for *k* observers of this key.
    @inlinable
    public mutating func remove(_ token: Token, for key: Key) {
        guard let entry = routes.index(forKey: key),
            let position = routes.values[entry].firstIndex(where: { $0.token == token })
        else { return }
        routes.values[entry].remove(at: position)
        if routes.values[entry].isEmpty { routes.remove(at: entry) }
    }

    /// Whether a key has observers.
    ///
    /// - Complexity: O(1).
    @inlinable
    public func hasObservers(of key: Key) -> Bool {
        routes[key] != nil
    }

    /// Calls `body` with each observer of a key, in the order in which they were added.
    ///
    /// - Complexity: O(*k*) for *k* observers of this key.
    @inlinable
    public func forEach(of key: Key, _ body: (Observer) -> Void) {
        guard let observers = routes[key] else { return }
        for (_, observer) in observers { body(observer) }
    }
}

extension ObserverRoutes: Sendable where Key: Sendable, Observer: Sendable {}
