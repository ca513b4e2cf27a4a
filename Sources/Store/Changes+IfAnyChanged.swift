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
    ///   - paths: The parts.
    ///   - body: Called at most once, with the current parts.
    /// - Returns: The result of `body`; `nil` if nothing changed.
    /// - Throws: The error of `body`.
    /// - Complexity: For each part two reads by key path and one comparison. For up to three
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
