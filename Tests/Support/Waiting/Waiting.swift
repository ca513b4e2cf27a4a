/// Waits until `condition` holds, and asks again after some milliseconds at most.
///
/// A test waits for a condition, never for a time: the bound of five minutes only ends a test that
/// hangs, and says nothing about speed.
///
/// - Throws: ``NeverHappened`` after five minutes, `CancellationError` when the task is cancelled,
///   and what `condition` throws.
package func waitUntil(
    isolation: isolated (any Actor)? = #isolation,
    file: StaticString = #fileID,
    line: Int = #line,
    _ condition: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + .seconds(300)
    var pause = Duration.microseconds(50)
    while try await !condition() {
        guard ContinuousClock.now < end else { throw NeverHappened(file: file, line: line) }
        try await Task.sleep(for: pause)
        pause = min(pause * 2, .milliseconds(5))
    }
}

/// What a test waited for did not happen.
package struct NeverHappened: Error, CustomStringConvertible {
    let file: StaticString
    let line: Int

    package var description: String { "after five minutes still not: \(file):\(line)" }
}
