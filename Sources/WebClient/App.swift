import MemoCore
import OutboxCore
import StoreCore

/// The whole app: events in, commands out. One for each page, one for the service worker.
///
/// It does nothing by itself: no I/O, no clock, no timer. Randomness is the system's.
public final class App {
    let desk = Desk()
    let outbox: OutboxStore
    let drain: Drain
    let drafts: Drafts
    let compose: Compose
    let signIn: SignIn
    let history: HistoryScreen
    let queue: QueueScreen
    let settings: SettingsScreen
    let rating: Rating
    let waiting: Waiting
    let statuses: Statuses
    var views: Views?
    var start: Start?
    var isShowing = false
    private var isRefusalUntold = false
    /// Background syncs that wait for the drain.
    var syncs: [UInt32] = []

    public init() {
        outbox = OutboxStore(host: desk.host, vault: desk.vault)
        drain = Drain(host: desk.host, outbox: outbox, clock: desk.clock)
        drafts = Drafts(desk: desk)
        compose = Compose(desk: desk, drafts: drafts)
        signIn = SignIn(desk: desk)
        history = HistoryScreen(desk: desk, compose: compose)
        queue = QueueScreen(desk: desk)
        settings = SettingsScreen(desk: desk)
        rating = Rating(desk: desk)
        waiting = Waiting(desk: desk)
        statuses = Statuses(desk: desk)
        connect()
    }

    /// Handles one event.
    ///
    /// - Parameters:
    ///   - kind: Which; Web/README.md has the numbers. An unknown one is passed over.
    ///   - number: What belongs to it.
    ///   - bytes: What else belongs to it.
    ///   - wallTime: Milliseconds since 1970.
    ///   - monotonicTime: Milliseconds of a clock that is never set, when the event happened.
    /// - Returns: The commands to execute, in order.
    public func handle(
        kind: UInt32,
        number: UInt32,
        bytes: [UInt8],
        wallTime: Double,
        monotonicTime: Double
    ) -> [UInt8] {
        desk.clock.now = WallTime(millisecondsSinceEpoch: Int64(wallTime))
        desk.clock.microseconds = Int64(monotonicTime * 1000)
        if let event = Event(kind: kind, number: number, bytes: bytes) { handle(event) }
        return desk.host.take()
    }

    private func connect() {
        let store = desk.store
        drain.token = { store.state.account.token }
        drain.isReady = {
            guard case .ready = self.desk.vault.condition, !self.signIn.isLeaving else {
                return false
            }
            return store.state.account != .unknown
        }
        drain.refused = { self.signIn.refused($0) }
        drain.stored = { transition in
            self.desk.host.ring(.change)
            if case .remove = transition { self.statuses.sent() }
            self.storedChanged()
        }
        drain.rested = { self.rested() }
        drain.reached = { isReached in
            guard store.state.isRelayReached != isReached else { return }
            store.commit { $0.isRelayReached = isReached }
        }
        compose.enqueued = {
            self.desk.host.ring(.work)
            self.desk.host.setTimer(.sync, Self.syncDelay)
            self.drain.wake()
            self.waiting.look()
            self.rating.sent()
            self.desk.keepOpenly(.timings, store.state.timings.encoded())
            self.askForPersistence()
        }
        signIn.signedIn = { self.deliver() }
        signIn.outdated = { self.restoreAgain {} }
        statuses.refused = { self.signIn.refused($0) }
        statuses.changed = {
            self.desk.host.ring(.change)
            self.storedChanged()
        }
        queue.requeued = { self.drain.wake() }
        queue.deleted = { self.storedChanged() }
    }

    /// Attempts what is due, with what waits for somebody to sign in once somebody has.
    func deliver() {
        guard desk.store.state.account.token != nil else { return drain.wake() }
        outbox.requeueParked(for: .unauthorized) { self.drain.wake() }
    }

    /// What is shown of stored things may be out of date.
    func storedChanged() {
        guard start?.role == .page else { return }
        history.changed()
        queue.read()
        waiting.look()
        rating.storedChanged()
    }

    // MARK: The background

    /// How long a page tries by itself before it asks the browser to go on without it.
    static let syncDelay: Int64 = 1000

    private func rested() {
        if drain.isEmpty { desk.host.setTimer(.sync, nil) }
        for sync in syncs { desk.host.finish(sync, isDone: drain.isEmpty) }
        syncs.removeAll()
    }

    /// Once something is worth keeping. A refusal is told with the first memo or, where that one
    /// brought something more urgent to say, with the next.
    private func askForPersistence() {
        tellRefusal()
        guard !desk.store.state.hasAskedForPersistence else { return }
        desk.store.commit { $0.hasAskedForPersistence = true }
        desk.host.persist { answer in
            guard case .done(var reader) = answer, reader.number() == 0,
                self.desk.store.state.timings.sendToReset.count == 1
            else { return }
            self.isRefusalUntold = true
            self.tellRefusal()
        }
    }

    private func tellRefusal() {
        guard isRefusalUntold, desk.store.state.notice?.tone == .info else { return }
        isRefusalUntold = false
        desk.say(.persistenceRefused)
    }
}
