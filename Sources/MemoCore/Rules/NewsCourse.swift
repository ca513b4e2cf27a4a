public import OutboxCore

/// A state machine that decides when the relay is asked what became of sent memos, and how its pages
/// of changes are read. Pure: no clock, no network, no storage. Agent and web app both use it.
///
/// A shell tells an event to ``handle(_:now:)``, performs the task that it returns, and tells the
/// outcome as the next event. It tells ``Event/waited`` when ``due`` has come.
///
/// A question is about the memos that were sent, or about the delivered ones, too, which seldom have
/// news: they may bounce. One request brings the changes of all; whether a question is worth a
/// request depends on the memos that it is about.
///
/// ## States
/// ```
/// rest ──looked, waited, leaving──▶ finding ──found──▶ asking ──answered──▶ storing
///  ▲                                 │    ▲              │                   │  │
///  └──found(nil), failed, overtaken──┴────┼──────────────┴───────────────────┘  │
///                                         └───────────────stored────────────────┘
/// ```
///
/// ## Invariants
/// 1. At most one question is under way. It takes ``ChangesPage/mostAtOnce`` pages at most.
/// 2. The relay is asked only while a memo of the question waits for news.
/// 3. A question begins a second after the last request, at the earliest.
/// 4. A person's look leads to a question about the delivered memos, too: it is under way, begins at
///    once, or begins after that second.
/// 5. A wait for a question only gets shorter: no event, however frequent, keeps news away.
/// 6. Calls of senders make no question more frequent. A handed-over memo leads to a question after
///    ``firstPause``, and perhaps to an earlier one because of the memos before it.
/// 7. While news are followed, a question is under way or due. The pauses between questions double.
/// 8. A question is about delivered memos after a look, after a call, and ten minutes after the last
///    question about them.
///
/// ## Failures
/// | failure | outcome |
/// |---|---|
/// | no answer, or an answer that is not the relay's | the question ends; the next one comes in its time |
/// | the relay refuses the cursor | the cursor is forgotten, and the changes are read from their beginning |
/// | another process has stored other changes meanwhile | the question ends; the next one begins behind them |
/// | the changes cannot be stored | the question ends; the next one brings them again |
/// | the process ends during a question | changes are stored together with their cursor, or not at all |
public struct NewsCourse: Hashable, Sendable {
    /// An event that the shell tells.
    public enum Event: Sendable {
        /// A person looks at the app, or at the history.
        case looked
        /// A sender called.
        case called
        /// The relay has taken a memo: mail takes a moment.
        case handedOver
        /// From now on news are followed, with this longest pause; `nil` for not any more.
        case followed(Milliseconds?)
        /// The time ``NewsCourse/due`` has come.
        case waited
        /// The process is about to end.
        case leaving
        /// The stored cursor, empty before the first changes; `nil` where no memo of the question
        /// waits for news.
        case found(cursor: [UInt8]?)
        /// The relay's answer.
        case answered(RelayAnswer)
        /// The changes are stored, with their cursor.
        case stored
        /// The stored cursor is not the cursor of the question any more: nothing was stored.
        case overtaken
        /// The task could not be performed: no answer, or nothing stored.
        case failed
    }

    /// A task of the shell.
    public enum Effect: Hashable, Sendable {
        /// Look whether a memo of these statuses waits for news, and read the cursor.
        case find([HistoryStatus])
        /// Ask the relay for the changes behind the cursor, from their beginning if it is empty.
        case ask(after: [UInt8])
        /// Store the changes together with their cursor, unless another cursor than `after` is
        /// stored. An empty cursor is forgotten.
        case store([MemoChange], cursor: [UInt8], after: [UInt8])
        /// The question is over.
        ///
        /// - Parameter isRead: `false` where the relay told nothing.
        case end(isRead: Bool)
    }

    private enum Step: Hashable {
        case rest, finding
        case asking(after: [UInt8])
        case storing(hasMore: Bool)
    }

    /// The pause before the first question about a memo.
    public static let firstPause = Milliseconds.seconds(5)
    /// The longest pause between two questions of a process that nobody looks at.
    public static let longestPause = Milliseconds.seconds(60)
    /// The longest pause between two questions while a person looks at the history.
    public static let longestPauseInSight = Milliseconds.seconds(30)
    /// The time between a request and the next question.
    private static let shortestPause: Int64 = 1000
    /// The time between two questions about delivered memos without a look.
    private static let restOfDelivered: Int64 = 600_000

    private let firstPause: Int64
    private var step = Step.rest
    /// The pages that the question may still take.
    private var pages = 0
    /// Whether the question under way is about delivered memos, too.
    private var isWhole = false
    /// Whether the next question is.
    private var isNextWhole = false
    /// When a question was last about delivered memos, or the following began.
    private var lastWhole: Int64?
    /// The earliest time of the next question.
    private var earliest = Int64.min
    /// The time for a question about the memo that was handed over last.
    private var handedOver = Int64.min
    /// The time for which the next question is planned.
    private var planned: Int64?
    /// The pause after the question.
    private var pause: Int64
    private var longest: Int64?

    /// Makes a course at rest.
    ///
    /// - Parameter firstPause: ``firstPause-swift.type.property``, or a shorter one for a test.
    public init(firstPause: Milliseconds = NewsCourse.firstPause) {
        self.firstPause = firstPause.count
        pause = firstPause.count
    }

    /// The time at which to tell ``Event/waited``; `nil` while a question is under way, or none is
    /// due.
    public var due: Milliseconds? {
        guard step == .rest, let planned else { return nil }
        return Milliseconds(max(planned, earliest))
    }

    /// Handles one event. An event that does not fit the state changes nothing.
    ///
    /// - Parameter now: The time since any moment, by a clock that is never set.
    /// - Returns: The task to perform.
    public mutating func handle(_ event: Event, now: Milliseconds) -> Effect? {
        let now = now.count
        switch event {
        case .looked:
            if step != .rest, isWhole { return nil }
            isNextWhole = true
            plan(now)
            return begin(now)
        case .called:
            isNextWhole = true
            return nil
        case .handedOver:
            handedOver = now + firstPause
            plan(handedOver)
            return nil
        case .followed(let pause):
            longest = pause?.count
            self.pause = firstPause
            lastWhole = lastWhole ?? now
            if longest != nil, step == .rest { planNext(now) }
            return nil
        case .waited: return begin(now)
        case .leaving:
            plan(now)
            return begin(now)
        case .found(let cursor):
            guard step == .finding else { return nil }
            guard let cursor else { return end(now, isRead: true) }
            step = .asking(after: cursor)
            earliest = now + Self.shortestPause
            return .ask(after: cursor)
        case .answered(let answer):
            guard case .asking(let cursor) = step else { return nil }
            return answered(answer, cursor, now)
        case .stored:
            guard case .storing(let hasMore) = step else { return nil }
            return hasMore && pages > 0 ? find() : end(now, isRead: true)
        case .overtaken: return step == .rest ? nil : end(now, isRead: true)
        case .failed: return step == .rest ? nil : end(now, isRead: false)
        }
    }

    // MARK: Moments

    private mutating func plan(_ time: Int64) {
        planned = min(planned ?? time, time)
    }

    private mutating func planNext(_ now: Int64) {
        plan(now + pause)
        pause = min(pause * 2, longest ?? pause)
    }

    private mutating func begin(_ now: Int64) -> Effect? {
        guard let due, due.count <= now else { return nil }
        let isDue = lastWhole.map { now - $0 >= Self.restOfDelivered } ?? false
        isWhole = isNextWhole || isDue
        isNextWhole = false
        if isWhole { lastWhole = now }
        planned = handedOver > now ? handedOver : nil
        pages = ChangesPage.mostAtOnce
        return find()
    }

    private mutating func end(_ now: Int64, isRead: Bool) -> Effect {
        step = .rest
        if longest != nil { planNext(now) }
        return .end(isRead: isRead)
    }

    // MARK: Pages

    private mutating func find() -> Effect {
        step = .finding
        pages -= 1
        return .find(isWhole ? [.sent, .delivered] : [.sent])
    }

    private mutating func answered(
        _ answer: RelayAnswer,
        _ cursor: [UInt8],
        _ now: Int64
    ) -> Effect {
        guard let page = ChangesPage(answer) else {
            guard !cursor.isEmpty, ChangesPage.isCursorRefused(by: answer) else {
                return end(now, isRead: false)
            }
            step = .storing(hasMore: true)
            return .store([], cursor: [], after: cursor)
        }
        guard page.cursor != cursor else { return end(now, isRead: true) }
        step = .storing(hasMore: page.hasMore)
        return .store(page.changes, cursor: page.cursor, after: cursor)
    }
}
