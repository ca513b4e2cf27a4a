import Logging
import MemoCore
import MemoKit
import OutboxCore

/// Asks the relay what became of sent memos, and stores the answer. Beside the delivery: whatever
/// happens here, no memo waits for it, and another run of the agent asks again.
struct StatusReader: Sendable {
    let box: MemoBox
    let client: RelayClient
    let logger: Logger
    /// Tells of a call, which a person's look at the history makes.
    var ring = RingFlag()

    /// The longest time between two questions about delivered memos, which bounce seldom. An agent
    /// stays only while operations back off, at most for as long.
    private static let rest = Duration.seconds(600)

    /// Reads until the task is cancelled: soon again at first, because mail takes a moment, later
    /// once a minute. Calls of senders, however many, keep no news away, and make no reading more
    /// frequent. Where only delivered memos wait for news, it reads every ten minutes, and after a
    /// call.
    ///
    /// - Parameter pause: The time before the first reading, which then doubles.
    func follow(from pause: Duration = .seconds(5)) async {
        var pause = pause
        var rest = Self.rest
        while !Task.isCancelled {
            try? await Task.sleep(for: pause)
            rest -= pause
            pause = min(pause * 2, .seconds(60))
            if ring.take() || rest <= .zero {
                rest = Self.rest
                await read()
            } else {
                await read(of: [.sent])
            }
        }
    }

    /// Reads the changes behind the stored cursor. Sends no request while no memo of these statuses
    /// waits for news, and stops when the task is cancelled.
    func read(of statuses: [HistoryStatus] = [.sent, .delivered]) async {
        do {
            for _ in 0..<ChangesPage.mostAtOnce {
                guard !Task.isCancelled, try box.awaitsNews(of: statuses), try await readPage()
                else { return }
            }
        } catch {
            guard !Task.isCancelled else { return }
            note((error as? RelayFailure)?.reason ?? "statuses.not-stored")
        }
    }

    /// - Returns: Whether there may be another page.
    private func readPage() async throws -> Bool {
        guard let account = try box.account(), let relay = try? RelayLocation(account.relay) else {
            return false
        }
        let cursor = try box.changesCursor()
        let answer = try await client.exchange(
            .changes(after: Array((cursor ?? "").utf8), token: Array(account.token.utf8)),
            at: relay
        )
        guard let page = ChangesPage(answer) else { return try refused(answer, cursor) }
        let next = String(decoding: page.cursor, as: UTF8.self)
        guard next != cursor else { return false }
        return try box.store(page.changes, cursor: next, after: cursor) && page.hasMore
    }

    /// Forgets a cursor that the relay does not accept.
    ///
    /// - Returns: Whether to begin anew.
    private func refused(_ answer: RelayAnswer, _ cursor: String?) throws -> Bool {
        note(answer.problem.map { .relay($0.code) } ?? .notOurAnswer)
        guard cursor != nil, ChangesPage.isCursorRefused(by: answer) else { return false }
        return try box.store([], cursor: nil, after: cursor)
    }

    /// A failure costs news, not a memo.
    private func note(_ reason: ReasonCode) {
        logger.notice("statuses not read", metadata: ["error": "\(reason)"])
    }
}
