import Logging
import OutboxCore
import RelayRules

/// Notes how long the relay runs, and discards what is old by that, dead letters for which there is no
/// room, and what is left of erased accounts.
struct RelaySweeper<Store: MemoStore>: Sendable {
    /// The time between two looks at the room.
    private static var interval: Duration { .seconds(60) }
    /// The number of looks at the room for one at the ages. A relay that is killed forgets at
    /// most so much of the time that it has run.
    private static var looksPerAge: Int { 10 }

    /// A device that is signed out is told so for this time, and is unknown afterwards.
    private static var ageOfDevices: RunningAge { RunningAge(lifetime: .seconds(30 * 86_400)) }

    let store: Store
    let age: RunningAge
    /// The rule of this moment; `nil` where the size of the disk cannot be told.
    let room: @Sendable () -> DeadLetterRoom?
    /// Reads the monotonic clock.
    let monotonic: @Sendable () -> Milliseconds
    let clock: WallClock
    let logger: Logger

    /// Sweeps at the start and from time to time, until the task is cancelled.
    func run() async {
        var last = monotonic()
        var looks = 0
        var quarantined: EntryID?
        while !Task.isCancelled {
            if looks % Self.looksPerAge == 0 {
                last = await sweep(since: last)
                await forget()
                quarantined = await retryQuarantined(after: quarantined)
            }
            looks += 1
            await makeRoom()
            await forgetErased()
            do {
                try await Task.sleep(for: Self.interval)
            } catch {
                return
            }
        }
    }

    /// Removes what is left of erased accounts.
    func forgetErased() async {
        do {
            while try await !store.forgetErased() {}
        } catch {
            logger.error("erased accounts kept", metadata: ["error": "\(type(of: error))"])
        }
    }

    /// Discards old letters once.
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

    /// Queues some quarantined mails again that can be opened by now, once.
    ///
    /// - Parameter last: The answer to the call before.
    /// - Returns: The mail behind which the next call begins.
    func retryQuarantined(after last: EntryID?) async -> EntryID? {
        do {
            let sweep = try await store.retryQuarantined(after: last, at: clock())
            if sweep.retried > 0 {
                logger.notice(
                    "mails whose key is back queued again",
                    metadata: ["count": "\(sweep.retried)"]
                )
            }
            return sweep.last
        } catch {
            logger.error("quarantined mails kept", metadata: ["error": "\(type(of: error))"])
            return last
        }
    }

    /// Forgets what nothing asks for any more, once.
    func forget() async {
        do {
            try await store.forgetDevices(Self.ageOfDevices)
            try await store.forgetCounts()
        } catch {
            logger.error("old rows kept", metadata: ["error": "\(type(of: error))"])
        }
    }

    /// Discards letters for which there is no room, once.
    func makeRoom() async {
        guard let room = room() else { return }
        do {
            let count = try await store.discardDeadLetters(toFit: room)
            if count > 0 {
                logger.warning(
                    "dead letters discarded for their room",
                    metadata: ["count": "\(count)"]
                )
            }
        } catch {
            logger.error("dead letters kept", metadata: ["error": "\(type(of: error))"])
        }
    }
}
