import OutboxFiles
import OutboxSQLite

/// Measures the outbox. `Benchmarks/outbox/run.py` names the comparisons.
@main struct OutboxBenchmark {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard let mode = arguments.first, let folder = arguments.dropFirst().first else {
            throw Usage()
        }
        let numbers = arguments.dropFirst(2).compactMap { Int($0) }
        guard numbers.allSatisfy({ $0 > 0 }) else { throw Usage() }
        switch (mode, numbers.count) {
        case ("append", 0):
            try await serve(AppendedFile(path: "\(folder)/append"))
        case ("sqlite", 0):
            let storage = try SQLiteStorage(path: "\(folder)/outbox.sqlite")
            try await serve(makeOutbox(storage, folder))
        case ("files", 0):
            let storage = try FileStorage(folder: "\(folder)/outbox")
            try await serve(makeOutbox(storage, folder))
        case ("reread", 0):
            try await serve(RereadFolder(path: "\(folder)/reread"))
        case ("writers", 1):
            try await measureWriters(folder, operations: numbers[0])
        case ("backlogs", 3):
            try await measureBacklogs(
                folder,
                few: numbers[0],
                many: numbers[1],
                rounds: numbers[2]
            )
        case ("first-attempt", 0):
            try await measureFirstAttempt(folder)
        case ("network-return", 0):
            try measureNetworkReturn(folder)
        case ("drain", 0):
            try await measureDrain(folder)
        case ("enqueue", 1):
            try await compareEnqueue(folder, rounds: numbers[0])
        default:
            throw Usage()
        }
    }

    private struct Usage: Error {}
}
