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
    ///   - select: The part; called once for each of the two states.
    ///   - body: Called at most once, with the current part.
    /// - Returns: The result of `body`; `nil` if nothing changed.
    /// - Throws: The error of `body`.
    /// - Complexity: Two selections and one comparison.
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
    /// - Returns: The result of `body`; `nil` if neither changed.
    /// - Throws: The error of `body`.
    /// - Complexity: Four selections and two comparisons.
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
    /// - Returns: The result of `body`; `nil` if none changed.
    /// - Throws: The error of `body`.
    /// - Complexity: Six selections and three comparisons.
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

    /// Calls `body` with a part of the state if the commit changed it, by the caller's own measure.
    ///
    /// - Parameters:
    ///   - select: The part.
    ///   - areEqual: Whether two values of the part count as the same; not called in a first
    ///     delivery.
    ///   - body: Called at most once, with the current part.
    /// - Returns: The result of `body`; `nil` if nothing changed.
    /// - Throws: The error of `body`.
    /// - Complexity: Two selections and one comparison.
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
    ///   - select: The part; cheap to select and to compare.
    ///   - transform: Computes the value; called only if the part changed, then once for each of
    ///     the two states.
    ///   - body: Called at most once, with the new value.
    /// - Returns: The result of `body`; `nil` if nothing changed.
    /// - Throws: The error of `body`.
    /// - Complexity: Two selections and one comparison, then two transformations and one
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
