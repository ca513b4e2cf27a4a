import OutboxCore
import RelayRules
import Synchronization

/// The memos that this process is storing, so that a repetition of one waits for it, and not for ever.
///
/// 1. Of the requests with one identifier of one mailbox, one stores at a time.
/// 2. A further one waits until the earlier ones have ended, however they end, and then stores: it finds
///    what they have stored.
/// 3. No request waits longer than the patience, whatever the disk does.
///
/// A request waits in memory only. It is bounded by the number of connections.
final class MemosUnderWay: Sendable {
    /// A memo, by what makes a request its repetition.
    struct Key: Hashable, Sendable {
        let mailbox: MailboxID
        let id: OperationID
    }

    private struct Waiting {
        let number: UInt64
        let turn: CheckedContinuation<Bool, Never>
    }

    private struct State {
        /// Those that wait for each memo that is being stored, in their order.
        var memos: [Key: [Waiting]] = [:]
        var next: UInt64 = 0
    }

    private let patience: Duration
    private let state = Mutex(State())

    /// - Parameter patience: The longest wait of a repetition.
    init(patience: Duration = .seconds(10)) {
        self.patience = patience
    }

    /// Stores a memo when no other request of this process is storing it.
    ///
    /// - Throws: ``Refusal/stillStoring`` when others have been storing it for the whole patience; the
    ///   errors of `store`.
    func alone<Answer>(
        _ memo: Key,
        _ store: () async throws -> Answer
    ) async throws -> Answer {
        guard await begin(memo) else { throw Refusal.stillStoring }
        defer { end(memo) }
        return try await store()
    }

    /// - Returns: `false` when the patience is over.
    private func begin(_ memo: Key) async -> Bool {
        var timer: Task<Void, Never>?
        defer { timer?.cancel() }
        return await withCheckedContinuation { turn in
            let number = state.withLock { state -> UInt64? in
                guard state.memos[memo] != nil else {
                    state.memos[memo] = []
                    return nil
                }
                state.next += 1
                state.memos[memo]?.append(Waiting(number: state.next, turn: turn))
                return state.next
            }
            guard let number else { return turn.resume(returning: true) }
            // A timer that ended before the request waits would find nobody to give up for.
            timer = Task { [patience] in
                try? await Task.sleep(for: patience)
                giveUp(number, memo)
            }
        }
    }

    /// Gives the turn to the next one that waits.
    private func end(_ memo: Key) {
        let next = state.withLock { state -> Waiting? in
            guard state.memos[memo]?.isEmpty == false else {
                state.memos[memo] = nil
                return nil
            }
            return state.memos[memo]?.removeFirst()
        }
        next?.turn.resume(returning: true)
    }

    private func giveUp(_ number: UInt64, _ memo: Key) {
        let waiting = state.withLock { state -> Waiting? in
            guard let index = state.memos[memo]?.firstIndex(where: { $0.number == number }) else {
                return nil
            }
            return state.memos[memo]?.remove(at: index)
        }
        waiting?.turn.resume(returning: false)
    }

    /// The number of memos that are being stored, and of requests that wait for one.
    var counts: (storing: Int, waiting: Int) {
        state.withLock { ($0.memos.count, $0.memos.values.reduce(0) { $0 + $1.count }) }
    }
}
