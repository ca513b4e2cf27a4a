import MemoCore
import OutboxCore
import OutboxTesting
import RelayRules
import SimulatedBrowser
import WebClient
import WireCore

/// A page, or the service worker, of a browser in the world. Its turns and timers are events of the
/// world's scheduler.
///
/// Confined to the scheduler's thread; only therefore `Sendable`.
final class PageProcess: DeviceProcess, @unchecked Sendable {
    let page: Page
    let role: Page.Role
    let number: Int
    let name: String
    unowned let device: BrowserDevice
    private(set) var isAlive = true
    /// Whether the person is at another screen than that of the field.
    var isElsewhere = false
    /// The background syncs that the page has asked for, as far as they are seen.
    var seenSyncs = 0
    /// How often the person has looked at the page.
    private var looks = 0
    private var hasTurn = false
    private var alarm: (due: Double, timer: SimulatedTimer)?
    private var attempting: [OperationID] = []
    private var answers: [Int: (Result<NetworkAnswer, NetworkFailure>) -> Void] = [:]
    private var calls = 0

    var world: World { device.world }

    init(_ page: Page, _ role: Page.Role, number: Int, of device: BrowserDevice) {
        self.page = page
        self.role = role
        self.number = number
        self.device = device
        name = role == .page ? "\(device.name).\(number)" : "\(device.name).worker"
        world.history.observe(.processStarted(name))
        world.history.note(name, "started")
    }

    var connection: Connection { device.connection }

    // MARK: The person

    /// The person looks at the page, and at something else after a while: only a page in sight asks the
    /// relay for news.
    func lookedAt() {
        if looks > 0 { page.tellVisible(true) }
        looks += 1
        let look = looks
        world.scheduler.after(world.random.duration(upTo: .seconds(60))) {
            guard self.isAlive, self.looks == look else { return }
            self.page.tellVisible(false)
            self.device.arrange()
        }
    }

    // MARK: The end

    func end() {
        world.history.count(.processEnded, name)
        page.tellVisible(false)
        device.arrange()
        world.scheduler.after(Milliseconds(Int64.random(in: 0...50, using: &world.random))) {
            self.die()
        }
    }

    func die() {
        guard isAlive else { return }
        isAlive = false
        alarm?.timer.cancel()
        answers.removeAll()
        device.browser.kill(page)
        for id in attempting { world.history.observe(.attemptAbandoned(id)) }
        connection.cut(self)
        device.ended(self)
    }

    // MARK: Time

    /// Sees to the next turn, if there is something to do, and to the next timer.
    func arrange() {
        if page.isBusy, !hasTurn {
            hasTurn = true
            let wait = Milliseconds(Int64.random(in: 0...2, using: &world.random))
            world.scheduler.after(wait) { self.turn() }
        }
        let next = page.nextTimer
        guard next?.due != alarm?.due else { return }
        alarm?.timer.cancel()
        alarm = next.map { next in
            let wait = Milliseconds(max(0, Int64(next.due) - world.scheduler.now.count))
            return (next.due, world.scheduler.after(wait) { self.wakeUp() })
        }
    }

    private func turn() {
        hasTurn = false
        guard isAlive else { return }
        device.burn(at: self)
        guard isAlive else { return }
        device.setTime()
        device.browser.step(page)
        device.stepped()
    }

    private func wakeUp() {
        alarm = nil
        guard isAlive else { return }
        while let next = page.nextTimer, Int64(next.due) <= world.scheduler.now.count {
            page.fire(next.timer)
        }
        device.arrange()
    }

    // MARK: The relay

    func call(
        _ call: RelayCall,
        _ answered: @escaping (Result<NetworkAnswer, NetworkFailure>) -> Void
    ) {
        if case .memo(let id, _) = call { attempt(id) }
        calls += 1
        let number = calls
        answers[number] = answered
        Task {
            let sent = spoiled(call)
            let result = spoiled(await world.exchange(sent, from: self), to: sent)
            let answered = answers.removeValue(forKey: number)
            guard isAlive, let answered else { return }
            if case .memo(let id, _) = call { ended(id, result) }
            if world.sabotage == .droppedAnswers, world.random.isTrue(250) { return }
            answered(result.mapError { $0 == .timedOut ? .timedOut : .unreachable })
            device.arrange()
        }
    }

    private func attempt(_ id: OperationID) {
        let head = device.browser.rows(.outbox)[id.bytes]?.head ?? []
        let count = BrowserRecords.envelope(head)?.attemptCount ?? 0
        attempting.append(id)
        world.history.note(name, "attempts \(world.name(of: id)), failed \(count)")
        world.history.observe(.attempted(id, count: count, by: name))
    }

    private func ended(_ id: OperationID, _ result: Exchange.Result) {
        attempting.removeAll { $0 == id }
        let outcome =
            switch result {
            case .success(let answer):
                answer.meaning.outcome(for: id, now: device.clock.wallTime)
            case .failure(let failure): failure.outcome
            }
        world.history.note(name, "\(world.name(of: id)): \(outcome)")
        world.history.observe(.attemptEnded(id, Observation.AttemptEnd(outcome)))
    }
}

extension RelayCall {
    /// `nil` for a request of a sign-in.
    init?(_ request: NetworkRequest) {
        let memos = RelayPath.memos.bytes + [0x2F]
        let devices = RelayPath.devices.bytes + [0x2F]
        let (path, cursor) = (Array(request.path.utf8), RelayPath.cursorQuery.bytes)
        if request.method == "PUT", path.starts(with: memos) {
            guard let id = OperationID(text: path.dropFirst(memos.count)) else { return nil }
            self = .memo(id, request.body)
        } else if path.starts(with: RelayPath.changes.bytes) {
            let rest = path.dropFirst(RelayPath.changes.bytes.count)
            let after = rest.starts(with: cursor) ? rest.dropFirst(cursor.count) : []
            self = .accountChanges(
                after: after.isEmpty ? nil : String(decoding: after, as: UTF8.self)
            )
        } else if request.method == "PUT", path == RelayPath.settings.bytes {
            let tag = request.condition.value.filter(\.isNumber)
            self = .changeSettings(request.body, madeOn: Int64(tag) ?? 0)
        } else if request.method == "POST", path == RelayPath.settingsAnswer.bytes {
            self = .settingsAnswer(request.body)
        } else if request.method == "GET", path == RelayPath.devices.bytes {
            self = .devices
        } else if request.method == "DELETE", path.starts(with: devices),
            let id = OperationID(text: path.dropFirst(devices.count))
        {
            self = .revoke(DeviceID(bits: id))
        } else {
            return nil
        }
    }
}
