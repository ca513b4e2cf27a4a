/// The course of one run of the agent: a state machine that decides what the run does next. Pure: no
/// clock, no lock, no pipe, no tasks.
///
/// A shell performs the action that an event returns, and tells its result as the next event. It
/// tells a stop, by ``stop()``, before the event that it knows next.
///
/// ## Invariants
/// 1. A run where nobody is signed in ends before it asks for the role.
/// 2. Only a run with the role opens the bell, delivers, lingers and asks for news.
/// 3. A run whose call another agent has heard ends: that agent delivers.
/// 4. A run ends, too, while another agent has the role and looks at the outbox by itself, but not
///    before that agent has had the time for two looks.
/// 5. A run gives up another agent that neither hears nor ends within the patience.
/// 6. The bell is open whenever the run delivers, lingers or asks for news, and closed whenever the
///    run ends.
/// 7. A run looks at the outbox by itself exactly while its bell is open outside of the folder, where
///    a sender may not find the bell.
/// 8. A run lingers after each delivery. A call while it lingers leads to another delivery.
/// 9. A run asks for the news of sent memos before it closes the bell. A call while it asks leads to
///    another delivery.
/// 10. The queue is looked at after the bell was closed. So no call is lost: a sender that has called
///    before the close has stored its memo before the look, and one that calls later starts an agent.
/// 11. A further round begins only if the look finds a queue that is neither empty nor as it was
///    before the last round: an entry that no delivery moves calls for no round.
/// 12. After a stop nothing begins but the close of the bell: no delivery, no lingering, no question.
/// 13. A delivery that fails ends the run as failed, once the bell is closed, also after a stop.
/// 14. A run ends once, and takes no event after that.
///
/// ## States
/// | from | event | to | action |
/// |---|---|---|---|
/// | called | ``began(isSignedIn:)`` | called | ask for the role |
/// | called | ``roleAsked(_:after:)`` | called, opening | wait, open the bell |
/// | called | ``waitedForRole(_:)`` | called, given up | ask for the role, give up |
/// | opening | ``bellOpened(isInFolder:)`` | at work | deliver |
/// | at work | ``delivered()`` | lingering | linger |
/// | lingering | ``lingered(isCalled:)`` | at work, asking | deliver, ask for news |
/// | asking | ``newsAsked(isCalled:)`` | at work, leaving | deliver, close the bell |
/// | leaving | ``bellClosed()`` | looking | look at the queue |
/// | looking | ``queueLooked(isEmpty:isAsBefore:)`` | opening, ended | open the bell, end |
struct AgentCourse: Hashable, Sendable {
    /// What the run does next.
    enum Action: Hashable, Sendable {
        /// Take the role, or call the agent that has it; see ``AgentCourse/roleAsked(_:after:)``.
        case askForRole
        /// Wait a moment for the agent that has the role: it is about to open its bell, or to end.
        case waitForRole
        case openBell
        case deliver
        /// Wait for a call.
        case linger
        /// Ask what became of the sent memos, until a call.
        case askForNews
        case closeBell
        case lookAtQueue
        /// The run is over.
        case end(Agent.End)
        /// The run is over: the agent that has the role neither hears nor ends.
        case giveUp
        /// The run is over: a delivery has failed.
        case fail
    }

    /// The answer to the question for the role.
    enum RoleAnswer: Hashable, Sendable {
        case taken
        /// Another agent has the role, and has heard the call.
        case heardElsewhere
        /// Another agent has the role, and has no open bell.
        case heldElsewhere(looksByItself: Bool)
    }

    private enum State: Hashable {
        case called, opening, atWork, lingering, asking, leaving, looking, over
    }

    private let patience: Duration
    private let look: Duration
    private var state = State.called
    private var isStopped = false
    private var hasFailed = false
    /// Whether the run has the role of the folder's agent.
    private(set) var hasRole = false
    /// Whether the run looks at the outbox from time to time by itself.
    private(set) var looksByItself = false

    /// - Parameters:
    ///   - patience: The longest wait for another agent that neither hears nor ends.
    ///   - look: The time between two looks of an agent that looks by itself.
    init(patience: Duration, look: Duration) {
        self.patience = patience
        self.look = look
    }

    mutating func began(isSignedIn: Bool) -> Action {
        precondition(state == .called, "a run begins once")
        guard isSignedIn else { return end(.noAccount) }
        return isStopped ? end(.stopped) : .askForRole
    }

    /// - Parameter waited: The time from the beginning to this question.
    mutating func roleAsked(_ answer: RoleAnswer, after waited: Duration) -> Action {
        precondition(state == .called, "a run asks for the role before anything else")
        hasRole = answer == .taken
        if isStopped { return end(.stopped) }
        switch answer {
        case .taken:
            state = .opening
            return .openBell
        case .heardElsewhere:
            return end(.otherRuns)
        case .heldElsewhere(let looksByItself):
            return looksByItself && waited > look * 2 ? end(.otherRuns) : .waitForRole
        }
    }

    /// - Parameter waited: The time from the beginning to this moment.
    mutating func waitedForRole(_ waited: Duration) -> Action {
        precondition(state == .called, "a run waits for the role before anything else")
        if isStopped { return end(.stopped) }
        guard waited < patience else {
            state = .over
            return .giveUp
        }
        return .askForRole
    }

    /// - Parameter isInFolder: Whether the bell is where every sender looks; `false` also for a run
    ///   without a bell.
    mutating func bellOpened(isInFolder: Bool) -> Action {
        precondition(state == .opening, "the bell opens once a round")
        looksByItself = !isInFolder
        if isStopped { return leave() }
        state = .atWork
        return .deliver
    }

    mutating func delivered() -> Action {
        precondition(state == .atWork, "only a delivery under way ends")
        if isStopped { return leave() }
        state = .lingering
        return .linger
    }

    mutating func deliveryFailed() -> Action {
        precondition(state == .atWork, "only a delivery under way fails")
        hasFailed = true
        return leave()
    }

    mutating func lingered(isCalled: Bool) -> Action {
        precondition(state == .lingering, "only a run that lingers has lingered")
        if isStopped { return leave() }
        state = isCalled ? .atWork : .asking
        return isCalled ? .deliver : .askForNews
    }

    mutating func newsAsked(isCalled: Bool) -> Action {
        precondition(state == .asking, "only a question under way ends")
        guard isCalled, !isStopped else { return leave() }
        state = .atWork
        return .deliver
    }

    mutating func bellClosed() -> Action {
        precondition(state == .leaving, "the bell closes once a round")
        looksByItself = false
        if hasFailed {
            state = .over
            return .fail
        }
        if isStopped { return end(.stopped) }
        state = .looking
        return .lookAtQueue
    }

    /// - Parameters:
    ///   - isEmpty: Whether nothing is queued, not even for later.
    ///   - isAsBefore: Whether the queue is as it was before the last round.
    mutating func queueLooked(isEmpty: Bool, isAsBefore: Bool) -> Action {
        precondition(state == .looking, "the queue is looked at behind a closed bell")
        if isStopped { return end(.stopped) }
        guard !isEmpty, !isAsBefore else { return end(.idle) }
        state = .opening
        return .openBell
    }

    /// A person, or the system, asks the run to end. The work under way ends in order.
    mutating func stop() {
        isStopped = true
    }

    private mutating func leave() -> Action {
        state = .leaving
        return .closeBell
    }

    private mutating func end(_ end: Agent.End) -> Action {
        state = .over
        return .end(end)
    }
}
