import Foundation
import Outbox

/// Reads commands, one a line, until the input ends. Tickets that were taken and not printed are
/// still there the next time.
@main struct Tickets {
    static func main() async throws {
        guard CommandLine.arguments.count == 3 else {
            print("usage: Tickets FOLDER PRINTER, such as: Tickets /tmp /dev/usb/lp0")
            return
        }
        let queue = try TicketQueue(folder: CommandLine.arguments[1])
        let printer = Printer(path: CommandLine.arguments[2])
        // Detached: the loop below keeps the main actor busy.
        let printing = Task.detached { try await queue.print(on: printer) }
        let watching = Task.detached {
            for await state in queue.states() where state.total > 0 {
                print("  \(state.total) not printed, of which \(state.parked) never will be")
            }
        }
        print("take TABLE TEXT | on | drop")
        while let line = readLine() {
            do {
                try obey(line.split(separator: " "), queue)
            } catch {
                print("Nothing was changed: \(error)")
            }
        }
        watching.cancel()
        printing.cancel()
        try await printing.value
    }

    private static func obey(_ words: [Substring], _ queue: TicketQueue) throws {
        switch (words.first, words.count) {
        case ("take", 3...):
            guard let table = Int(words[1]) else { return print("The table is a number.") }
            try queue.take(Ticket(table: table, text: words[2...].joined(separator: " ")))
        case ("on", 1):
            try queue.printerIsOn()
        case ("drop", 1):
            for ticket in try queue.dropRefused() {
                print("dropped, table \(ticket.table): \(ticket.text)")
            }
        default:
            print("take TABLE TEXT | on | drop")
        }
    }
}
