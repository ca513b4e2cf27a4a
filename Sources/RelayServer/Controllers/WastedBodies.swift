import NIOCore
import RelayRules
import Synchronization

/// The long bodies that devices sent for nothing: the relay received them whole, and they were no
/// memos that it could take.
///
/// No limit on memos counts them, because none was accepted, so that one device could have the relay
/// receive as many bytes as its network carries. No device of an honest person sends any. A device
/// that has sent ``most`` of them is refused further long bodies, before they are received, for one
/// to two ``period``s. Its short memos are not refused, nor are other devices of its account.
///
/// Counted in memory, in two generations of a bounded number of devices.
final class WastedBodies: Sendable {
    /// The number of bodies after which a device is refused.
    static let most = 8
    static let period: TimeAmount = .seconds(60)
    /// The greatest number of devices in a generation.
    static let mostDevices = 4096

    private let now: @Sendable () -> NIODeadline
    private let generations: Mutex<Generations<[DeviceID: Int]>>

    /// - Parameter now: Reads a clock that never goes back.
    init(now: @escaping @Sendable () -> NIODeadline = NIODeadline.now) {
        self.now = now
        generations = Mutex(
            Generations(empty: [:], every: Self.period, most: Self.mostDevices, at: now())
        )
    }

    /// - Parameter length: The most bytes that the body has.
    /// - Throws: ``Refusal/wasteful`` for a device that has sent too many bodies for nothing.
    func check(_ device: DeviceID, length: Int) throws(Refusal) {
        guard length > MemoWork.shortLength else { return }
        let count = generations.withLock { generations in
            generations.turn(at: now())
            return generations.young[device, default: 0] + generations.old[device, default: 0]
        }
        guard count < Self.most else { throw .wasteful }
    }

    /// Counts a body that was received whole, if it was refused for its content.
    func count(_ device: DeviceID, length: Int, refusedWith error: any Error) {
        guard length > MemoWork.shortLength, let refusal = error as? Refusal,
            [Refusal.malformedBody, .tooLarge, .emptyMemo, .keyReused].contains(refusal)
        else { return }
        generations.withLock { generations in
            generations.turn(at: now())
            generations.young[device, default: 0] += 1
        }
    }

    /// The devices that are counted.
    var count: Int { generations.withLock { $0.count } }
}
