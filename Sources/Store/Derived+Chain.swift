extension Derived {
    /// A value computed from this one.
    ///
    /// - Parameter transform: a pure function; runs when this value has become unequal to the one
    ///   before, and somebody asks.
    public func map<Output: Equatable & Sendable>(
        _ transform: @escaping @Sendable (Value) -> Output
    ) -> Derived<Output> {
        Derived<Output>(sources: sources) { known in
            let input = self.reading()
            return known == input.inputRevision
                ? nil
                : Evaluation(
                    value: transform(input.value),
                    inputRevision: input.inputRevision
                )
        }
    }

    /// A value computed from several others, which may stand on different stores.
    ///
    /// ```swift
    /// let title = Derived.combine(unread, account) { count, name in "\(name) (\(count))" }
    /// ```
    ///
    /// The states of different stores are read one after another: a commit to the second one
    /// may fall between. The next look then sees both.
    ///
    /// - Parameters:
    ///   - inputs: the others; each may have any type of value.
    ///   - transform: a pure function; runs when one of the values has become unequal to the one
    ///     before, and somebody asks.
    public static func combine<each Input>(
        _ inputs: repeat Derived<each Input>,
        transform: @escaping @Sendable (repeat each Input) -> Value
    ) -> Derived<Value> {
        var sources: [any DerivedSource] = []
        for input in repeat each inputs {
            for source in input.sources where !sources.contains(where: { $0 === source }) {
                sources.append(source)
            }
        }
        return Derived<Value>(sources: sources) { known in
            let readings = (repeat (each inputs).reading())
            // Each revision only grows, so that equal sums mean equal inputs.
            var sum: UInt64 = 0
            for reading in repeat each readings { sum &+= reading.inputRevision }
            return known == sum
                ? nil
                : Evaluation(
                    value: transform(repeat (each readings).value),
                    inputRevision: sum
                )
        }
    }
}

extension Store {
    /// A part of the state: `store.derived(\.title)`.
    ///
    /// - Parameter path: which part. It is read under the store's lock, once after each commit when
    ///   somebody asks, so it is to be cheap.
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

    /// A value computed from the whole state, after each commit when somebody asks.
    ///
    /// Where a part of the state is enough, `derived(_:_:)` runs the transform less often.
    ///
    /// - Parameter select: a pure function of the state.
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

    /// A value computed from a part of the state, when that part has become unequal to the one
    /// before, and somebody asks.
    ///
    /// - Parameters:
    ///   - path: which part; cheap to read and to compare. Tables compare at once when equal.
    ///   - transform: a pure function of the part.
    public func derived<Input: Equatable & Sendable, Value: Equatable & Sendable>(
        _ path: any KeyPath<State, Input> & Sendable,
        _ transform: @escaping @Sendable (Input) -> Value
    ) -> Derived<Value> {
        derived(path).map(transform)
    }
}
