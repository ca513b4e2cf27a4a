package import Outbox
package import OutboxCore

extension OutboxStorage {
    /// Records how an attempt of one operation ended. One that is not there is not an error.
    package func settle(_ transition: DeliveryMachine.Transition, for id: OperationID) throws {
        guard let entry = try entry(for: id) else { return }
        try settle([Settlement(entry: entry.id, id: id, transition: transition)])
    }
}
