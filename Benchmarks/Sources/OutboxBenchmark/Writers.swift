import Outbox
import OutboxSQLite

/// Seconds for each operation, of five runs.
private struct MeasuredWriters: Encodable {
    var times: [String: [Double]] = ["1": [], "16": [], "64": []]
}

/// One, sixteen and sixty-four concurrent callers of the asynchronous enqueue, in turn.
func measureWriters(_ folder: String, operations: Int) async throws {
    let outbox = makeOutbox(try SQLiteStorage(path: "\(folder)/outbox.sqlite"), folder)
    var measured = MeasuredWriters()
    for _ in 0..<5 {
        for writers in [1, 16, 64] {
            // More of them at once take about as long as one after the other.
            let time = try await secondsForEach(
                writers: writers,
                operations: operations * (writers == 1 ? 1 : 4),
                outbox
            )
            measured.times["\(writers)"]?.append(time)
        }
    }
    try report(measured)
}

/// Seconds for each operation while `writers` enqueue at the same time.
func secondsForEach(
    writers: Int,
    operations: Int,
    _ outbox: Outbox<SQLiteStorage>
) async throws -> Double {
    let start = ContinuousClock.now
    let each = max(operations / writers, 1)
    try await withThrowingTaskGroup { tasks in
        for _ in 0..<writers {
            tasks.addTask {
                for _ in 0..<each {
                    try await outbox.enqueue(kind: "benchmark", payload: payload)
                }
            }
        }
        try await tasks.waitForAll()
    }
    return (ContinuousClock.now - start) / .seconds(1) / Double(each * writers)
}
