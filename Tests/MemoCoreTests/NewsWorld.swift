import MemoCore
import OutboxCore

/// A process around a ``NewsCourse``, its history and the relay, and everything that can happen to
/// them. The relay's changes are numbered, and a cursor is the number of the changes behind it.
struct NewsWorld: WalkedWorld {
    enum Step: Hashable {
        case look, call, handOver, leave
        case follow, endFollowing
        /// The time comes for which the course waits; or a moment passes.
        case wait, pass
        /// The relay has one more change, or forgets all cursors.
        case change, forgetCursors
        /// The task under way is performed.
        case perform
        /// The task under way fails; another process stores before.
        case fail, overtake
    }

    /// How often each kind of step may happen.
    struct Budget: Hashable {
        var looks = 0
        var calls = 0
        var handOvers = 0
        var leaves = 0
        var follows = 0
        var waits = 2
        var changes = 1
        var forgets = 0
        var failures = 0
        /// The most changes on a page of the relay's.
        var page = 1
        /// Whether the history's memos are sent, and not delivered.
        var isSent = true
    }

    private(set) var course = NewsCourse()
    private(set) var budget: Budget
    private(set) var now: Int64 = 0
    private(set) var violation: String?
    /// The number of the relay's changes, and the number of times that it forgot its cursors.
    private var changes = 1
    private var generation = 0
    private var cursor: [UInt8] = []
    /// The changes that the process has stored since the last cursor was forgotten.
    private var stored = 0
    private var task: NewsCourse.Effect?
    private var isWhole = false
    private var lastRequest: Int64?
    private var lastWhole: Int64?
    private var requests = 0
    private var isFollowed = false
    private var isCalled = false
    /// When a person looked whose look no question has served.
    private var look: Int64?
    private var failed = false

    init(_ budget: Budget) { self.budget = budget }

    /// Whether nothing is under way.
    var isAtRest: Bool { task == nil }

    var steps: [Step] {
        var steps: [Step] = []
        if budget.looks > 0 { steps.append(.look) }
        if budget.calls > 0 { steps.append(.call) }
        if budget.handOvers > 0 { steps.append(.handOver) }
        if budget.leaves > 0 { steps.append(.leave) }
        if budget.follows > 0 { steps.append(isFollowed ? .endFollowing : .follow) }
        if budget.waits > 0 { steps.append(.pass) }
        if budget.waits > 0, course.due != nil { steps.append(.wait) }
        if budget.changes > 0 { steps.append(.change) }
        if budget.forgets > 0 { steps.append(.forgetCursors) }
        guard task != nil else { return steps }
        steps.append(.perform)
        if budget.failures > 0 { steps.append(.fail) }
        if budget.failures > 0, case .store = task { steps.append(.overtake) }
        return steps
    }

    mutating func perform(_ step: Step) {
        let due = course.due
        switch step {
        case .look:
            budget.looks -= 1
            look = look ?? now
            if task != nil, isWhole { look = nil }
            tell(.looked)
        case .call:
            budget.calls -= 1
            isCalled = true
            tell(.called)
        case .handOver:
            budget.handOvers -= 1
            tell(.handedOver)
            if isAtRest, due == nil, course.due != Milliseconds(now + 5000) {
                violate("a handed-over memo leads to no question after five seconds")
            }
        case .leave:
            budget.leaves -= 1
            tell(.leaving)
        case .follow:
            isFollowed = true
            tell(.followed(NewsCourse.longestPause))
        case .endFollowing:
            budget.follows -= 1
            isFollowed = false
            tell(.followed(nil))
        case .wait:
            budget.waits -= 1
            now = max(now, course.due?.count ?? now)
            tell(.waited)
        case .pass:
            budget.waits -= 1
            now += 400
            // A timer that fires early or late does no harm.
            tell(.waited)
        case .change:
            budget.changes -= 1
            changes += 1
        case .forgetCursors:
            budget.forgets -= 1
            generation += 1
        case .perform: performTask()
        case .fail:
            budget.failures -= 1
            failed = true
            task = nil
            tell(.failed)
        case .overtake:
            budget.failures -= 1
            task = nil
            failed = true
            cursor = name(of: 1)
            stored = 1
            tell(.overtaken)
        }
        if let due, let later = course.due, later > max(due, Milliseconds(now + 1000)) {
            violate("the next question was put off from \(due) to \(later)")
        }
        if isFollowed, isAtRest, course.due == nil { violate("no question is due") }
        let latest = max(now, (lastRequest ?? 0) + 1000)
        if look != nil, isAtRest, course.due.map({ $0.count > latest }) ?? true {
            violate("a look is not served")
        }
    }

    // MARK: The shell

    private mutating func tell(_ event: NewsCourse.Event) {
        guard let effect = course.handle(event, now: Milliseconds(now)) else { return }
        if task != nil { violate("two tasks at once") }
        if case .find(let statuses) = effect, requests == 0 { begin(statuses) }
        if case .ask = effect { lastRequest = now }
        if case .end = effect {
            requests = 0
            task = nil
        } else {
            task = effect
        }
    }

    private mutating func begin(_ statuses: [HistoryStatus]) {
        isWhole = statuses == [.sent, .delivered]
        if !isWhole, statuses != [.sent] { violate("a question about \(statuses)") }
        if let lastRequest, now < lastRequest + 1000 { violate("two questions in a second") }
        if isWhole {
            let isDue = lastWhole.map { now - $0 >= 600_000 } ?? false
            if look == nil, !isCalled, !isDue { violate("delivered memos are asked about") }
            (look, isCalled, lastWhole) = (nil, false, now)
        } else if look != nil || isCalled {
            violate("delivered memos are not asked about")
        }
    }

    private mutating func performTask() {
        guard let task else { return }
        self.task = nil
        switch task {
        case .find(let statuses):
            let isAwaited = statuses.contains(budget.isSent ? .sent : .delivered)
            tell(.found(cursor: isAwaited ? cursor : nil))
        case .ask(let cursor):
            requests += 1
            if requests > ChangesPage.mostAtOnce { violate("a question without end") }
            tell(.answered(answer(after: cursor)))
        case .store(let taken, let next, let former):
            if former != cursor { violate("stored behind another cursor") }
            cursor = next
            stored = next.isEmpty ? 0 : stored + taken.count
            tell(.stored)
        case .end: break
        }
    }

    // MARK: The relay

    private func name(of change: Int) -> [UInt8] { Array("\(generation).\(change)".utf8) }

    private func answer(after cursor: [UInt8]) -> RelayAnswer {
        let parts = cursor.split(separator: 0x2E).compactMap {
            Int(String(decoding: $0, as: UTF8.self))
        }
        guard cursor.isEmpty || parts.first == generation else {
            return RelayAnswer(
                status: 400,
                contentType: Array("application/problem+json".utf8),
                body: Array(
                    #"{"code":"malformed-body","retryable":false,"status":400}"#.utf8
                )
            )
        }
        let from = parts.last ?? 0
        let to = min(changes, from + budget.page)
        let list = (from..<to).map { number in
            let id = OperationID(
                high: 0x017f_22e2_79b0_7000,
                low: 0x8000_0000_0000_0000 + UInt64(number)
            )
            return #"{"id":"\#(id)","status":"delivered"}"#
        }
        let next = to == 0 ? "0" : String(decoding: name(of: to), as: UTF8.self)
        let json = """
            {"changes":[\(list.joined(separator: ","))],"cursor":"\(next)","more":\(to < changes)}
            """
        return RelayAnswer(
            status: 200,
            contentType: Array("application/json".utf8),
            body: Array(json.utf8)
        )
    }

    // MARK: Guarantees

    private mutating func violate(_ what: String) {
        if violation == nil { violation = what }
    }

    /// Lets the task under way end, and the person look once more.
    mutating func comeToRest() {
        while task != nil { perform(.perform) }
        budget.looks += 1
        failed = false
        perform(.look)
        while task != nil || look != nil {
            if task == nil {
                budget.waits += 1
                perform(.wait)
            }
            while task != nil { perform(.perform) }
            if violation != nil { return }
        }
        if stored != changes { violate("\(stored) of \(changes) changes are known after a look") }
    }
}
