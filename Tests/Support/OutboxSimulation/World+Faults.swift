import Outbox
import OutboxCore
import OutboxTesting

/// The faults, and their times.
extension World {
    func has(_ fault: Fault) -> Bool { plan.faults.contains(fault) && !isHealed }

    /// Whether a fault happens to what is going on right now; counts it if so.
    func happens(_ fault: Fault, _ who: String) -> Bool {
        guard has(fault), random.isTrue(plan.permille) else { return false }
        history.count(fault, who)
        return true
    }

    func happen(_ fault: Fault) {
        guard has(fault), let device = devices.randomElement(using: &random) else { return }
        switch fault {
        case .processKilled: kill(device)
        case .powerCut: cutPower(device)
        case .relayKilled:
            lightStepFuse { [self] in
                guard relay.process != nil else { return }
                history.count(.relayKilled, "relay")
                relay.die()
            }
        case .processEnded: device.anyProcess?.end()
        case .offline:
            history.count(.offline, device.name)
            device.setOnline(false)
            scheduler.after(random.duration(upTo: .seconds(7200))) { device.setOnline(true) }
        case .clockMoved: moveClock(device.clock, fault, device.name)
        case .relayClockMoved:
            history.observe(.relayClockMoved)
            moveClock(relay.clock, fault, "relay")
        case .diskFull, .writesFailing, .readsFailing:
            history.count(fault, device.name)
            device.setDisk(fault)
            scheduler.after(random.duration(upTo: .seconds(3600))) { device.setDisk(nil) }
        case .keyUnavailable:
            history.count(fault, device.name)
            device.setKey(isThere: false)
            scheduler.after(random.duration(upTo: .seconds(3600))) { device.setKey(isThere: true) }
        case .relayStoreFailing:
            history.count(fault, "relay")
            isRelayStoreFailing = true
            scheduler.after(random.duration(upTo: .seconds(3600))) {
                self.isRelayStoreFailing = false
            }
        case .personActs:
            history.count(fault, device.name)
            device.decide(deletingOnly: false)
        default: preconditionFailure("\(fault) has no moment of its own")
        }
    }

    private func kill(_ device: any Device) {
        let body = { [self] (process: any DeviceProcess) in
            guard process.isAlive, !isHealed else { return }
            history.count(.processKilled, process.name)
            process.die()
        }
        if random.isTrue(700) {
            device.lightFuse(body)
        } else {
            lightStepFuse { device.anyProcess.map(body) }
        }
    }

    private func cutPower(_ device: any Device) {
        let body = { [self] (process: (any DeviceProcess)?) in
            guard !isHealed else { return }
            history.count(.powerCut, device.name)
            process?.die()
            device.cutPower()
        }
        if random.isTrue(700) { device.lightFuse(body) } else { lightStepFuse { body(nil) } }
    }

    private func moveClock(_ clock: SimulatedClock, _ fault: Fault, _ who: String) {
        let distance = random.duration(upTo: .seconds(10 * 365 * 86_400))
        let move = random.isTrue(500) ? distance : Milliseconds(-distance.count)
        history.count(fault, who, "by \(move.count) ms")
        clock.moveWallTime(by: move)
    }

    /// Lets `body` happen between two steps soon.
    private func lightStepFuse(_ body: @escaping () -> Void) {
        stepFuse = (Int.random(in: 1...60, using: &random), body)
    }

    func burn() {
        guard let (steps, body) = stepFuse else { return }
        stepFuse = steps > 1 ? (steps - 1, body) : nil
        if steps <= 1, !isHealed { body() }
    }

    /// The course of a relay's transaction: time passes, the store fails, the process dies.
    func disturbRelay(isAlive: () -> Bool) async throws {
        await scheduler.sleep(Milliseconds(Int64.random(in: 0...5, using: &random)))
        guard isAlive() else { throw StorageError.failed(code: 5) }
        guard isRelayStoreFailing else { return }
        let errors: [StorageError] = [.diskFull, .busy, .failed(code: 10)]
        if random.isTrue(200) {
            history.count(.relayStoreFailed)
            throw errors.randomElement(using: &random)!
        }
        if random.isTrue(100) {
            history.count(.relayStoreFailed)
            let access: RelayDatabase.Part.Access = random.isTrue(500) ? .reading : .writing
            let error = errors.randomElement(using: &random)!
            for part in relay.database.parts { part.failNext(1, access, with: error) }
        }
    }
}
