import Dispatch
import Outbox
import OutboxCore
import OutboxTesting
import PostgreSQLServer
import TemporaryFolders
import TestSeeds
import Testing
import Waiting

@testable import PostgreSQL
@testable import RelayPostgres
@testable import RelayRules
@testable import RelayServer
@testable import RelayTesting

@Suite(
    "Callers that share a transaction over PostgreSQL",
    .enabled(if: PostgreSQLServer.isThere),
    .serialized,
    .timeLimit(.minutes(60))
)
struct SharedAcceptancesTests {
    fileprivate typealias Conformance = RelayStoreConformance<PostgreSQLRelayStore>

    /// A call of one of the devices, by their numbers.
    fileprivate enum Call: Sendable {
        case accept(device: Int, memo: UInt64, seconds: Int64, bytes: Int, network: UInt8)
        case note(device: Int, seconds: Int64)
        case revoke(device: Int)
        case write

        /// Nearly all accept.
        init(_ random: inout SeededRandom) {
            switch Int.random(in: 0..<12, using: &random) {
            case 0:
                self = .note(
                    device: .random(in: 0..<4, using: &random),
                    seconds: .random(in: -5...70, using: &random)
                )
            case 1 where Bool.random(using: &random):
                self = .revoke(device: .random(in: 0..<4, using: &random))
            case 2: self = .write
            default:
                self = .accept(
                    device: .random(in: 0..<4, using: &random),
                    // Some are sent again.
                    memo: .random(in: 0..<60, using: &random),
                    seconds: .random(in: -5...70, using: &random),
                    bytes: .random(in: 1...400, using: &random),
                    network: .random(in: 0..<3, using: &random)
                )
            }
        }

        func run(
            on store: PostgreSQLRelayStore,
            _ devices: [AuthenticatedDevice],
            _ limits: MemoLimits
        ) async throws -> MemoDecision? {
            let now = Conformance.now
            switch self {
            case .accept(let device, let number, let seconds, let bytes, let network):
                let memo = Conformance.memo(
                    number,
                    from: devices[device],
                    at: now.advanced(by: .seconds(seconds)),
                    bytes: bytes,
                    networks: [[network], [0xFF]]
                )
                return try await store.accept(memo, limits: limits)
            case .note(let device, let seconds):
                let time = now.advanced(by: .seconds(seconds))
                try await store.note(DeviceUse(of: devices[device].id, at: time))
            case .revoke(let device):
                _ = try await store.revoke(
                    devices[device].id,
                    of: devices[device].account,
                    at: now
                )
            case .write: try await store.tryWriting(at: now)
            }
            return nil
        }
    }

    /// The results of calls: their decisions, the changes of memos, and the latest uses of devices.
    private struct Results: Sendable {
        let decisions: [MemoDecision?]
        var changes: [[StatusChange]] = []
        /// By the devices' numbers.
        var uses: [WallTime?] = []

        init(
            _ decisions: [MemoDecision?],
            in store: PostgreSQLRelayStore,
            _ devices: [AuthenticatedDevice]
        ) async throws {
            self.decisions = decisions
            for person in [devices[0].account, devices[2].account] {
                changes.append(
                    try await store.changes(of: person, after: 0, limit: 1000).changes
                )
                let listed = try await store.devices(of: person)
                uses += devices.map { device in listed.first { $0.id == device.id }?.usedAt }
            }
        }
    }

    /// A store with two devices of each of two people.
    private func store(
        _ database: RelayDatabase
    ) async throws -> (PostgreSQLRelayStore, [AuthenticatedDevice]) {
        let store = try await database.store()
        var devices: [AuthenticatedDevice] = []
        for (token, person) in [(1, 1), (2, 1), (3, 2), (4, 2)] {
            devices.append(try await Conformance.device(token, of: UInt8(person), in: store))
        }
        return (store, devices)
    }

    /// The results of calls that come, one after the other, while a transaction is held up.
    private func resultsTogether(_ calls: [Call], _ limits: MemoLimits) async throws -> Results {
        let database = try RelayDatabase()
        let (store, devices) = try await store(database)
        let gate = DispatchSemaphore(value: 0)
        let (beginnings, beginning) = AsyncStream.makeStream(of: Void.self)
        let first = Task {
            try await store.turns.write { turn in
                _ = try turn.run([])
                beginning.yield()
                gate.wait()
            }
        }
        for await _ in beginnings { break }
        var tasks: [Task<MemoDecision?, any Error>] = []
        for (number, call) in calls.enumerated() {
            tasks.append(Task { try await call.run(on: store, devices, limits) })
            try await waitUntil { store.turns.waiting > number }
        }
        gate.signal()
        try await first.value
        var decisions: [MemoDecision?] = []
        for task in tasks { decisions.append(try await task.value) }
        let results = try await Results(decisions, in: store, devices)
        withExtendedLifetime(database) {}
        return results
    }

    private func resultsAlone(_ calls: [Call], _ limits: MemoLimits) async throws -> Results {
        let database = try RelayDatabase()
        let (store, devices) = try await store(database)
        var decisions: [MemoDecision?] = []
        for call in calls { decisions.append(try await call.run(on: store, devices, limits)) }
        let results = try await Results(decisions, in: store, devices)
        withExtendedLifetime(database) {}
        return results
    }

    @Test(
        "get the results of callers that come one after the other",
        arguments: TestSeeds["shared-acceptances"],
        SearchShare().of(Array(0..<16))
    )
    func decisions(seed: UInt64, round: Int) async throws {
        var random = SeededRandom(seed: seed &+ UInt64(round) &* 0x9E37_79B9)
        let calls = (0..<80).map { _ in Call(&random) }
        let limits = MemoLimits(
            device: DeviceLimits(perMinute: 9, perDay: 16),
            account: AccountLimits(bytesPerDay: 3000, waiting: 14, waitingBytes: 2500),
            network: NetworkLimits(perHour: 11, perSiteHour: 24),
            servicePerDay: .random(in: 20...60, using: &random)
        )
        let together = try await resultsTogether(calls, limits)
        let alone = try await resultsAlone(calls, limits)
        let name: Comment = "seed \(seed), round \(round)"
        for (number, (one, other)) in zip(together.decisions, alone.decisions).enumerated() {
            #expect(one == other, "call \(number) of seed \(seed), round \(round)")
        }
        #expect(together.changes == alone.changes, name)
        #expect(together.uses == alone.uses, name)
    }
}
