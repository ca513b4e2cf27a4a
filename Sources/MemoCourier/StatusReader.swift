import Logging
import MemoCore
import MemoKit
import Outbox
import OutboxCore

/// Asks the relay what became of sent memos, and stores the answer, as a `NewsCourse` says.
/// Beside the delivery: whatever happens here, no memo waits for it, and another run of the agent
/// asks again.
struct StatusReader: Sendable {
    let box: MemoBox
    let client: RelayClient
    let logger: Logger
    /// Raised by each call of a sender.
    var calls = RingFlag()
    /// Raised whenever a person looks at the history.
    var looks = RingFlag()

    /// The same reader, told of other calls and looks.
    func told(of calls: RingFlag, _ looks: RingFlag) -> StatusReader {
        StatusReader(box: box, client: client, logger: logger, calls: calls, looks: looks)
    }

    /// Follows the news until the task is cancelled.
    ///
    /// - Parameter firstPause: The time before the first question.
    func follow(from firstPause: Milliseconds = NewsCourse.firstPause) async {
        var course = NewsCourse(firstPause: firstPause)
        await tell(.followed(NewsCourse.longestPause), to: &course)
        while !Task.isCancelled, let due = course.due {
            let wait = Duration.milliseconds(due.count - Self.now.count)
            let isLooked = await looks.wait(within: wait)
            if calls.take() { await tell(.called, to: &course) }
            await tell(isLooked ? .looked : .waited, to: &course)
        }
    }

    /// Asks once, because of this event, unless no memo waits for news.
    func read(_ event: NewsCourse.Event = .looked) async {
        var course = NewsCourse()
        await tell(event, to: &course)
    }

    private static var now: Milliseconds { OutboxClock.system.monotonic() }

    /// Tells an event, and performs what follows from it. Stops when the task is cancelled.
    private func tell(_ event: NewsCourse.Event, to course: inout NewsCourse) async {
        var effect = course.handle(event, now: Self.now)
        while !Task.isCancelled, let task = effect {
            effect = await perform(task).flatMap { course.handle($0, now: Self.now) }
        }
    }

    /// - Returns: The outcome; `nil` for the end of a question.
    private func perform(_ effect: NewsCourse.Effect) async -> NewsCourse.Event? {
        do {
            switch effect {
            case .find(let statuses):
                guard try box.awaitsNews(of: statuses) else { return .found(cursor: nil) }
                return .found(cursor: Array((try box.changesCursor() ?? "").utf8))
            case .ask(let cursor): return try await ask(after: cursor)
            case .store(let changes, let cursor, let former):
                let isFirst = try box.store(
                    changes,
                    cursor: Self.text(cursor),
                    after: Self.text(former)
                )
                return isFirst ? .stored : .overtaken
            case .end(let isRead):
                if isRead { logger.info("statuses read") }
                box.folder.noteNews(isRead: isRead, at: OutboxClock.system.wallTime())
                return nil
            }
        } catch {
            if !Task.isCancelled { note((error as? RelayFailure)?.reason ?? "statuses.not-stored") }
            return .failed
        }
    }

    private func ask(after cursor: [UInt8]) async throws -> NewsCourse.Event {
        guard let account = try box.account(), let relay = try? RelayLocation(account.relay) else {
            return .failed
        }
        let answer = try await client.exchange(
            .changes(after: cursor, token: Array(account.token.utf8)),
            at: relay
        )
        if ChangesPage(answer) != nil {
            try box.noteAcceptance()
        } else {
            if answer.refusesToken { try box.noteRefusal(of: account) }
            note(answer.problem.map { .relay($0.code) } ?? .notOurAnswer)
        }
        return .answered(answer)
    }

    /// A cursor as the box has it.
    private static func text(_ cursor: [UInt8]) -> String? {
        cursor.isEmpty ? nil : String(decoding: cursor, as: UTF8.self)
    }

    /// A failure costs news, not a memo.
    private func note(_ reason: ReasonCode) {
        logger.notice("statuses not read", metadata: ["error": "\(reason)"])
    }
}
