import OutboxCore

/// Watches a run from outside, for one promise.
protocol Checker {
    /// The promise.
    var name: String { get }

    /// Takes note of what happened.
    ///
    /// - Returns: What is wrong with it; `nil` when nothing is.
    mutating func problem(with observation: Observation, at time: Milliseconds) -> String?

    /// What is wrong when nothing more comes.
    func problemsAtEnd() -> [String]
}

extension Checker {
    func problemsAtEnd() -> [String] { [] }
}

/// Every promise.
func allCheckers() -> [any Checker] {
    [
        NothingLost(), NothingDoubled(), OrderKept(), WaitsNotCounted(), NothingUnsealed(),
        IdentifiersKept(), EverythingDrains(),
    ]
}
