import Dispatch
import NIOCore
import Synchronization

/// The memos in work in this process, from before their bodies are received until they are stored.
///
/// Bounds the memory that memos take, for a device, for a network and in all. Short memos have
/// places of their own: long memos, which may take minutes to arrive over a slow uplink, do not keep
/// short ones out. Long memos are decoded, rendered, sealed and stored one at a time, because that
/// takes several times their memory, and on a thread of their own: Swift's tasks share a thread for
/// each processor, and short memos would wait for one.
final class MemoWork: Sendable {
    /// The length of the longest body of a short memo, in bytes.
    static let shortLength = 16 * 1024

    /// In memos.
    private let short = MemoPlaces(MemoPlaces.Bounds(device: 16, network: 64, all: 256))
    /// In bytes of their bodies.
    private let long = MemoPlaces(
        MemoPlaces.Bounds(device: 8 << 20, network: 16 << 20, all: 32 << 20)
    )
    private let turns = Turns()
    private let thread = SerialExecution(label: "relay-long-memos")

    /// Receives and accepts a memo while it holds a place.
    ///
    /// - Parameters:
    ///   - length: The most bytes that the body has.
    ///   - device: The memo's sender.
    ///   - network: The name of the network that the memo comes from.
    ///   - receive: Receives the body.
    ///   - accept: Decodes, renders and stores the memo.
    /// - Throws: ``Refusal/busy`` when there is no place; the errors of both functions.
    func withPlace<Answer: Sendable>(
        length: Int,
        device: DeviceID,
        network: String,
        receive: () async throws -> ByteBuffer,
        accept: (ByteBuffer) async throws -> Answer
    ) async throws -> Answer {
        guard length > Self.shortLength else {
            try short.take(1, device: device, network: network)
            defer { short.leave(1, device: device, network: network) }
            return try await accept(receive())
        }
        try long.take(length, device: device, network: network)
        defer { long.leave(length, device: device, network: network) }
        let body = try await receive()
        await turns.begin()
        do {
            let answer = try await withTaskExecutorPreference(thread) { try await accept(body) }
            await turns.end()
            return answer
        } catch {
            await turns.end()
            throw error
        }
    }
}

/// Places that are taken and left, bounded for each device, for each network and in all.
final class MemoPlaces: Sendable {
    /// The most places, in any one unit.
    struct Bounds {
        var device: Int
        var network: Int
        var all: Int
    }

    private struct Taken {
        var devices: [DeviceID: Int] = [:]
        var networks: [String: Int] = [:]
        var all = 0
    }

    private let bounds: Bounds
    private let taken = Mutex(Taken())

    init(_ bounds: Bounds) {
        self.bounds = bounds
    }

    /// - Throws: ``Refusal/busy`` when a bound would be passed; nothing is taken then.
    func take(_ count: Int, device: DeviceID, network: String) throws(Refusal) {
        let isTaken = taken.withLock { taken in
            guard taken.devices[device, default: 0] + count <= bounds.device,
                taken.networks[network, default: 0] + count <= bounds.network,
                taken.all + count <= bounds.all
            else { return false }
            taken.devices[device, default: 0] += count
            taken.networks[network, default: 0] += count
            taken.all += count
            return true
        }
        guard isTaken else { throw .busy }
    }

    /// - Precondition: As many places are taken under the same names.
    func leave(_ count: Int, device: DeviceID, network: String) {
        taken.withLock { taken in
            taken.devices[device, default: 0] -= count
            if taken.devices[device] == 0 { taken.devices[device] = nil }
            taken.networks[network, default: 0] -= count
            if taken.networks[network] == 0 { taken.networks[network] = nil }
            taken.all -= count
        }
    }
}

/// Turns to work, one at a time, in the order in which they are asked for. Ignores cancellation: the
/// work is short.
private actor Turns {
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func begin() async {
        guard isTaken else {
            isTaken = true
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    func end() {
        if waiting.isEmpty {
            isTaken = false
        } else {
            waiting.removeFirst().resume()
        }
    }
}

/// Runs tasks on one thread at a time, which no other tasks use.
private final class SerialExecution: TaskExecutor {
    private let queue: DispatchQueue

    init(label: String) {
        queue = DispatchQueue(label: label)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
