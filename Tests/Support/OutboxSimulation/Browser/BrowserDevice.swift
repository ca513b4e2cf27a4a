import MemoCore
import MemoSyncCore
import OutboxCore
import OutboxTesting
import RelayServer
import SimulatedBrowser
import SyncCore
import WebClient

/// A machine on which the person uses the web app: a browser with pages and a service worker, which
/// share one database.
///
/// Confined to the scheduler's thread; only therefore `Sendable`.
final class BrowserDevice: Device, @unchecked Sendable {
    let number: Int
    unowned let world: World
    let clock: SimulatedClock
    let connection: Connection
    let browser: Browser
    private(set) var processes: [PageProcess] = []
    var unwritten: [WrittenMemo] = []
    /// The memos whose texts the person has typed, or found in a field.
    var typed: [WrittenMemo] = []
    /// The memos that the person has asked to send, and whose fields are not empty yet.
    var pressed: [(process: PageProcess, memo: WrittenMemo)] = []
    private var condition: Fault?
    private var isPowered = true
    private var hasAccount = false
    /// The event at a later turn of a page, and the number of turns before it.
    private var fuse: (turns: Int, body: (any DeviceProcess) -> Void)?
    private var sync = BackgroundSync()
    /// The records that were not opened for want of the key, as far as they are counted.
    private var unopened = 0
    private var known = BrowserRecords.Known()
    /// The versions of the shared records at the last look of a saboteur.
    private var versions: [RecordKey: UInt64] = [:]

    init(number: Int, world: World, identity: AuthenticatedDevice) {
        self.number = number
        self.world = world
        connection = Connection(identity: identity, history: world.history)
        clock = SimulatedClock(scheduler: world.scheduler, seed: world.random.next())
        browser = Browser(seed: world.random.next())
        browser.flaw = world.sabotage.flatMap(\.flaw)
        browser.network = self
        browser.events.failure = { [unowned self] in failure(isWriting: $0) }
        browser.events.written = { [unowned self] in observe(afterPowerCut: false) }
        browser.events.isRingLost = { [unowned self] in self.world.happens(.ringMissed, name) }
    }

    var name: String { "browser \(number)" }

    // MARK: Processes

    func start() {
        if !hasAccount { signIn() }
        for number in 0..<world.plan.processesPerDevice { open(number) }
    }

    /// Signing in is outside of the simulated world: the first page does it before anything happens.
    private func signIn() {
        setTime()
        let page = browser.open()
        page.signIn(as: World.address)
        hasAccount = true
        add(PageProcess(page, .page, number: 0, of: self))
    }

    /// Opens a page, unless one with this number is open already.
    private func open(_ number: Int) {
        guard isPowered, !world.isOver,
            !processes.contains(where: { $0.role == .page && $0.number == number })
        else { return }
        setTime()
        if world.sabotage == .forgottenRefusals { dropChanges { $1.state == .refused } }
        let page = browser.open(isOnline: connection.isOnline, settling: false)
        add(PageProcess(page, .page, number: number, of: self))
    }

    private func add(_ process: PageProcess) {
        processes.append(process)
        if process.role == .page { process.lookedAt() }
        arrange()
    }

    func ended(_ process: PageProcess) {
        processes.removeAll { $0 === process }
        forget(process)
        guard !world.isOver else { return }
        arrange()
        guard process.role == .page else { return }
        world.scheduler.after(world.random.duration(upTo: .seconds(300))) {
            self.open(process.number)
        }
    }

    func end() {
        for process in processes { process.die() }
    }

    func cutPower() {
        guard isPowered else { return }
        isPowered = false
        end()
        world.history.count(.writeDropped, times: browser.cutPower())
        observe(afterPowerCut: true)
        world.observeDisk(self)
        world.scheduler.after(world.random.duration(upTo: .seconds(3600))) { self.powerOn() }
    }

    private func powerOn() {
        isPowered = true
        if !world.isOver { start() }
    }

    func heal() {
        condition = nil
        fuse = nil
        setKey(isThere: true)
        end()
        setOnline(true)
        powerOn()
    }

    // MARK: Time

    func setTime() {
        browser.monotonicTime = Double(world.scheduler.now.count)
        browser.wallTime = Double(clock.wallTime.millisecondsSinceEpoch)
    }

    /// Something has happened to a page, and perhaps to others.
    func arrange() {
        for process in processes { process.arrange() }
    }

    /// A page has had a turn.
    func stepped() {
        look()
        let count = browser.unopened - unopened
        if count > 0 { world.history.count(.keyNotRead, times: count) }
        unopened = browser.unopened
        seeToSync()
        arrange()
    }

    // MARK: Faults

    var anyProcess: (any DeviceProcess)? { processes.randomElement(using: &world.random) }

    func lightFuse(_ body: @escaping (any DeviceProcess) -> Void) {
        fuse = (Int.random(in: 1...60, using: &world.random), body)
    }

    /// The process is about to have a turn.
    func burn(at process: PageProcess) {
        guard let (turns, body) = fuse else { return }
        fuse = turns > 1 ? (turns - 1, body) : nil
        if turns <= 1 { body(process) }
    }

    func setOnline(_ isOnline: Bool) {
        guard connection.setOnline(isOnline, name) else { return }
        for process in processes { process.page.tellNetwork(isOnline) }
        seeToSync()
        arrange()
    }

    func setDisk(_ condition: Fault?) { self.condition = condition }

    func setKey(isThere: Bool) { browser.isKeyAway = !isThere }

    private func failure(isWriting: Bool) -> String? {
        guard hasAccount else { return nil }
        switch condition {
        case .diskFull where isWriting:
            world.history.count(.refusedForRoom)
            return "QuotaExceededError"
        case .writesFailing where isWriting && world.random.isTrue(world.plan.permille):
            world.history.count(.writeFailed)
            return "UnknownError"
        case .readsFailing where !isWriting && world.random.isTrue(world.plan.permille):
            world.history.count(.readFailed)
            return "UnknownError"
        default: return nil
        }
    }

    // MARK: What is stored

    var records: BrowserRecords { BrowserRecords(browser, known: &known) }

    private func observe(afterPowerCut: Bool) {
        if world.sabotage == .pullsOverChanges { dropOverpulled() }
        let records = self.records
        for memo in records.memos {
            typed.first { $0.id == nil && $0.text == memo.text.whole }?.id = memo.id
            world.history.mix(memo.description.utf8)
        }
        world.history.count { $0.diskOperations += 1 }
        world.history.observe(.stored(records, on: name, afterPowerCut: afterPowerCut))
    }

    var shared: SharedFound? {
        var settings: [String: String] = [:]
        var devices: [String] = []
        for record in records.shared {
            if record.key == .settings {
                for field in record.base?.fields ?? [] where !field.value.isEmpty {
                    settings[String(decoding: field.name, as: UTF8.self)] =
                        String(decoding: field.value, as: UTF8.self)
                }
            } else if record.fields.flatMap({ SharedDevice(record.key, $0) }) != nil {
                devices.append(String(decoding: record.key.id, as: UTF8.self))
            }
        }
        return SharedFound(settings: settings, devices: devices.sorted())
    }

    /// The changes of what all devices share that the relay has not confirmed, in a state.
    func changes(_ isMeant: (SyncChange.State) -> Bool) -> [(record: RecordKey, SyncChange)] {
        records.shared.flatMap { record in
            record.changes.filter { isMeant($0.state) }.map { (record.key, $0) }
        }
    }

    var isShared: Bool {
        changes { $0 != .accepted && $0 != .refused }.isEmpty
            && shared == world.relay.database.shared
    }

    /// Memos that are about to be stored count, too, and those that were parked while no page could
    /// read the account: the next page that reads it requeues them.
    var queued: Int {
        let places = browser.rows(.outbox).values.map { BrowserRecords.place($0.head) }
        return pressed.count
            + places.count { $0 == .queued || $0 == .parked(.unauthorized) }
    }

    func place(of id: OperationID) -> Observation.OnDevice? {
        browser.rows(.outbox)[id.bytes].flatMap { BrowserRecords.place($0.head) }
    }

    var allBytes: [[UInt8]] { browser.allBytes }

    /// Sabotage: drops what waits of the records that have a newer row than at the last look.
    private func dropOverpulled() {
        dropChanges { record, change in
            guard change.state != .accepted, let base = record.base,
                let version = versions[record.key]
            else { return false }
            return base.version > version
        }
        for record in records.shared { versions[record.key] = record.base?.version ?? 0 }
    }

    // MARK: The service worker

    /// What pages have asked the browser for, so that a service worker goes on without them.
    private struct BackgroundSync {
        /// The calls of the worker that are left; the browser gives up after the third.
        var calls = 0
        var isPlanned = false
        var number: UInt32 = 0
    }

    private func seeToSync() {
        for process in processes where process.page.syncTags > process.seenSyncs {
            process.seenSyncs = process.page.syncTags
            sync.calls = 3
        }
        if let worker, let isDone = worker.page.finished[sync.number] {
            worker.page.finished[sync.number] = nil
            world.history.note(worker.name, isDone ? "is done" : "is not done")
            if isDone { sync.calls = 0 }
            endLater(worker, within: .seconds(30))
        }
        guard sync.calls > 0, !sync.isPlanned, connection.isOnline else { return }
        sync.isPlanned = true
        let wait: Milliseconds = sync.calls == 3 ? .seconds(5) : .seconds(300)
        world.scheduler.after(world.random.duration(upTo: wait)) { self.wakeWorker() }
    }

    private var worker: PageProcess? { processes.first { $0.role == .worker } }

    private func wakeWorker() {
        sync.isPlanned = false
        guard isPowered, !world.isOver, connection.isOnline, sync.calls > 0 else { return }
        sync.calls -= 1
        sync.number += 1
        if worker == nil {
            setTime()
            let page = browser.open(.worker, settling: false)
            add(PageProcess(page, .worker, number: 0, of: self))
        }
        guard let worker else { return }
        worker.page.tellSync(sync.number)
        endLater(worker, within: .seconds(300))
        arrange()
    }

    /// A browser ends a worker that is done, or that takes long.
    private func endLater(_ worker: PageProcess, within longest: Milliseconds) {
        world.scheduler.after(world.random.duration(upTo: longest)) { worker.die() }
    }
}

extension BrowserDevice: Network {
    func take(
        _ request: NetworkRequest,
        of page: Page,
        _ answered: @escaping (Result<NetworkAnswer, NetworkFailure>) -> Void
    ) {
        guard let process = processes.first(where: { $0.page === page }),
            let call = RelayCall(request)
        else {
            // Signing in is outside of the simulated world.
            let isThere = !hasAccount || connection.isOnline
            return answered(
                isThere ? .success(browser.relay.answer(to: request)) : .failure(.unreachable)
            )
        }
        process.call(call, answered)
    }
}

extension Sabotage {
    fileprivate var flaw: Browser.Flaw? {
        switch self {
        case .tornTransactions: .tornTransactions
        case .sharedLocks: .sharedLocks
        case .hastyField: .hastyField
        case .relaxedDisk: .relaxedDisk
        case .clearRecords: .clearRecords
        default: nil
        }
    }
}
