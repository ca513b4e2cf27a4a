import Foundation
import Outbox
import OutboxSQLite

/// Compares a durable, sealed enqueue of 1 KB with appending and syncing as many bytes, and
/// sixteen concurrent writers with one. `EnqueueBenchmark FOLDER ROUNDS`
@main struct EnqueueBenchmark {
    static func main() async throws {
        guard CommandLine.arguments.count == 3, let rounds = Int(CommandLine.arguments[2]),
            rounds > 0
        else { throw Usage() }
        let folder = CommandLine.arguments[1]
        try await limits(folder: folder, rounds: rounds)
        try await writers(folder: folder, rounds: rounds)
    }

    private struct Usage: Error {}

    private static let payload = (0..<1024).map { _ in UInt8.random(in: 0...255) }

    private static func outbox(_ folder: String, _ name: String) throws -> Outbox<SQLiteStorage> {
        Outbox(
            storage: try SQLiteStorage(path: "\(folder)/\(name).sqlite"),
            keys: FileKeyStore(path: "\(folder)/\(name).key"))
    }

    private static func limits(folder: String, rounds: Int) async throws {
        let outbox = try outbox(folder, "limit")
        let log = try AppendedFile(path: "\(folder)/append")
        var enqueues: [Double] = []
        var appends: [Double] = []
        for round in 0..<rounds + rounds / 10 + 1 {
            let enqueue = try time { try outbox.enqueue(kind: "benchmark", payload: payload) }
            let append = try time { try log.append(payload) }
            guard round > rounds / 10 else { continue }
            enqueues.append(enqueue)
            appends.append(append)
        }
        report("enqueue", enqueues)
        report("append+fdatasync", appends)
        print("enqueue.vs_fdatasync: \(format(median(enqueues) / median(appends))) x")
    }

    private static func writers(folder: String, rounds: Int) async throws {
        let outbox = try outbox(folder, "writers")
        var one: [Double] = []
        var sixteen: [Double] = []
        for _ in 0..<5 {
            one.append(try await rate(of: 1, operations: rounds, outbox))
            sixteen.append(try await rate(of: 16, operations: rounds * 4, outbox))
        }
        print("  one writer: \(format(median(one))) a second")
        print("  sixteen writers: \(format(median(sixteen))) a second")
        print("enqueue.writers16_vs_1: \(format(median(sixteen) / median(one))) x")
    }

    private static func rate(
        of writers: Int, operations: Int, _ outbox: Outbox<SQLiteStorage>
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
        return Double(each * writers) / seconds(ContinuousClock.now - start)
    }

    private static func time(_ body: () throws -> Void) rethrows -> Double {
        let start = ContinuousClock.now
        try body()
        return seconds(ContinuousClock.now - start)
    }

    private static func seconds(_ duration: Duration) -> Double {
        duration / .seconds(1)
    }

    private static func median(_ values: [Double]) -> Double { percentile(50, values) }

    private static func percentile(_ percent: Int, _ values: [Double]) -> Double {
        values.sorted()[(values.count - 1) * percent / 100]
    }

    private static func report(_ name: String, _ values: [Double]) {
        let figures = [50, 99, 100].map { format(percentile($0, values) * 1e6) }
        print("  \(name): p50 \(figures[0]) µs, p99 \(figures[1]) µs, max \(figures[2]) µs")
    }

    private static func format(_ value: Double) -> String { String(format: "%.2f", value) }
}
