import Logging
import MemoCore
import MemoKit
import Outbox
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

    /// The same reader, told of other calls.
    func called(by ring: RingFlag) -> StatusReader {
        StatusReader(box: box, client: client, logger: logger, ring: ring)
    }

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

    /// Reads at once whenever a person looks at the history, at most once a second, until the task is
    /// cancelled.
    func answer(_ calls: RingFlag) async {
        while !Task.isCancelled {
            guard await calls.wait(within: .seconds(3600)) else { continue }
            await read()
            try? await Task.sleep(for: .seconds(1))
        }
    }

    /// Reads the changes behind the stored cursor. Sends no request while no memo of these statuses
    /// waits for news, and stops when the task is cancelled.
    func read(of statuses: [HistoryStatus] = [.sent, .delivered]) async {
        var page = Page.more
        do {
            for _ in 0..<ChangesPage.mostAtOnce where page == .more {
                guard !Task.isCancelled, try box.awaitsNews(of: statuses) else { break }
                page = try await readPage()
            }
            if page != .unread { logger.info("statuses read") }
        } catch {
            guard !Task.isCancelled else { return }
            note((error as? RelayFailure)?.reason ?? "statuses.not-stored")
            page = .unread
        }
        box.folder.noteNews(isRead: page != .unread, at: OutboxClock.system.wallTime())
    }

    /// The end of the reading of one page.
    private enum Page {
        /// There may be another page.
        case more
        /// There is no other page.
        case end
        /// The relay told nothing.
        case unread
    }

    private func readPage() async throws -> Page {
        guard let account = try box.account(), let relay = try? RelayLocation(account.relay) else {
            return .unread
        }
        let cursor = try box.changesCursor()
        let answer = try await client.exchange(
            .changes(after: Array((cursor ?? "").utf8), token: Array(account.token.utf8)),
            at: relay
        )
        guard let page = ChangesPage(answer) else {
            if answer.refusesToken { try box.noteRefusal(of: account) }
            return try refused(answer, cursor)
        }
        try box.noteAcceptance()
        let next = String(decoding: page.cursor, as: UTF8.self)
        guard next != cursor else { return .end }
        return try box.store(page.changes, cursor: next, after: cursor) && page.hasMore
            ? .more : .end
    }

    /// Forgets a cursor that the relay does not accept, to begin anew.
    private func refused(_ answer: RelayAnswer, _ cursor: String?) throws -> Page {
        note(answer.problem.map { .relay($0.code) } ?? .notOurAnswer)
        guard cursor != nil, ChangesPage.isCursorRefused(by: answer) else { return .unread }
        return try box.store([], cursor: nil, after: cursor) ? .more : .unread
    }

    /// A failure costs news, not a memo.
    private func note(_ reason: ReasonCode) {
        logger.notice("statuses not read", metadata: ["error": "\(reason)"])
    }
}
