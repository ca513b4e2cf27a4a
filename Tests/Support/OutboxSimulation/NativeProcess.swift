import MemoCore
import Outbox
import OutboxCore
import OutboxTesting
import SimulatedBrowser

/// A program on a device: writes memos, and delivers them for as long as no other one does.
///
/// A dead one goes on running to its end, as tasks cannot be destroyed, but nothing that it does
/// reaches anything: its disk fails, its exchanges are cut, its words are not heard.
///
/// Confined to the scheduler's thread; only therefore `Sendable`.
final class NativeProcess: DeviceProcess, @unchecked Sendable {
    static let kind: OperationKind = "memo"

    let number: Int
    let device: NativeDevice
    private(set) var isAlive = true
    private(set) var outbox: Outbox<DeviceStorage>!
    private var draining: Task<Void, Never>?
    private var attempting: Set<OperationID> = []

    private var world: World { device.world }

    /// - Returns: `nil` when the store cannot be opened now.
    init?(number: Int, device: NativeDevice) {
        self.number = number
        self.device = device
        world.history.observe(.processStarted(name))
        do {
            outbox = Outbox(
                storage: try device.disk.open(for: self),
                keys: device.keys,
                lanePolicy: { [unowned world = device.world] in world.policy(of: $0) },
                clock: device.clock.clock,
                log: { [unowned self] in heard($0) }
            )
            world.history.note(name, "started")
        } catch {
            world.history.note(name, "cannot open the store: \(error)")
            return nil
        }
        guard isAlive else {
            outbox.storage.die()
            return nil
        }
    }

    /// Whether the store is open.
    var isOpen: Bool { outbox != nil }

    var name: String { "\(device.name).\(number)" }

    var connection: Connection { device.connection }

    func run() {
        draining = Task {
            while isAlive, !Task.isCancelled {
                do {
                    try await outbox.drain([Self.kind: { await self.attempt($0) }])
                } catch {
                    // Another process drains, or the disk fails.
                    if case .drainedElsewhere? = error as? OutboxError {
                        world.history.count(.drainedElsewhere)
                    }
                    await device.clock.clock.sleep(.seconds(600))
                }
            }
            guard isAlive else { return }
            isAlive = false
            outbox.storage.die()
            device.ended(self)
        }
    }

    func end() {
        world.history.count(.processEnded, name)
        draining?.cancel()
    }

    func die() {
        guard isAlive else { return }
        isAlive = false
        outbox?.storage.die()
        for id in attempting { world.history.observe(.attemptAbandoned(id)) }
        connection.cut(self)
        draining?.cancel()
        device.ended(self)
    }

    // MARK: What a person does

    func write(_ memo: WrittenMemo) {
        let history = world.history
        let id = OperationID(
            time: device.clock.wallTime,
            random: (world.random.next(), world.random.next())
        )
        memo.id = id
        world.wrote(memo)
        history.note(name, "memo \(memo.number) is sent")
        history.observe(.sendPressed(memo))
        do {
            try outbox.enqueue(
                kind: Self.kind,
                payload: try memo.body,
                id: id,
                orderingKey: world.orderingKey(of: memo)
            )
            guard isAlive else { return history.observe(.notAcknowledged(memo)) }
            history.note(name, "memo \(memo.number) is safe")
            history.observe(.acknowledged(memo))
            history.observe(.fileRead(id, true, by: name))
            ring()
        } catch {
            if error is KeyStoreError { history.count(.keyNotRead) }
            history.note(name, "memo \(memo.number) is not stored: \(error)")
            history.observe(.notAcknowledged(memo))
        }
    }

    /// Retries what is parked, or deletes it if the relay will never take it.
    func decide(deletingOnly: Bool) {
        do {
            let parked = try outbox.entries(in: .parked)
            let ids = parked.compactMap(\.id).filter { !deletingOnly || world.isHopeless($0) }
            guard let id = ids.randomElement(using: &world.random) else { return }
            if !deletingOnly, world.random.isTrue(200) {
                for id in parked.compactMap(\.id) { world.history.observe(.retrying(id)) }
                world.history.note(name, "retries everything")
                try outbox.retryAll()
                return ring()
            }
            if world.isHopeless(id), deletingOnly || world.random.isTrue(500) {
                world.history.observe(.deleting(id))
                world.history.note(name, "deletes \(world.name(of: id))")
                try outbox.delete(id)
                ring()
            } else {
                world.history.observe(.retrying(id))
                world.history.note(name, "retries \(world.name(of: id))")
                try outbox.retry(id)
                ring()
            }
        } catch {
            world.history.note(name, "cannot decide: \(error)")
        }
    }

    /// Tells the processes of the device that there is something to deliver.
    func ring() {
        for process in device.processes {
            if process !== self, world.happens(.ringMissed, name) { continue }
            world.scheduler.after(Milliseconds(Int64.random(in: 0...50, using: &world.random))) {
                if process.isAlive { process.outbox.wake() }
            }
        }
    }

    // MARK: Delivery

    private func attempt(_ operation: OutboxOperation) async -> DeliveryMachine.Outcome {
        guard isAlive else { return .retry("dead") }
        attempting.insert(operation.id)
        world.history.note(
            name,
            "attempts \(world.name(of: operation.id)), failed \(operation.attemptCount)"
        )
        world.history.observe(.attempted(operation.id, count: operation.attemptCount, by: name))
        let outcome = await outcome(of: operation)
        attempting.remove(operation.id)
        guard isAlive else { return outcome }
        world.history.note(name, "\(world.name(of: operation.id)): \(outcome)")
        world.history.observe(.attemptEnded(operation.id, Observation.AttemptEnd(outcome)))
        return outcome
    }

    private func outcome(of operation: OutboxOperation) async -> DeliveryMachine.Outcome {
        let id = world.sabotage == .newIdentifiers ? world.newID(at: device) : operation.id
        if world.sabotage == .removalBeforeSending {
            Task { _ = await world.exchange(.memo(id, operation.payload), from: self) }
            return .done
        }
        switch await world.exchange(.memo(id, operation.payload), from: self) {
        case .success(let reply):
            if world.sabotage == .believedStrangers, reply.status == 401 {
                return .park("stranger")
            }
            let outcome = reply.meaning.outcome(for: id, now: device.clock.wallTime)
            if world.sabotage == .countedWaits, case .retryAfter(_, let reason) = outcome {
                return .retry(reason)
            }
            return outcome
        case .failure(let failure):
            return failure.outcome
        }
    }

    private func heard(_ event: OutboxEvent) {
        guard isAlive else { return }
        if case .parked = event.change, let id = event.id {
            world.history.observe(.parked(id))
        }
        if case .queueNotRead = event.change, event.reason == "key.unreadable" {
            world.history.count(.keyNotRead)
        }
    }
}
