import Outbox
import OutboxCore
import OutboxTesting
import RelayAPI
import RelayRules
import RelayServer

/// Devices, network, relay, provider and inbox in one process, under one seed.
///
/// For a while memos are written and faults happen. Then the world heals, and must come to rest.
///
/// Confined to the scheduler's thread; only therefore `Sendable`.
final class World: @unchecked Sendable {
    static let address = "somebody@inbox.example"
    static let relayAddress = MailAddress("memo@relay.example")!

    let sabotage: Sabotage?
    let scheduler: SimulatedScheduler
    let plan: Plan
    let history: History
    /// Whatever happens by chance, but for the order of what is ready at once.
    var random: SeededRandom
    private(set) var devices: [any Device] = []
    private(set) var relay: RelayHost!
    private(set) var provider: MailProvider!
    /// From here on there are no faults.
    private(set) var isHealed = false
    /// From here on nothing is started.
    private(set) var isOver = false
    private var numbers = 0
    /// The sent memos, in the order of sending.
    var written: [WrittenMemo] = []
    var isRelayStoreFailing = false
    /// The event between two later steps, and the number of steps before it.
    var stepFuse: (steps: Int, body: () -> Void)?

    init(seed: UInt64, sabotage: Sabotage?, keepsLines: Bool) {
        self.sabotage = sabotage
        var random = SeededRandom(seed: seed)
        let scheduler = SimulatedScheduler(seed: random.next())
        plan = Plan(seed: seed, &random)
        self.random = random
        self.scheduler = scheduler
        history = History(keepsLines: keepsLines, checkers: allCheckers()) { scheduler.now }
        provider = MailProvider(world: self)
        relay = RelayHost(world: self)
        let account = AccountID(bits: OperationID(high: 1, low: 1))
        devices = (0..<plan.devices).map { number in
            let identity = identity(2, number, account)
            return plan.platform == .browser
                ? BrowserDevice(number: number, world: self, identity: identity)
                : NativeDevice(number: number, world: self, identity: identity)
        }
        for device in devices { signIn(device.connection.identity, named: device.name) }
        for number in 0..<plan.formerDevices {
            signIn(identity(3, number, account), named: "\(Self.formerDevice) \(number)")
        }
        scheduler.beforeStep = { [unowned self] in burn() }
    }

    /// The name of a device that nobody uses any more begins so.
    static let formerDevice = "former device"

    private func identity(_ kind: UInt64, _ number: Int, _ account: AccountID)
        -> AuthenticatedDevice
    {
        AuthenticatedDevice(
            id: DeviceID(bits: OperationID(high: kind, low: UInt64(number))),
            account: account,
            address: MailAddress(Self.address)!,
            isRevoked: false
        )
    }

    private func signIn(_ device: AuthenticatedDevice, named name: String) {
        do {
            try relay.database.signIn(device, named: name, at: relay.clock.wallTime)
        } catch {
            preconditionFailure("tables in memory do not fail: \(error)")
        }
    }

    /// Runs until the world is at rest.
    func run() {
        prepare()
        scheduler.run(until: plan.troubledTime)
        scheduler.after(Milliseconds(plan.troubledTime.count - scheduler.now.count)) { self.heal() }
        let end = Milliseconds(plan.troubledTime.count + Self.restWithin.count)
        scheduler.run(until: end) { !isOver }
        if !isOver { scheduler.after(Milliseconds(0)) { self.finish() } }
        scheduler.run(until: Milliseconds(end.count + Self.restWithin.count))
        history.conclude()
        history.count { $0.steps = scheduler.steps }
    }

    /// The longest that anything waits once nothing goes wrong any more: a wait that a server asked
    /// for, then the longest between two attempts of a mail, and as long again as many memos may
    /// take that pass the relay's limits one minute's worth at a time.
    private static let restWithin = Milliseconds(
        RetryPolicy.device.longestWait(for: .server).count
            + RetryPolicy.mail.longestWait(for: .backoff).count + 2 * 3_600_000
    )

    // MARK: Life

    private func prepare() {
        writeMemos()
        editSettings()
        scheduler.after(Milliseconds(0)) { self.relay.start() }
        for device in devices { scheduler.after(Milliseconds(0)) { device.start() } }
        for fault in Fault.momentary where has(fault) {
            for _ in 0..<Int.random(in: 1...plan.mostMoments, using: &random) {
                let time = Int64.random(in: 0...plan.troubledTime.count, using: &random)
                scheduler.after(Milliseconds(time)) { self.happen(fault) }
            }
        }
    }

    /// The number of another memo.
    func newNumber() -> Int {
        numbers += 1
        return numbers
    }

    private func editSettings() {
        for device in devices {
            for _ in 0..<plan.editsPerDevice {
                let time = Int64.random(in: 0...plan.troubledTime.count, using: &random)
                let isSignOut = random.isTrue(150)
                scheduler.after(Milliseconds(time)) {
                    isSignOut ? device.signOutFormer() : device.edit()
                }
            }
        }
    }

    private func writeMemos() {
        for (index, device) in devices.enumerated() {
            for _ in 0..<plan.memosPerDevice {
                let lane =
                    plan.lanes.isEmpty || random.isTrue(250)
                    ? nil : plan.lanes.indices.randomElement(using: &random)
                device.unwritten.append(
                    WrittenMemo(
                        number: newNumber(),
                        device: index,
                        lane: lane.map { ($0, plan.lanes[$0]) },
                        isRefusedByRelay: has(.memoRefused) && random.isTrue(200),
                        length: random.isTrue(50) ? 400 : Int.random(in: 0...8, using: &random),
                        isRefusedByProvider: has(.mailRefused) && random.isTrue(150),
                        platform: plan.platform
                    )
                )
                let time = Int64.random(in: 0...plan.troubledTime.count, using: &random)
                scheduler.after(Milliseconds(time)) { device.write() }
            }
        }
    }

    /// Ends all faults and starts everything anew, as a person would who finds it all switched off.
    private func heal() {
        isHealed = true
        isRelayStoreFailing = false
        for part in relay.database.parts { part.recover() }
        stepFuse = nil
        history.note("world", "heals")
        history.observe(.healed)
        relay.start()
        for device in devices {
            device.heal()
            device.write()
        }
        look()
    }

    /// Looks now and then whether all is done. What the relay will never take the person deletes.
    private func look() {
        let queued = queued
        let isDone = queued.onDevices + queued.atRelay == 0
        if isDone, devices.allSatisfy(\.isShared) { return finish() }
        for device in devices { device.decide(deletingOnly: true) }
        scheduler.after(.seconds(300)) { [self] in
            if !isOver { look() }
        }
    }

    private var queued: (onDevices: Int, atRelay: Int) {
        let onDevices = devices.reduce(0) { $0 + $1.queued }
        let atRelay = (try? relay.database.mails.counts().queued) ?? 1
        return (onDevices, atRelay)
    }

    /// Tells the checkers how everything stands, and ends all processes.
    private func finish() {
        isOver = true
        let queued = queued
        history.observe(.rested(queuedOnDevices: queued.onDevices, queuedAtRelay: queued.atRelay))
        observeRelay()
        for device in devices {
            observeDisk(device)
            if let shared = device.shared { history.observe(.shares(shared, on: device.name)) }
        }
        history.observe(.sharesAtRelay(relay.database.shared))
        Task {
            for memo in written { await find(memo) }
            for device in devices { device.end() }
            relay.die()
        }
    }

    private func find(_ memo: WrittenMemo) async {
        let device = devices[memo.device]
        let onDevice = memo.id.flatMap { device.place(of: $0) }
        var status: DeliveryStatus?
        if let id = memo.id {
            status = await relay.process?.status(of: id, for: device.connection.identity)
        }
        history.observe(.found(memo, onDevice, status: status))
    }
}
