import Foundation
import Outbox
import OutboxCore
import OutboxSQLite

/// Tickets on their way to the kitchen: taken at once, printed when the printer is on.
///
/// A table's tickets are a lane: they come out in the order in which they were taken, one table
/// never waits for another, and a ticket that cannot be printed holds back its own table until
/// it is dropped, since the next ticket may say "without the onions".
struct TicketQueue: Sendable {
    private static let kind: OperationKind = "ticket"
    private let outbox: Outbox<SQLiteStorage>

    /// - Parameter folder: An existing folder; the queue's database and its key are kept there.
    init(folder: String) throws {
        outbox = Outbox(
            storage: try SQLiteStorage(path: folder + "/tickets.sqlite"),
            keys: FileKeyStore(path: folder + "/tickets.key"),
            lanePolicy: { _ in .blockLane }
        )
    }

    /// Takes a ticket; when this returns, no power cut loses it.
    @discardableResult
    func take(_ ticket: Ticket) throws -> OperationID {
        try outbox.enqueue(
            kind: Self.kind,
            payload: Array(JSONEncoder().encode(ticket)),
            orderingKey: "table \(ticket.table)"
        )
    }

    /// Prints queued and new tickets until the task is cancelled.
    func print(on printer: Printer) async throws {
        try await outbox.drain([Self.kind: { await printer.print($0) }])
    }

    /// Tries again at once, because the printer is on.
    func printerIsOn() throws {
        try outbox.retryAll()
    }

    /// Drops the tickets that can never be printed; their tables go on.
    ///
    /// - Returns: The dropped tickets.
    func dropRefused() throws -> [Ticket] {
        try outbox.entries(in: .parked).compactMap(\.id).map { id in
            let ticket = try JSONDecoder().decode(
                Ticket.self,
                from: Data(outbox.open(id).payload)
            )
            try outbox.delete(id)
            return ticket
        }
    }

    func states() -> OutboxStates<SQLiteStorage> {
        outbox.states()
    }
}
