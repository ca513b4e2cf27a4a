public import OutboxCore

/// How an attempt ended, for the entry that was attempted.
public struct Settlement: Sendable {
    /// The entry that was handed out for the attempt. Its number may name another one by now.
    public let entry: EntryID
    /// The operation that was attempted. An entry that holds another one is not changed.
    public let id: OperationID
    /// What is to become of it.
    public let transition: DeliveryMachine.Transition

    /// What is to become of the operation `id` in `entry`.
    public init(entry: EntryID, id: OperationID, transition: DeliveryMachine.Transition) {
        self.entry = entry
        self.id = id
        self.transition = transition
    }
}
