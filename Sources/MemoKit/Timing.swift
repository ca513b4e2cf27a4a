public import MemoCore
public import OutboxCore

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
