extension Store {
    /// A part of the state: `store.derived(\.title)`.
    ///
    /// - Parameter path: The part. It is read under the store's lock, once after each commit when a
    ///   caller asks, so it must be cheap.
    public func derived<Value: Equatable & Sendable>(
        _ path: any KeyPath<State, Value> & Sendable
    ) -> Derived<Value> {
        Derived(sources: [self]) { known in
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
        Derived(sources: [self]) { known in
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
}
