import NIOCore
import RelayRules
import Synchronization

/// Slots that are taken and left, bounded for each mailbox, for each site and in all.
///
/// A slot whose body arrives can be lost: when another memo needs a slot, the body that is furthest
/// behind ``leastRate`` ends, of those that stand in the memo's way. A body that keeps the rate, or
/// has arrived, or began within ``grace``, loses its slot to nobody.
final class MemoSlots: Sendable {
    /// The most slots, in any one unit.
    struct Bounds {
        var mailbox: Int
        var site: Int
        var all: Int
    }

    /// The sender of a memo, as slots are counted.
    struct Sender: Hashable, Sendable {
        let mailbox: MailboxID
        /// The name of the site that the memo comes from, see ``RequestSource/site(of:)``.
        let site: String
    }

    /// A taken slot.
    struct Slot: Hashable, Sendable {
        fileprivate let number: UInt64
    }

    /// The rate in bytes a second below which a body may lose its slot.
    static let leastRate = 16 * 1024
    /// The time in which a body need not have a rate.
    static let grace: TimeAmount = .seconds(2)

    private struct Taken {
        let count: Int
        let sender: Sender
        let since: NIODeadline
        var arrived = 0
        /// Whether the body has arrived: the slot is in work.
        var isKept = false
        var lose: (@Sendable () -> Void)?
    }

    private struct State {
        var slots: [UInt64: Taken] = [:]
        var next: UInt64 = 0
        var mailboxes: [MailboxID: Int] = [:]
        var sites: [String: Int] = [:]
        var all = 0
    }

    private let bounds: Bounds
    private let now: @Sendable () -> NIODeadline
    private let state = Mutex(State())

    init(_ bounds: Bounds, now: @escaping @Sendable () -> NIODeadline = NIODeadline.now) {
        self.bounds = bounds
        self.now = now
    }

    /// Takes a slot. Bodies that are too slow lose theirs if that makes room.
    ///
    /// - Throws: ``Refusal/busy`` when a bound would be passed; nothing is taken or lost then.
    /// - Complexity: O(slots) when there is no room, else O(1).
    func take(_ count: Int, for sender: Sender) throws(Refusal) -> Slot {
        let time = now()
        let (slot, lost) = state.withLock { state -> (Slot?, [@Sendable () -> Void]) in
            var lost: [@Sendable () -> Void] = []
            if exceeded(by: count, of: sender, state) != nil {
                guard let room = room(for: count, of: sender, in: state, at: time) else {
                    return (nil, [])
                }
                lost = room.lost
                state = room.state
            }
            let number = state.next
            state.next += 1
            state.slots[number] = Taken(count: count, sender: sender, since: time)
            Self.count(count, of: sender, in: &state)
            return (Slot(number: number), lost)
        }
        for lose in lost { lose() }
        guard let slot else { throw .busy }
        return slot
    }

    /// The slots without those that are lost to a memo.
    ///
    /// - Returns: `nil` when the bodies that may lose their slots do not make room.
    private func room(
        for count: Int,
        of sender: Sender,
        in state: State,
        at time: NIODeadline
    ) -> (state: State, lost: [@Sendable () -> Void])? {
        var after = state
        var lost: [@Sendable () -> Void] = []
        while let bound = exceeded(by: count, of: sender, after) {
            guard let slowest = slowest(after, within: bound, sender, at: time) else { return nil }
            if let lose = after.slots[slowest]?.lose { lost.append(lose) }
            Self.remove(slowest, from: &after)
        }
        return (after, lost)
    }

    /// Notes that bytes of a slot's body have arrived.
    func arrived(_ bytes: Int, for slot: Slot) {
        state.withLock { $0.slots[slot.number]?.arrived += bytes }
    }

    /// Lets a slot be lost; `lose` runs once, at once if the slot is lost already.
    func onLoss(of slot: Slot, _ lose: @escaping @Sendable () -> Void) {
        let isLost = state.withLock { state in
            state.slots[slot.number]?.lose = lose
            return state.slots[slot.number] == nil
        }
        if isLost { lose() }
    }

    /// Makes a slot one that cannot be lost, because its body has arrived.
    ///
    /// - Returns: `false` for a slot that is lost.
    func keep(_ slot: Slot) -> Bool {
        state.withLock { state in
            state.slots[slot.number]?.isKept = true
            state.slots[slot.number]?.lose = nil
            return state.slots[slot.number] != nil
        }
    }

    /// Leaves a slot. Does nothing for a slot that is lost.
    func leave(_ slot: Slot) {
        state.withLock { Self.remove(slot.number, from: &$0) }
    }

    private enum Bound {
        case mailbox, site, all
    }

    private func exceeded(by count: Int, of sender: Sender, _ state: State) -> Bound? {
        if state.mailboxes[sender.mailbox, default: 0] + count > bounds.mailbox { return .mailbox }
        if state.sites[sender.site, default: 0] + count > bounds.site { return .site }
        return state.all + count > bounds.all ? .all : nil
    }

    /// The slot with the least part of the least rate, of those that count for a bound.
    private func slowest(
        _ state: State,
        within bound: Bound,
        _ sender: Sender,
        at time: NIODeadline
    ) -> UInt64? {
        let slow = state.slots.compactMap { number, taken -> (number: UInt64, rate: Double)? in
            guard !taken.isKept, taken.lose != nil, time - taken.since >= Self.grace else {
                return nil
            }
            switch bound {
            case .mailbox: guard taken.sender.mailbox == sender.mailbox else { return nil }
            case .site: guard taken.sender.site == sender.site else { return nil }
            case .all: break
            }
            let seconds = Double((time - taken.since).nanoseconds) / 1e9
            let rate = Double(taken.arrived) / seconds
            return rate < Double(Self.leastRate) ? (number, rate) : nil
        }
        return slow.min { ($0.rate, $0.number) < ($1.rate, $1.number) }?.number
    }

    private static func count(_ count: Int, of sender: Sender, in state: inout State) {
        state.mailboxes[sender.mailbox, default: 0] += count
        if state.mailboxes[sender.mailbox] == 0 { state.mailboxes[sender.mailbox] = nil }
        state.sites[sender.site, default: 0] += count
        if state.sites[sender.site] == 0 { state.sites[sender.site] = nil }
        state.all += count
    }

    private static func remove(_ number: UInt64, from state: inout State) {
        guard let taken = state.slots.removeValue(forKey: number) else { return }
        count(-taken.count, of: taken.sender, in: &state)
    }
}
