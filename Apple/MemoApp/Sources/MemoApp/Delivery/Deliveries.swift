import BackgroundTasks
import MemoCourier
import MemoDoors
import MemoKit
import MemoSharing
import Store

/// Delivers what is stored, while the app may run: in front, in the time that it gets when it leaves, and
/// in the tasks that the system grants.
///
/// 1. One courier works at a time. In another process's turn this one waits.
/// 2. Before the last time in the background is given back, the box is closed: no lock is held while
///    the app is suspended. A memo whose attempt is cut short is attempted again from its start.
/// 3. While a memo waits and somebody is signed in, both tasks are asked for when the app is suspended.
/// 4. What all devices of the person share is brought together after the memos: when the app comes to the
///    front or has a task, a person looks at the history, or a setting has changed.
/// 5. After each round the person is told of the memos that did not arrive, before the time is given back.
/// 6. Nothing is attempted while the key cannot be read, as before the first unlock, nor while nobody
///    is signed in. A locked telephone delivers.
@MainActor
final class Deliveries {
    /// The end of a courier's work.
    private enum End: Sendable {
        case done
        /// Another process delivers.
        case elsewhere
    }

    /// The wait for another process that delivers, in milliseconds.
    static let patience: Int64 = 2000
    /// The longest time that the main thread waits for the box to close, in milliseconds. The system
    /// leaves an app some seconds from the end of its time on.
    private static let closing = 3000

    private let box: BoxQueue
    private let client: RelayClient
    private let clock: AppClock
    private let changes: Store<UInt64>
    private let notices: FailureNotices
    /// The windows that are on the screen.
    private var windows: Set<ObjectIdentifier> = []
    private var isInFront: Bool { !windows.isEmpty }
    private var times: [BackgroundTime] = []
    private var work: Task<Void, Never>?
    /// A question for news that a person waits for.
    private var look: Task<Void, Never>?
    /// Whether there may be something that the courier, which is ending, has not seen.
    private var isCalled = false
    /// Whether the next round brings together what devices share.
    private var shares = true

    /// - Parameter changes: Counts up where news have come. The box itself counts the rest.
    init(
        box: BoxQueue,
        client: RelayClient,
        clock: AppClock,
        changes: Store<UInt64>,
        notices: FailureNotices
    ) {
        self.box = box
        self.client = client
        self.clock = clock
        self.changes = changes
        self.notices = notices
    }

    // MARK: Events

    /// The app is launching.
    func launched() {
        DeliveryRequests.register { [weak self] task in self?.granted(task) }
    }

    /// A window is about to be on the screen.
    func cameToFront(by window: ObjectIdentifier) {
        windows.insert(window)
        box.wake()
        for time in times { time.end() }
        times = []
        shares = true
        called()
    }

    /// A window is off the screen. With the last one the app has left. Does nothing for a window that was
    /// off the screen before.
    func left(_ window: ObjectIdentifier) {
        guard windows.remove(window) != nil, !isInFront else { return }
        look?.cancel()
        let time = BackgroundTime { [weak self] time in self?.expired(time) }
        times.append(time)
        if time.isOver {
            expired(time)
        } else if work == nil {
            rest()
        }
    }

    /// There may be something to deliver: a memo was stored, or somebody has signed in.
    func called() {
        isCalled = true
        begin()
    }

    /// What devices share may have changed: a setting here, or something elsewhere.
    func sharedChanged() {
        shares = true
        called()
    }

    /// A person has chosen one version of a setting that two devices have changed.
    ///
    /// - Parameters:
    ///   - question: The question that the person was shown.
    ///   - then: Called when the choice is stored and, if the relay can be reached, sent.
    func choose(
        _ choice: SharedBox.Choice,
        of question: SharedView.Question,
        then: @escaping @MainActor () -> Void
    ) {
        Task { [box, client, changes] in
            _ = await box.share(by: client) { shared throws(MemoError) in
                try shared.choose(choice, of: question)
            }
            changes.commit { $0 += 1 }
            then()
        }
    }

    /// Signs a device of the person out: it leaves the list at once, and the relay is told now, or when it can be
    /// reached.
    ///
    /// - Parameters:
    ///   - id: The relay's name of the device.
    ///   - then: Called with whether the relay knows; `nil` where nothing was changed.
    func revoke(_ id: [UInt8], then: @escaping @MainActor (Bool?) -> Void) {
        Task { [box, client, changes] in
            let end = await box.share(by: client) { shared throws(MemoError) in
                try shared.revoke(id)
                try shared.publish()
                changes.commit { $0 += 1 }
            }
            changes.commit { $0 += 1 }
            then(end.map { $0 == .done })
        }
    }

    /// A memo was stored beside this app's box, by a door in this process: it is delivered now, in front or
    /// in time that the app asks for.
    func storedBeside() {
        changes.commit { $0 += 1 }
        if !isInFront {
            let time = BackgroundTime { [weak self] time in self?.expired(time) }
            // A task was asked for, which delivers later.
            guard !time.isOver else { return }
            times.append(time)
            box.wake()
        }
        called()
    }

    /// A person looks at the history: asks the relay what became of sent memos.
    ///
    /// - Parameter then: Called when the answer is stored, or none has come.
    func looked(then: @escaping @MainActor () -> Void) {
        look?.cancel()
        sharedChanged()
        look = Task { [box, client, changes] in
            await Self.readNews(from: box, by: client)
            changes.commit { $0 += 1 }
            then()
        }
    }

    private func granted(_ task: BGTask) {
        // Now: a request counts once, and the system may kill the app at any moment.
        DeliveryRequests.submit()
        times.append(BackgroundTime(of: task) { [weak self] time in self?.expired(time) })
        box.wake()
        shares = true
        called()
    }

    /// The time is over: other time may go on.
    private func expired(_ time: BackgroundTime) {
        times.removeAll { $0 === time }
        if !isInFront, times.isEmpty {
            work?.cancel()
            DeliveryRequests.submit()
            box.sleep(within: .milliseconds(Self.closing))
        }
        time.end(isDone: false)
    }

    // MARK: Work

    private func begin() {
        guard work == nil, isInFront || !times.isEmpty else { return }
        isCalled = false
        let shares = shares
        self.shares = false
        work = Task { [weak self, box, client, notices] in
            let end = await Self.deliver(from: box, by: client)
            if shares, end == .done { _ = await box.share(by: client) }
            await notices.look { self?.isInFront ?? false }
            self?.ended(end)
        }
    }

    private func ended(_ end: End) {
        work = nil
        // News may have come.
        changes.commit { $0 += 1 }
        if isCalled {
            begin()
        } else if isInFront, end == .elsewhere {
            clock.after(Self.patience) { [weak self] in self?.begin() }
        } else {
            rest()
        }
    }

    /// Nothing is left to do for now: gives all time in the background back.
    private func rest() {
        guard !isInFront, !times.isEmpty else { return }
        box.later { box throws(MemoError) in
            guard try box.hasAccount() else { return false }
            return try box.outboxItems(limit: 1).first?.state == .queued
        } then: { [weak self] waits in
            guard let self, !isInFront, work == nil else { return }
            switch waits {
            case .success(false): DeliveryRequests.cancel()
            // Whether a memo waits cannot be read now: a task asks again.
            case .success(true), .failure: DeliveryRequests.submit()
            }
            let times = times
            self.times = []
            box.sleep { for time in times { time.end() } }
        }
    }

    private nonisolated static func readNews(from queue: BoxQueue, by client: RelayClient) async {
        // A box that does not open is told of by who reads the history.
        guard let box = try? await queue.box() else { return }
        await Courier(box: box, client: client).readNews()
    }

    private nonisolated static func deliver(
        from queue: BoxQueue,
        by client: RelayClient
    ) async -> End {
        do {
            let box = try await queue.box()
            guard try box.account() != nil else { return .done }
            let courier = Courier(box: box, client: client)
            let network = Task { await courier.followNetwork() }
            defer { network.cancel() }
            try await courier.deliver()
            await courier.readNews()
            return .done
        } catch {
            return error == .agentSilent ? .elsewhere : .done
        }
    }
}
