public import StoreCore

/// The computed properties of one state of a `Changes`, each computed at most once.
///
/// ```swift
/// struct Kitchen {
///     var orders = EntityTable<Order, OrderIndexes>()
///     /// Takes time for all orders.
///     var total: Int { orders.reduce(0) { $0 + $1.price } }
/// }
///
/// let subscription = store.sinkState { changes in
///     label.text = "\(changes.computed.total)"
/// }
/// ```
///
/// All observers of a commit share the values, and the values of its current state are handed on to
/// the next commit, whose previous state it is. Threads that ask for one property at the same time
/// wait for one computation. A value lives as long as its state does in the store and in `Changes`.
///
/// A read takes two locks and hashes a key path. Read a stored property, or a property that is
/// computed as quickly, from the `Changes` itself: `changes.title`. A value that observers need
/// without a commit, or that should survive commits that do not concern it, is a ``Derived``.
///
/// Limit: nothing is remembered in a `Changes` that no ``Store/Store`` made. There, each read
/// computes.
@dynamicMemberLookup
public struct ComputedProperties<State: Sendable>: Sendable {
    private let state: State
    private let memory: ComputedMemory?

    fileprivate init(_ state: State, _ memory: (any AnyObject & Sendable)?) {
        self.state = state
        self.memory = memory as? ComputedMemory
    }

    /// A property of the state, computed at the first read.
    ///
    /// - Parameter path: The property: a pure function of the state, which does not use the store.
    public subscript<Value: Sendable>(
        dynamicMember path: any KeyPath<State, Value> & Sendable
    ) -> Value {
        guard let memory else { return state[keyPath: path] }
        return memory.value(at: path, as: Value.self) { state[keyPath: path] }
    }
}

extension Changes where State: Sendable {
    /// The computed properties of the current state: `changes.computed.total`.
    public var computed: ComputedProperties<State> {
        ComputedProperties(current, memories.current)
    }

    /// The computed properties of the previous state; `nil` in a first delivery.
    ///
    /// A value that was computed for the commit before is not computed again.
    public var previousComputed: ComputedProperties<State>? {
        previous.map { ComputedProperties($0, memories.previous) }
    }

    /// Calls `body` with a computed property of the state if the commit changed it.
    ///
    /// ```swift
    /// changes.ifChanged(computed: \.total) { total in label.text = "\(total)" }
    /// ```
    ///
    /// In a first delivery, which has no previous state, everything counts as changed.
    ///
    /// - Parameters:
    ///   - path: The property. It is computed at most once for each of the two states, however many
    ///     observers ask.
    ///   - body: Called at most once, with the current value.
    /// - Returns: The result of `body`; `nil` if nothing changed.
    /// - Throws: The error of `body`.
    @discardableResult
    public func ifChanged<Value: Equatable & Sendable, Result, Failure: Error>(
        computed path: any KeyPath<State, Value> & Sendable,
        _ body: (Value) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        try ifChanged(computed: path, by: ==, body)
    }

    /// Calls `body` with a computed property of the state if the commit changed it, by the caller's
    /// own measure.
    ///
    /// - Parameters:
    ///   - path: The property. It is computed at most once for each of the two states, however many
    ///     observers ask.
    ///   - areEqual: Whether two values of the property count as the same; not called in a first
    ///     delivery.
    ///   - body: Called at most once, with the current value.
    /// - Returns: The result of `body`; `nil` if nothing changed.
    /// - Throws: The error of `body`.
    @discardableResult
    public func ifChanged<Value: Sendable, Result, Failure: Error>(
        computed path: any KeyPath<State, Value> & Sendable,
        by areEqual: (Value, Value) -> Bool,
        _ body: (Value) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        let new = computed[dynamicMember: path]
        if let previousComputed, areEqual(previousComputed[dynamicMember: path], new) {
            return nil
        }
        return try body(new)
    }
}
