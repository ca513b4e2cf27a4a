import Logging
import MemoCore
import Outbox
import OutboxCore
import OutboxTesting
import RelayAPI
import RelayRules
import RelayServer
import SimulatedBrowser
import WireCore

/// A process of the relay: its services over the host's database.
///
/// Confined to the scheduler's thread; only therefore `Sendable`.
final class RelayProcess: @unchecked Sendable {
    private let host: RelayHost
    private let store: SimulatedRelayStore
    private let service: MemoService<SimulatedRelayStore>
    private let changes: ChangesService<SimulatedRelayStore>
    private let settings: SettingsService<SimulatedRelayStore>
    private let life: Life
    private var draining: Task<Void, Never>?
    private var answers: [Int: (Exchange.Result) -> Void] = [:]
    private var requests = 0

    /// Whether the process is alive. The store, too, must know it.
    private final class Life: @unchecked Sendable {
        var isAlive = true
    }

    var isAlive: Bool { life.isAlive }

    init(host: RelayHost) {
        self.host = host
        unowned let world = host.world
        let life = Life()
        let secret = host.secret()
        store = SimulatedRelayStore(
            secret: secret,
            database: host.database,
            keys: host.keys,
            clock: host.clock.clock,
            disturbance: { try await world.disturbRelay(isAlive: { life.isAlive }) },
            newOperationID: { world.newRelayID() },
            forgets: world.sabotage == .forgetfulRelay || world.sabotage == .newMessageIDs,
            committed: { write in
                switch write {
                case .settings(let settings, _, _):
                    world.history.observe(.settingsChanged(settings))
                case .revoke(let device, _):
                    world.history.observe(.signedOut(device: Array("\(device.bits)".utf8)))
                default: break
                }
            }
        )
        service = MemoService(
            store: store,
            secret: secret,
            renderer: MailRenderer(from: World.relayAddress),
            limits: world.plan.limits,
            reserve: .none,
            clock: { host.clock.wallTime }
        )
        changes = ChangesService(store: store, secret: secret)
        settings = SettingsService(
            store: store,
            secret: secret,
            reserve: .none,
            clock: { host.clock.wallTime }
        )
        self.life = life
    }

    func run() {
        let delivery = MailDelivery(
            transport: SimulatedTransport(process: self, provider: host.world.provider),
            expiry: MailExpiry(policy: .mail),
            rules: VerificationRules(),
            activity: MailActivity(since: host.clock.wallTime),
            clock: { [clock = host.clock] in clock.wallTime },
            logger: Logger(label: "relay") { _ in SwiftLogNoOpLogHandler() }
        )
        if host.world.sabotage == .relayThatStops, host.world.isHealed { return }
        draining = Task {
            do {
                try await store.deliver(delivery.handlers)
            } catch {
                preconditionFailure("a relay's process drains a queue of its own: \(error)")
            }
        }
    }

    func die() {
        life.isAlive = false
        draining?.cancel()
        let answers = answers
        self.answers = [:]
        for (_, answer) in answers.sorted(by: { $0.key < $1.key }) {
            answer(.failure(.connectionLost))
        }
    }

    func receive(
        _ call: RelayCall,
        from device: AuthenticatedDevice,
        _ answer: @escaping (Exchange.Result) -> Void
    ) {
        requests += 1
        let number = requests
        answers[number] = answer
        Task {
            let reply = await reply(to: call, from: device)
            guard let answer = answers.removeValue(forKey: number) else { return }
            let world = host.world
            switch call {
            case .memo(let id, _):
                world.history.note("relay", "\(world.name(of: id)): \(reply.status)")
                if reply.status == 202 { host.hasAcknowledged(id) }
            case .changes, .accountChanges:
                world.history.note("relay", "changes: \(reply.status)")
            case .changeSettings, .settingsAnswer, .devices, .revoke:
                world.history.note("relay", "shared: \(reply.status)")
            }
            answer(.success(reply))
        }
    }

    func status(of id: OperationID, for device: AuthenticatedDevice) async -> DeliveryStatus? {
        try? await service.status(of: id, for: device).status
    }

    /// The answer of the controller and the middleware around it to a request, without HTTP.
    private func reply(
        to call: RelayCall,
        from device: AuthenticatedDevice
    ) async -> NetworkAnswer {
        do {
            switch call {
            case .memo(let id, let body):
                let memo = try RelayJSON.decode(MemoRequest.self, from: body)
                guard !host.world.isRefusedByRelay(memo.text) else { throw Refusal.tooLarge }
                let answer = try await service.accept(memo, as: id, from: device, networks: [])
                return NetworkAnswer(
                    status: 202,
                    contentType: RelayMediaType.json.bytes,
                    body: answer.body
                )
            case .changes(let cursor):
                return NetworkAnswer(
                    status: 200,
                    contentType: RelayMediaType.json.bytes,
                    body: try RelayJSON.encode(
                        await service.changes(after: cursor, for: device)
                    )
                )
            case .accountChanges(let cursor):
                return try answer(await changes.changes(after: cursor, for: device))
            case .changeSettings(let body, let version):
                let change = try RelayJSON.decode(SettingsRequest.self, from: body)
                guard !change.fields.values.contains(where: SharedEdit.isRefused) else {
                    throw Refusal.tooLarge
                }
                let told = try await settings.change(change, madeOn: version, of: device)
                return try answer(told, status: told.answer.status)
            case .settingsAnswer(let body):
                let question = try RelayJSON.decode(ChangeIdentity.self, from: body)
                return try answer(await settings.answer(to: question, of: device.account))
            case .devices:
                let devices = try await store.devices(of: device.account)
                return try answer(DeviceList(devices, askedBy: device.id))
            case .revoke(let id):
                let now = host.clock.wallTime
                let version = try await store.revoke(id, of: device.account, at: now)
                guard let version else { throw Refusal.notFound }
                return NetworkAnswer(
                    status: 204,
                    relayTime: relayTime,
                    relayVersion: decimal(version)
                )
            }
        } catch let refusal as Refusal {
            return problem(refusal)
        } catch is StorageError {
            return problem(.unavailable)
        } catch {
            return problem(.internalError)
        }
    }

    private var relayTime: [UInt8] { decimal(host.clock.wallTime.millisecondsSinceEpoch) }

    private func answer(_ content: some Encodable, status: Int = 200) throws -> NetworkAnswer {
        NetworkAnswer(
            status: status,
            contentType: RelayMediaType.json.bytes,
            relayTime: relayTime,
            body: try RelayJSON.encode(content)
        )
    }

    private func problem(_ refusal: Refusal) -> NetworkAnswer {
        NetworkAnswer(
            status: refusal.problem.status,
            contentType: RelayMediaType.problem.bytes,
            retryAfter: refusal.retryAfter.map { decimal(RetryAfter.seconds(of: $0)) } ?? [],
            relayTime: relayTime,
            body: (try? RelayJSON.encode(refusal.problem)) ?? []
        )
    }
}
