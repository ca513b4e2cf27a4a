public import StoreCore

extension Changes {
    /// Calls `body` with any number of parts of the state if the commit changed one of them.
    ///
    /// ```swift
    /// changes.ifAnyChanged(\.title, \.count, \.isOpen, \.color) { title, count, isOpen, color in }
    /// ```
    ///
    /// In a first delivery, which has no previous state, everything counts as changed.
    ///
    /// - Parameters:
    ///   - paths: which parts.
    ///   - body: called at most once.
    /// - Returns: what `body` returned; `nil` if nothing changed.
    /// - Throws: what `body` throws.
    /// - Complexity: for each part two reads by key path and one comparison. For up to three
    ///   parts `ifChanged`, which takes closures, is faster.
    @inlinable
    @discardableResult
    public func ifAnyChanged<each Part: Equatable, Result, Failure: Error>(
        _ paths: repeat KeyPath<State, each Part>,
        then body: (repeat each Part) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        var hasChanged = previous == nil
        if let previous {
            for path in repeat each paths {
                hasChanged = hasChanged || previous[keyPath: path] != current[keyPath: path]
            }
        }
        guard hasChanged else { return nil }
        return try body(repeat current[keyPath: each paths])
    }
}
