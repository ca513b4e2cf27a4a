public import OutboxCore

/// What the product measures of itself (J3).
public enum TimingKind: Int64, Hashable, Sendable, CaseIterable {
    /// From the start of the process to a text field that takes typing. Budget: 500 ms.
    case timeToText = 1
    /// From the send key to an empty field that takes typing. Budget: 150 ms.
    case sendToReset = 2
}

/// One measurement.
public struct Timing: Hashable, Sendable {
    public let kind: TimingKind
    public let at: WallTime
    public let microseconds: Int64

    public init(kind: TimingKind, at: WallTime, microseconds: Int64) {
        self.kind = kind
        self.at = at
        self.microseconds = microseconds
    }
}
