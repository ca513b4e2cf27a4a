import ConnectivityCore
import MemoCore
import MemoTexts
import OutboxCore
import StoreCore
import WireCore

/// The whole app: events in, commands out. One for each page, one for the service worker.
///
/// It does nothing by itself: no I/O, no clock, no timer, no randomness.
public final class App {
    let context: AppContext
    let outbox: IndexedDBStorage
    let drain: Drain
    let drafts: Drafts
    let compose: Compose
    let signIn: SignIn
    let history: HistoryScreen
    let queue: QueueScreen
    let settings: SettingsScreen
    let rating: Rating
    let notices: FailureNotices
    let waiting: Waiting
    let shared: SharedRecords
    let sharing: Sharing
    private(set) var views: Views?
    /// The host, once it has started the app.
    private(set) var start: Start?
    private(set) var isShowing = false
    /// Background syncs that wait for the drain.
    private var syncs: [UInt32] = []
    /// The requests of buttons whose memos are stored, and that wait for the drain.
    private var resends: [UInt32] = []
    /// The memo at which the history is to be opened.
    private var sought: OperationID?

    /// - Parameter random: A cryptographic source of random words; the system's unless told.
    public init(
        random: @escaping () -> UInt64 = {
            var system = SystemRandomNumberGenerator()
            return system.next()
        }
    ) {
        context = AppContext(random: random)
        outbox = IndexedDBStorage(host: context.host, vault: context.vault)
        drain = Drain(context: context, storage: outbox)
        drafts = Drafts(context: context)
        shared = SharedRecords(context: context)
        sharing = Sharing(context: context, records: shared)
        compose = Compose(context: context, drafts: drafts)
        signIn = SignIn(context: context, shared: shared)
        history = HistoryScreen(context: context, compose: compose, shared: shared)
        queue = QueueScreen(context: context)
        settings = SettingsScreen(context: context, shared: shared)
        rating = Rating(context: context)
        notices = FailureNotices(context: context)
        waiting = Waiting(context: context, notices: notices)
    }

    /// Handles one event.
    ///
    /// - Parameters:
    ///   - kind: The event's number, see Web/README.md. An unknown event is passed over.
    ///   - number: The event's number argument.
    ///   - bytes: The event's bytes.
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
        context.clock.now = WallTime(millisecondsSinceEpoch: Int64(wallTime))
        context.clock.microseconds = Int64(monotonicTime * 1000)
        if let kind = EventKind(rawValue: kind),
            let event = Event(kind: kind, number: number, bytes: bytes)
        {
            handle(event)
            while let occurrence = context.nextOccurrence() { handle(occurrence) }
        }
        return context.host.take()
    }

    /// Attempts the due operations. Operations that wait for a sign-in become due if the person is
    /// signed in.
    func deliver() {
        guard context.store.state.account.token != nil else { return drain.wake() }
        outbox.requeueParked(for: .unauthorized) { self.drain.wake() }
    }

    /// Updates the screens that show stored records.
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

    /// Answers a background sync when the drain rests.
    func answerWhenRested(_ sync: UInt32) {
        syncs.append(sync)
    }

    func rested() {
        if drain.isEmpty { context.host.setTimer(.sync, nil) }
        let (answered, resent, isDone) = (syncs, resends, drain.isEmpty)
        syncs.removeAll()
        resends.removeAll()
        guard start?.role == .worker else { return }
        // The browser may end the worker as soon as it is answered.
        notices.look {
            self.queue.keepTransitions {
                for sync in answered { self.context.host.finish(sync, isDone: isDone) }
                for resend in resent { self.context.host.finish(resend, isDone: true) }
            }
        }
    }

    /// Sends a memo again, as the person has asked for by the button of a notification.
    func resend(_ request: UInt32, _ id: OperationID) {
        let end = { (isStored: Bool) in
            isStored
                ? self.resends.append(request) : self.context.host.finish(request, isDone: false)
        }
        history.read(id) { entry in
            guard let entry, entry.status.isFailure else { return end(false) }
            entry.status.isInOutbox
                ? self.queue.retry(id.bytes, end) : self.history.resend(entry, end)
        }
    }

    /// Opens the history at the memo that its address names.
    func seek(_ fragment: [UInt8]) {
        sought = OperationID(text: Array(fragment.dropFirst(Screen.history.fragment.count + 1)))
    }

    func historyShown() {
        if let sought, views?.openEntry(sought) ?? false { self.sought = nil }
    }

    /// Asks the browser for persistent storage, once there is a memo to keep. The settings show a
    /// refusal.
    func askForPersistence() {
        guard !context.store.state.hasAskedForPersistence else { return }
        context.change { $0.hasAskedForPersistence = true }
        context.host.persist { answer in
            guard case .done(let reader) = answer, reader.number() == 0 else { return }
            self.context.change { $0.isPersistenceRefused = true }
        }
    }

    // MARK: Starting

    func start(_ start: Start) {
        self.start = start
        if start.connection.isConnected { drain.networkReturned() }
        context.device = start.device
        if let draft = start.draft { drafts.own(draft) }
        let preferred = start.languages[...].split(separator: 0x2C).map { Array($0) }
        context.change { state in
            state.systemLanguage = Language(preferring: preferred)
            state.isInSight = start.isVisible
            state.canNotify = start.canNotify
        }
        if start.role == .page { startPage(start) }
        context.host.setNames()
        context.host.openDatabase("memo", Records.migrations)
        guard start.hasCrypto else {
            context.vault.close(.insecure)
            return opened(nil)
        }
        settingsRepository.readStart { result in
            switch result {
            case .done(let stored):
                self.context.vault.open(keys: stored.keys, hasRecords: stored.hasRecords) {
                    self.opened(stored)
                }
            case .failed(let failure):
                self.context.vault.close(failure == .failed ? .unavailable : failure)
                self.opened(nil)
            }
        }
    }

    private var settingsRepository: SettingsRepository { SettingsRepository(host: context.host) }

    private func startPage(_ start: Start) {
        let screen = Screen(fragment: start.fragment)
        seek(start.fragment)
        context.change { state in
            state.shownLanguage = state.systemLanguage
            state.network = NetworkState(
                isConnected: start.connection.isConnected,
                connectionType: start.connection.type,
                arrivals: 0
            )
            state.screen = screen
            if start.isFocused {
                state.timings.add(Int64(start.timeToText) * 1000, to: .timeToText)
            }
        }
        if start.query == "?signed-out=untold" { context.say(.signOutUntold, tone: .warning) }
        if start.query == "?share=missed" { context.say(.shareMissed, tone: .warning) }
        if start.query == "?share=too-long" { context.say(.shareTooLong, tone: .warning) }
        if !start.query.isEmpty {
            context.host.navigate(to: utf8("/") + screen.fragment, replacing: true)
        }
    }

    /// The database has answered.
    private func opened(_ stored: SettingsRepository.Start?) {
        context.opened()
        if case .closed(let failure) = context.vault.condition, start?.role == .page {
            context.say(failure.text, tone: .error, about: .storage)
        }
        guard let stored else {
            context.change { $0.account = .signedOut }
            return showPage()
        }
        if start?.role == .page {
            // Text that was typed before the script listened is in no draft yet.
            context.host.readValue(of: .memo) { if !$0.isEmpty { self.drafts.typed() } }
            drafts.restore(stored.drafts)
            drafts.lookForShares()
            if let timings = stored.timings { restore(timings) }
        }
        restoreSealed(stored.account, stored.settings)
    }

    private func restore(_ timings: Record) {
        context.change { state in
            let now = state.timings
            state.timings = Timings(decoding: timings.body)
            for time in now.timeToText { state.timings.add(time, to: .timeToText) }
        }
    }

    /// Reads account and settings, and begins.
    private func restoreSealed(
        _ account: Record?,
        _ settings: Record?,
        _ then: @escaping () -> Void = {}
    ) {
        let sealed = [Thing.account.sealed(in: account), Thing.settings.sealed(in: settings)]
        context.vault.open(sealed) { opened in
            self.signIn.restore(account, opened[0].bytes)
            self.settings.restore(opened[1].bytes)
            self.begin()
            then()
        }
    }

    private func begin() {
        deliver()
        if isShowing { sharing.wake() }
        isShowing ? settings.showLanguage {} : showPage()
    }

    /// The language is known: everything gets its words.
    private func showPage() {
        guard start?.role == .page else { return }
        isShowing = true
        settings.showLanguage {
            self.views = Views(host: self.context.host, store: self.context.store)
            self.context.change { $0.isShown = true }
            self.context.host.registerWorker()
            self.waiting.look()
            self.sharing.begin()
            self.show(self.context.store.state.screen)
        }
    }

    /// Account or settings are others: another page, or the person there, changed them.
    ///
    /// - Parameter then: Called when they are read, or could not be.
    func restoreAgain(_ then: @escaping () -> Void) {
        settingsRepository.read {
            self.restoreSealed($0, $1, then)
        } orElse: {
            self.drain.wake()
            then()
        }
    }
}
