import Foundation
import Outbox
import OutboxCore

/// The kitchen's printer: a device file that is there while the printer is on.
///
/// A printer does not recognise repeats, so delivery is at least once: after a crash between the
/// last byte and the removal a ticket is printed again. It carries the end of its identifier, by
/// which the cook sees that.
struct Printer: Sendable {
    let path: String

    /// The handler of the kind "ticket".
    func print(_ operation: OutboxOperation) async -> DeliveryMachine.Outcome {
        guard let ticket = try? JSONDecoder().decode(Ticket.self, from: Data(operation.payload))
        else { return .park("not-a-ticket") }
        // No waiting makes it shorter: a person decides.
        guard ticket.text.utf8.count <= Ticket.longestText else { return .park("too-long") }
        let end = operation.id.description.suffix(6)
        let line = "table \(ticket.table): \(ticket.text)  [\(end)]\n"
        do {
            let device = try FileHandle(forWritingTo: URL(filePath: path))
            try device.seekToEnd()
            try device.write(contentsOf: Data(line.utf8))
            try device.close()
            return .done
        } catch {
            return .retry("printer-off")
        }
    }
}
