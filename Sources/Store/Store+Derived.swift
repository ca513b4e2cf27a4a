extension Store {
    /// A part of the state: `store.derived(\.title)`.
    ///
    /// - Parameter path: The part. It is read under the store's lock, once after each commit when a
    ///   caller asks, so it must be cheap.
    public func derived<Value: Equatable & Sendable>(
        _ path: any KeyPath<State, Value> & Sendable
    ) -> Derived<Value> {
        derived(path, by: ==)
    }

    /// A part of the state that is not `Equatable`, or that is compared in the caller's own way.
    ///
    /// ```swift
    /// let portrait = store.derived(\.portrait, by: { $0 === $1 })
    /// let picture = portrait.map { render($0) } by: { $0.pixels == $1.pixels }
    /// ```
    ///
    /// - Parameters:
    ///   - path: The part. It is read under the store's lock, once after each commit when a caller
    ///     asks, so it must be cheap.
    ///   - areEqual: Whether two values of the part count as the same. A pure function.
    public func derived<Value: Sendable>(
        _ path: any KeyPath<State, Value> & Sendable,
        by areEqual: @escaping @Sendable (Value, Value) -> Bool
    ) -> Derived<Value> {
        Derived(sources: [self], by: areEqual) { known in
            self.alone { locked, _ in
                known == locked.version
                    ? nil
                    : Evaluation(
                        value: locked.state[keyPath: path],
                        inputRevision: locked.version
                    )
            }
        }
    }

    /// A value computed from the whole state, after each commit when a caller asks.
    ///
    /// Where a part of the state is enough, `derived(_:_:)` runs the transform less often.
    ///
    /// - Parameter select: A pure function of the state.
    public func derived<Value: Equatable & Sendable>(
        _ select: @escaping @Sendable (State) -> Value
    ) -> Derived<Value> {
        derived(select, by: ==)
    }

    /// A value computed from the whole state, compared in the caller's own way.
    ///
    /// - Parameters:
    ///   - select: A pure function of the state. It runs after each commit when a caller asks.
    ///   - areEqual: Whether two computed values count as the same. A pure function.
    public func derived<Value: Sendable>(
        _ select: @escaping @Sendable (State) -> Value,
        by areEqual: @escaping @Sendable (Value, Value) -> Bool
    ) -> Derived<Value> {
        Derived(sources: [self], by: areEqual) { known in
            let snapshot: (State, UInt64)? = self.alone { locked, _ in
                known == locked.version ? nil : (locked.state, locked.version)
            }
            return snapshot.map { Evaluation(value: select($0), inputRevision: $1) }
        }
    }

    /// A value computed from a part of the state.
    ///
    /// - Parameters:
    ///   - path: The part; cheap to read and to compare. Tables compare at once when equal.
    ///   - transform: A pure function of the part. It runs when a look finds that the part has
    ///     become unequal to the one before.
    public func derived<Input: Equatable & Sendable, Value: Equatable & Sendable>(
        _ path: any KeyPath<State, Input> & Sendable,
        _ transform: @escaping @Sendable (Input) -> Value
    ) -> Derived<Value> {
        derived(path).map(transform)
    }

    /// A value computed from a part of the state, compared in the caller's own way.
    ///
    /// To compare the part as well, write `store.derived(path, by: …).map { … } by: { … }`.
    ///
    /// - Parameters:
    ///   - path: The part; cheap to read and to compare.
    ///   - transform: A pure function of the part. It runs when a look finds that the part has
    ///     become unequal to the one before.
    ///   - areEqual: Whether two computed values count as the same. A pure function.
    public func derived<Input: Equatable & Sendable, Value: Sendable>(
        _ path: any KeyPath<State, Input> & Sendable,
        _ transform: @escaping @Sendable (Input) -> Value,
        by areEqual: @escaping @Sendable (Value, Value) -> Bool
    ) -> Derived<Value> {
        derived(path).map(transform, by: areEqual)
    }
}
