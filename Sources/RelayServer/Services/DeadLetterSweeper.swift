import Logging
import OutboxCore
import RelayRules

/// Notes how long the relay runs, and discards the dead letters that are old by that.
struct DeadLetterSweeper<Store: MemoStore>: Sendable {
    /// The time between two sweeps. A relay that is killed forgets at most so much of the time that it
    /// has run.
    private static var interval: Duration { .seconds(600) }

    let store: Store
    let age: DeadLetterAge
    /// Reads the monotonic clock.
    let monotonic: @Sendable () -> Milliseconds
    let logger: Logger

    /// Sweeps at the start and every ten minutes, until the task is cancelled.
    func run() async {
        var last = monotonic()
        while !Task.isCancelled {
            last = await sweep(since: last)
            do {
                try await Task.sleep(for: Self.interval)
            } catch {
                return
            }
        }
    }

    /// Sweeps once.
    ///
    /// - Parameter last: The moment up to which the running time is noted.
    /// - Returns: That moment afterwards; the same one if the store failed.
    func sweep(since last: Milliseconds) async -> Milliseconds {
        let now = monotonic()
        var noted = last
        do {
            var count = 0
            var isDone = false
            while !isDone {
                let sweep = try await store.ageDeadLetters(
                    age,
                    after: Milliseconds(now.count - noted.count)
                )
                noted = now
                count += sweep.discarded
                isDone = sweep.isDone
            }
            if count > 0 {
                logger.notice("old dead letters discarded", metadata: ["count": "\(count)"])
            }
        } catch {
            logger.error("dead letters kept", metadata: ["error": "\(type(of: error))"])
        }
        return noted
    }
}
