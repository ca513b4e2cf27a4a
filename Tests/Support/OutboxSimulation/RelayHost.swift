import MemoCore
import Outbox
import OutboxCore
import OutboxTesting
import RelayServer

/// The machine that the relay runs on: its disk, its clock, and one process after another.
///
/// Confined to the scheduler's thread; only therefore `Sendable`.
final class RelayHost: @unchecked Sendable {
    unowned let world: World
    let clock: SimulatedClock
    let keys = MemoryKeyStore(keys: [.random()])
    private(set) var database = RelayDatabase()
    private(set) var process: RelayProcess?
    private var acknowledged: Set<OperationID> = []

    init(world: World) {
        self.world = world
        clock = SimulatedClock(scheduler: world.scheduler, seed: world.random.next())
    }

    /// The relay's secret, always the same; a saboteur's relay makes another one each time.
    func secret() -> RelaySecret {
        let number = world.sabotage == .newMessageIDs ? world.random.next() : 0
        return RelaySecret(bytes: (0..<32).map { UInt8(truncatingIfNeeded: number >> $0) })
    }

    func start() {
        guard process == nil, !world.isOver else { return }
        let process = RelayProcess(host: self)
        self.process = process
        process.run()
        world.history.note("relay", "started")
    }

    /// Ends the process in the middle of whatever it does; another one is started later.
    func die() {
        guard let process else { return }
        self.process = nil
        database = RelayDatabase(left: database)
        world.observeRelay()
        process.die()
        world.scheduler.after(world.random.duration(upTo: .seconds(1800))) { self.start() }
    }

    /// The relay has answered that it holds the memo.
    func hasAcknowledged(_ id: OperationID) {
        if !acknowledged.insert(id).inserted { world.history.count(.acknowledgementRepeated) }
        world.history.observe(.accepted(id))
    }

    /// Takes a request from the network.
    func receive(
        _ call: RelayCall,
        from device: AuthenticatedDevice,
        _ answer: @escaping (Exchange.Result) -> Void
    ) {
        guard let process else { return answer(.failure(.unreachable)) }
        if case .memo(let id, let body) = call {
            world.history.observe(.requested(id, body: body))
        }
        process.receive(call, from: device, answer)
    }
}
