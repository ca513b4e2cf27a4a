import ConnectivityCore
import MemoCore
import MemoSyncCore
import OutboxCore
import StoreCore
import SyncCore

/// Sends what this person has changed, and pulls what the person's other devices have, in rounds.
///
/// ```
/// rest ──wake──▶ claiming ──lock──▶ pushing ──nothing left──▶ pulling ──last page──▶ rest
/// ```
/// One page or worker at a time has the lock `shared`, and sends one request at a time. A page that is in
/// sight begins a round every five seconds while its person is there, so that the status of a memo is on
/// the page within ten seconds. When nobody has touched the page for ten minutes, it is one a minute.
/// So it is for an hour in a page out of sight that may show notifications: of a memo that did not arrive.
///
/// | failure | outcome |
/// |---|---|
/// | no answer, or one that is not the relay's | the round ends; the pauses double up to a minute |
/// | the relay asks for a wait | the next round begins after it |
/// | the relay refuses the token | the person is told; nothing that waits is dropped |
/// | the relay shares nothing, because it is an older build | the pause is a minute |
/// | the page ends | another page, or the next one, asks for the answers that are missing |
/// | a request of a round without end | the round has ``longest`` requests at most |
final class Sharing {
    private static let lock = utf8("shared")
    /// The most requests of one round: a relay may have no end.
    private static let longest = ChangesPage.mostAtOnce
    /// The pause between two rounds, in milliseconds.
    private static let pause: Int64 = 5000
    private static let longestPause: Int64 = 60_000
    /// The time without a person after which the pauses are long.
    private static let presence: Int64 = 600_000
    /// The time for which a page that may notify goes on out of sight, in milliseconds.
    private static let longestBehind: Int64 = 3_600_000
    /// The wait of a page that has just begun: its person writes.
    private static let firstWait: Int64 = 1000

    private enum Step {
        case rest
        /// Waits for the lock, or sends.
        case running
    }

    private let context: AppContext
    private let records: SharedRecords
    private var step = Step.rest
    /// Whether another round is to follow at once.
    private var isWanted = false
    private var lastTouch: Int64 = 0
    private var lastPause = Sharing.pause
    /// The wait that the relay has asked for.
    private var askedWait: Int64?
    private var requests = 0
    private var hasFailed = false
    private var hasPulled = false
    private var pull: PullRequest?
    /// Called when the round that is under way has ended.
    private var ended: [() -> Void] = []

    init(context: AppContext, records: SharedRecords) {
        self.context = context
        self.records = records
    }

    private var now: Int64 { context.clock.microseconds / 1000 }
    private var token: [UInt8]? { context.store.state.account.token }

    // MARK: Moments

    /// The page is there.
    func begin() {
        lastTouch = now
        context.host.setTimer(.share, Self.firstWait)
    }

    /// A person does something.
    func touched() {
        let wasAway = isAway
        lastTouch = now
        if wasAway, context.store.state.isInSight { wake() }
    }

    /// The page came into sight, or is out of sight.
    func seen() {
        lastTouch = now
        context.store.state.isInSight ? wake() : waitForNext()
    }

    /// Something is to be sent, or may be there.
    func wake(_ then: @escaping () -> Void = {}) {
        ended.append(then)
        guard step == .rest else {
            isWanted = true
            return
        }
        askedWait == nil ? run() : tellEnded()
    }

    /// The timer of the next round fired.
    func timerFired() {
        askedWait = nil
        if step == .rest { run() }
    }

    private var isAway: Bool { now - lastTouch > Self.presence }

    /// Shows the state, if the page is in sight.
    func show() {
        let meta = records.machine?.meta
        let pending = records.machine?.pendingCount ?? 0
        let isNews = pending > 0 || meta?.lastPulled == nil
        let state = SharingState(
            isSyncing: step == .running && isNews,
            pending: pending,
            lastSynced: meta?.lastPulled
        )
        if state != context.store.state.sharing { context.change { $0.sharing = state } }
    }

    // MARK: A round

    private func run() {
        guard context.canAttempt, token != nil else { return rest() }
        guard context.store.state.network.isConnected else {
            // What is stored is shown without a network, too.
            return records.machine == nil ? records.read { self.rest() } : rest()
        }
        step = .running
        (isWanted, hasFailed, hasPulled, requests) = (false, false, false, 0)
        context.host.takeLock(Self.lock, ifAvailable: false) { answer in
            guard answer.isDone else { return self.end(hasFailed: true) }
            // The holder before this one may not have told what it stored.
            self.records.read {
                // What was chosen before the account was known meets what the account has.
                if self.records.machine?.meta.lastPulled == nil {
                    self.context.happened(.sharingRested)
                }
                self.goOn()
            }
        }
    }

    /// Begins the next request.
    private func goOn() {
        guard let token, context.canAttempt, !hasFailed else { return end(hasFailed: true) }
        guard requests < Self.longest else { return end(hasFailed: false) }
        if let key = nextToSend {
            return records.handle {
                $0.begin(key)
            } _: {
                self.begun($0)
            }
        }
        if let pull {
            self.pull = nil
            return send(pull, token)
        }
        guard !hasPulled else { return end(hasFailed: false) }
        hasPulled = true
        records.handle {
            $0.handle(.woken)
        } _: {
            self.begun($0)
        }
    }

    /// The first record with a change that is to be sent, or whose answer is to be asked for.
    private var nextToSend: RecordKey? {
        for record in records.machine?.changed ?? [] {
            let front = record.changes.first { $0.state != .accepted }
            if let front, front.state != .refused { return record.key }
        }
        return nil
    }

    /// An event is stored: sends what it asks for.
    private func begun(_ outcome: SharedRecords.Outcome) {
        guard case .done(let effects) = outcome, let token else { return end(hasFailed: true) }
        for effect in effects {
            switch effect {
            case .pull(let request): pull = request
            case .push(let request): return send(request, token)
            case .ask(let question): return send(question, token)
            case .store, .makeNode, .renamed, .refused, .overruled, .pullStalled: break
            }
        }
        goOn()
    }

    private func send(_ request: PushRequest, _ token: [UInt8]) {
        let (id, attempt) = (request.stamp.id, request.attempt)
        guard let message = RelayRequest.push(request, token: token) else {
            let answer = PushAnswer.refused(.notForDevices, nil)
            let time = context.clock.now
            return tell(.answered(id, attempt: attempt, answer, serverTime: time))
        }
        exchange(message) { answer throws(SharingFailure) in
            let told = try answer.pushed(request, now: self.context.clock.now)
            return .answered(id, attempt: attempt, told.content, serverTime: told.relayTime)
        } orElse: {
            .unanswered(id, attempt: attempt)
        }
    }

    private func send(_ question: AskRequest, _ token: [UInt8]) {
        let (id, attempt) = (question.id, question.attempt)
        exchange(.ask(question, token: token)) { answer throws(SharingFailure) in
            let told = try answer.asked(question, now: self.context.clock.now)
            return .asked(id, attempt: attempt, told.content, serverTime: told.relayTime)
        } orElse: {
            .unanswered(id, attempt: attempt)
        }
    }

    private func send(_ pull: PullRequest, _ token: [UInt8]) {
        exchange(.pull(pull, token: token)) { answer throws(SharingFailure) in
            let told = try answer.page(now: self.context.clock.now)
            if !told.content.device.isEmpty { self.records.told(device: told.content.device) }
            return .pulled(
                request: pull.number,
                told.content.answer,
                serverTime: told.relayTime
            )
        } orElse: {
            .pullFailed(request: pull.number)
        }
    }

    private func exchange(
        _ request: RelayRequest,
        _ read: @escaping (RelayAnswer) throws(SharingFailure) -> SyncEvent,
        orElse failed: @escaping () -> SyncEvent
    ) {
        let token = request.token
        requests += 1
        context.host.exchange(request) { exchange in
            // An answer to another account's device says nothing about this one's records.
            guard case .answered(let answer) = exchange, token == self.token else {
                return self.fail(failed())
            }
            do throws(SharingFailure) {
                self.tell(try read(answer))
            } catch {
                switch error {
                case .unauthorized: self.context.happened(.tokenRefused(token))
                case .busy(let wait): self.askedWait = wait?.count ?? Self.longestPause
                case .unsupported: self.askedWait = Self.longestPause
                case .relay, .notOurAnswer: break
                }
                self.fail(failed())
            }
        }
    }

    private func fail(_ event: SyncEvent) {
        hasFailed = true
        tell(event)
    }

    private func tell(_ event: SyncEvent) {
        records.handle {
            $0.handle(event)
        } _: {
            self.begun($0)
        }
    }

    private func end(hasFailed: Bool) {
        context.host.freeLock(Self.lock)
        step = .rest
        show()
        if let pull {
            // The next round asks anew.
            self.pull = nil
            records.handle {
                $0.handle(.pullFailed(request: pull.number))
            } _: { _ in
            }
        }
        if !hasFailed { context.happened(.sharingRested) }
        lastPause = hasFailed ? min(lastPause * 2, Self.longestPause) : Self.pause
        rest()
        if isWanted, !hasFailed, askedWait == nil { run() }
    }

    /// Sets the timer of the next round.
    private func rest() {
        waitForNext()
        tellEnded()
    }

    private func waitForNext() {
        let state = context.store.state
        let isBehind = state.canNotify && now - lastTouch < Self.longestBehind
        let pause = isAway || !state.isInSight ? Self.longestPause : lastPause
        let isOpen = (state.isInSight || isBehind) && token != nil
        context.host.setTimer(.share, isOpen ? max(pause, askedWait ?? 0) : nil)
    }

    private func tellEnded() {
        let told = ended
        ended.removeAll()
        for then in told { then() }
    }
}
