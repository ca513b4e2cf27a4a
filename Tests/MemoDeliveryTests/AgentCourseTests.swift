import Testing

@testable import MemoDelivery

/// Walks every order of results, with a stop at every place, and holds each action against what the
/// run has done before.
@Suite("The course of the agent")
struct AgentCourseTests {
    private static let patience = Duration.seconds(30)
    private static let look = Duration.seconds(2)
    /// Times before, at and behind the limits that the course compares with.
    private static let times: [Duration] = [
        .zero, look * 2, look * 2 + .milliseconds(1), patience, patience + .seconds(1),
    ]

    /// The result of an action.
    enum Step: Hashable {
        case begins(isSignedIn: Bool)
        case roleAnswered(AgentCourse.RoleAnswer, Duration)
        case waited(Duration)
        case bellOpens(isInFolder: Bool)
        case delivers(Bool)
        case lingers(isCalled: Bool)
        case newsCome(isCalled: Bool)
        case bellCloses
        case looks(isEmpty: Bool, isAsBefore: Bool)
    }

    /// A run, and what a reader remembers of it.
    struct World: Hashable {
        var course = AgentCourse(patience: patience, look: look)
        /// The action under way; `nil` before the beginning.
        var action: AgentCourse.Action?
        var isSignedIn = true
        var hasRole = false
        var isBellOpen = false
        var isBellInFolder = false
        var isStopped = false
        var hasFailed = false
        /// Whether a call came after the last delivery had begun.
        var isCalled = false
        /// Whether the run has lingered, and then asked for news, after its last delivery.
        var hasLingered = false
        var hasAsked = false
        /// Whether the queue was looked at since the bell was closed, and needs another round.
        var needsRound: Bool?
        var answer: AgentCourse.RoleAnswer?
        var waited = Duration.zero

        /// The results that the action under way can have.
        var steps: [Step] {
            switch action {
            case nil: [true, false].map { .begins(isSignedIn: $0) }
            case .askForRole:
                AgentCourseTests.times.flatMap { time in
                    [
                        .taken, .heardElsewhere, .heldElsewhere(looksByItself: true),
                        .heldElsewhere(looksByItself: false),
                    ].map { Step.roleAnswered($0, time) }
                }
            case .waitForRole: AgentCourseTests.times.map { .waited($0) }
            case .openBell: [true, false].map { .bellOpens(isInFolder: $0) }
            case .deliver: [true, false].map { .delivers($0) }
            case .linger: [true, false].map { .lingers(isCalled: $0) }
            case .askForNews: [true, false].map { .newsCome(isCalled: $0) }
            case .closeBell: [.bellCloses]
            case .lookAtQueue:
                [(true, true), (true, false), (false, true), (false, false)].map {
                    .looks(isEmpty: $0.0, isAsBefore: $0.1)
                }
            case .end, .giveUp, .fail: []
            }
        }

        mutating func take(_ step: Step, stopping: Bool) {
            if stopping {
                course.stop()
                isStopped = true
            }
            switch step {
            case .begins(let isSignedIn):
                self.isSignedIn = isSignedIn
                action = course.began(isSignedIn: isSignedIn)
            case .roleAnswered(let answer, let time):
                (self.answer, waited, hasRole) = (answer, time, answer == .taken)
                action = course.roleAsked(answer, after: time)
            case .waited(let time):
                waited = time
                action = course.waitedForRole(time)
            case .bellOpens(let isInFolder):
                (isBellOpen, isBellInFolder, needsRound) = (true, isInFolder, nil)
                action = course.bellOpened(isInFolder: isInFolder)
            case .delivers(let succeeds):
                hasFailed = !succeeds
                action = succeeds ? course.delivered() : course.deliveryFailed()
            case .lingers(let isCalled):
                (self.isCalled, hasLingered) = (isCalled, true)
                action = course.lingered(isCalled: isCalled)
            case .newsCome(let isCalled):
                (self.isCalled, hasAsked) = (isCalled, true)
                action = course.newsAsked(isCalled: isCalled)
            case .bellCloses:
                isBellOpen = false
                action = course.bellClosed()
            case .looks(let isEmpty, let isAsBefore):
                needsRound = !isEmpty && !isAsBefore
                action = course.queueLooked(isEmpty: isEmpty, isAsBefore: isAsBefore)
            }
            if action == .deliver { (hasLingered, hasAsked, isCalled) = (false, false, false) }
        }

        /// The invariant that the step has broken, with its number; `nil` for none.
        func violation(of step: Step, from before: World) -> String? {
            let needsBell: Set<AgentCourse.Action> = [.deliver, .linger, .askForNews, .closeBell]
            let needsRole = needsBell.union([.openBell, .lookAtQueue])
            guard let action else { return "there is always an action" }
            if !isSignedIn, action != .end(.noAccount) { return "1: goes on without an account" }
            if needsRole.contains(action), !hasRole { return "2: \(action) without the role" }
            if course.hasRole != hasRole { return "2: the role is not known" }
            if isBellOpen != needsBell.contains(action) {
                return "6: \(action), the bell is open: \(isBellOpen)"
            }
            if course.looksByItself != (isBellOpen && !isBellInFolder) { return "7: looks" }
            return role(action) ?? round(action, of: step, from: before) ?? stop(action)
        }

        /// Invariants 3, 4 and 5.
        private func role(_ action: AgentCourse.Action) -> String? {
            let looks = answer == .heldElsewhere(looksByItself: true)
            switch action {
            case .end(.otherRuns):
                return answer == .heardElsewhere || looks && waited > AgentCourseTests.look * 2
                    ? nil : "3, 4: ends without a reason"
            case .waitForRole:
                if answer == .heardElsewhere { return "3: waits for an agent that has heard" }
                if looks, waited > AgentCourseTests.look * 2 { return "4: waits on" }
            case .giveUp:
                if waited < AgentCourseTests.patience || hasRole { return "5: gives up too early" }
            case .askForRole:
                if waited >= AgentCourseTests.patience { return "5: has no end of patience" }
            default: break
            }
            return nil
        }

        /// Invariants 8 to 11, and 13.
        private func round(
            _ action: AgentCourse.Action,
            of step: Step,
            from before: World
        ) -> String? {
            let wasCalled = step == .lingers(isCalled: true) || step == .newsCome(isCalled: true)
            if wasCalled, !isStopped, action != .deliver { return "8, 9: a call is lost" }
            switch action {
            case .linger where before.action != .deliver: return "8: lingers after no delivery"
            case .askForNews where !hasLingered: return "8: has not lingered"
            case .closeBell where !isStopped && !hasFailed && !(hasLingered && hasAsked):
                return "9: leaves without news"
            case .openBell where before.action == .lookAtQueue && needsRound != true:
                return "11: a round for nothing"
            case .end(.idle) where needsRound != false:
                return "10, 11: ends with a queue, or unseen"
            case .end(let end) where end != .noAccount && hasFailed: return "13: hides a failure"
            case .fail where !hasFailed: return "13: fails for nothing"
            default: return nil
            }
        }

        /// Invariant 12.
        private func stop(_ action: AgentCourse.Action) -> String? {
            guard isStopped else { return action == .end(.stopped) ? "12: nobody stops it" : nil }
            switch action {
            case .closeBell, .fail, .end(.stopped), .end(.noAccount): return nil
            default: return "12: \(action) after a stop"
            }
        }
    }

    @Test("no order of events breaks an invariant of the agent, and every run can end")
    func everyOrder() {
        var seen: Set<World> = [World()]
        var frontier: [(world: World, trace: [Step])] = [(World(), [])]
        var ends: Set<AgentCourse.Action> = []
        var transitions = 0
        while let (world, trace) = frontier.popLast() {
            for step in world.steps {
                for stopping in [false, true] {
                    var after = world
                    after.take(step, stopping: stopping)
                    transitions += 1
                    if let violation = after.violation(of: step, from: world) {
                        Issue.record("\(violation): \(trace + [step]), stopped: \(after.isStopped)")
                        return
                    }
                    if after.steps.isEmpty, let end = after.action { ends.insert(end) }
                    if seen.insert(after).inserted { frontier.append((after, trace + [step])) }
                }
            }
        }
        print("agent: \(seen.count) states, \(transitions) transitions")
        #expect(seen.count > 100, "only \(seen.count) states were reached")
        let every: Set<AgentCourse.Action> = [
            .end(.idle), .end(.stopped), .end(.otherRuns), .end(.noAccount), .giveUp, .fail,
        ]
        #expect(ends == every)
    }

    @Test("a run that has ended takes no event")
    func ended() async {
        await #expect(processExitsWith: .failure) {
            var course = AgentCourse(patience: .zero, look: .zero)
            _ = course.began(isSignedIn: false)
            _ = course.began(isSignedIn: true)
        }
    }
}
