// A key path literal may stand for every `select` below: `changes.ifChanged(\.title) { … }`.

extension Changes {
    /// Calls `body` with a part of the state if the commit changed that part.
    ///
    /// In a first delivery, which has no previous state, everything counts as changed.
    ///
    /// ```swift
    /// changes.ifChanged(\.title) { title in field.text = title }
    /// ```
    ///
    /// - Parameters:
    ///   - select: which part; called once for each of the two states.
    ///   - body: called at most once.
    /// - Returns: what `body` returned; `nil` if nothing changed.
    /// - Throws: what `body` throws.
    /// - Complexity: two selections and one comparison.
    @inlinable
    @discardableResult
    public func ifChanged<A: Equatable, Result, Failure: Error>(
        _ select: (State) -> A,
        _ body: (A) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        let new = select(current)
        if let previous, select(previous) == new { return nil }
        return try body(new)
    }

    /// Calls `body` with two parts of the state if the commit changed either.
    ///
    /// - Returns: what `body` returned; `nil` if neither changed.
    /// - Throws: what `body` throws.
    /// - Complexity: four selections and two comparisons.
    @inlinable
    @discardableResult
    public func ifChanged<A: Equatable, B: Equatable, Result, Failure: Error>(
        _ first: (State) -> A,
        _ second: (State) -> B,
        _ body: (A, B) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        let new = (first(current), second(current))
        if let previous, first(previous) == new.0, second(previous) == new.1 { return nil }
        return try body(new.0, new.1)
    }

    /// Calls `body` with three parts of the state if the commit changed any.
    ///
    /// - Returns: what `body` returned; `nil` if none changed.
    /// - Throws: what `body` throws.
    /// - Complexity: six selections and three comparisons.
    @inlinable
    @discardableResult
    public func ifChanged<A: Equatable, B: Equatable, C: Equatable, Result, Failure: Error>(
        _ first: (State) -> A,
        _ second: (State) -> B,
        _ third: (State) -> C,
        _ body: (A, B, C) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        let new = (first(current), second(current), third(current))
        if let previous, first(previous) == new.0, second(previous) == new.1,
            third(previous) == new.2
        {
            return nil
        }
        return try body(new.0, new.1, new.2)
    }

    /// Calls `body` with a part of the state if the commit changed it by the caller's own measure.
    ///
    /// - Parameters:
    ///   - select: which part.
    ///   - areEqual: whether two values of it count as the same; not called in a first delivery.
    ///   - body: called at most once.
    /// - Returns: what `body` returned; `nil` if nothing changed.
    /// - Throws: what `body` throws.
    /// - Complexity: two selections and one comparison.
    @inlinable
    @discardableResult
    public func ifChanged<A, Result, Failure: Error>(
        _ select: (State) -> A,
        by areEqual: (A, A) -> Bool,
        _ body: (A) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        let new = select(current)
        if let previous, areEqual(select(previous), new) { return nil }
        return try body(new)
    }

    /// Calls `body` with a value computed from a part of the state, if the part changed and the
    /// value did too.
    ///
    /// - Parameters:
    ///   - select: which part; cheap to select and to compare.
    ///   - transform: what to make of it; called only if the part changed, then once for each of
    ///     the two states.
    ///   - body: called at most once.
    /// - Returns: what `body` returned; `nil` if nothing changed.
    /// - Throws: what `body` throws.
    /// - Complexity: two selections and one comparison, then two transformations and one
    ///   comparison.
    @inlinable
    @discardableResult
    public func ifChanged<A: Equatable, B: Equatable, Result, Failure: Error>(
        _ select: (State) -> A,
        map transform: (A) -> B,
        _ body: (B) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        let input = select(current)
        guard let previous else { return try body(transform(input)) }
        let oldInput = select(previous)
        if oldInput == input { return nil }
        let output = transform(input)
        return transform(oldInput) == output ? nil : try body(output)
    }
}
