import Measurement
import Outbox
import OutboxSQLite

/// `scripts/bench enqueue`: a durable, sealed enqueue of 1 KB against appending and syncing as many
/// bytes, one of each in turn, and sixteen concurrent writers against one.
func compareEnqueue(_ folder: String, rounds: Int) async throws {
    let outbox = makeOutbox(try SQLiteStorage(path: "\(folder)/outbox.sqlite"), folder)
    let (enqueues, appends) = try alternate(outbox, AppendedFile(path: "\(folder)/append"), rounds)
    print("  enqueue: \(enqueues.summary)")
    print("  append+fdatasync: \(appends.summary)")
    print("enqueue.vs_fdatasync: \(formatted(enqueues.median / appends.median)) x")

    var one = Samples()
    var sixteen = Samples()
    for _ in 0..<5 {
        one.append(try await secondsForEach(writers: 1, operations: rounds, outbox))
        sixteen.append(try await secondsForEach(writers: 16, operations: rounds * 4, outbox))
    }
    print("  one writer: \(formatted(1 / one.median)) a second")
    print("  sixteen writers: \(formatted(1 / sixteen.median)) a second")
    print("enqueue.writers16_vs_1: \(formatted(one.median / sixteen.median)) x")
}

private func alternate(
    _ outbox: Outbox<SQLiteStorage>,
    _ file: AppendedFile,
    _ rounds: Int
) throws -> (enqueues: Samples, appends: Samples) {
    var enqueues = Samples()
    var appends = Samples()
    for round in 0..<rounds + rounds / 10 + 1 {
        let enqueue = try seconds { try outbox.enqueue() }
        let append = try seconds { try file.enqueue() }
        guard round > rounds / 10 else { continue }
        enqueues.append(enqueue)
        appends.append(append)
    }
    return (enqueues, appends)
}
