public import OutboxCore

/// How an attempt ended, for the entry that was attempted.
public struct Settlement: Sendable {
    /// The entry that was handed out for the attempt. The number may name another entry meanwhile.
    public let entry: EntryID
    /// The operation that was attempted. An entry that holds another one is not changed.
    public let id: OperationID
    /// What the storage does with the operation.
    public let transition: DeliveryMachine.Transition

    /// The outcome `transition` of the operation `id` in `entry`.
    public init(entry: EntryID, id: OperationID, transition: DeliveryMachine.Transition) {
        self.entry = entry
        self.id = id
        self.transition = transition
    }
}
