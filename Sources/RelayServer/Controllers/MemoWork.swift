import NIOCore
import Synchronization

/// The memos in work in this process, until they are stored.
///
/// Bounds the memory and the work that memos take, for a mailbox, for a site and in all: devices and
/// networks of /64 cost a stranger nothing. Only work holds a slot, never a client that lets the
/// relay wait:
///
/// | body | takes its slot | while it arrives it is bounded by |
/// |---|---|---|
/// | short | when it has arrived | the number of connections, and its time |
/// | long | before it is received | its slot, which it loses when it is slow and another needs it |
///
/// Long memos have slots of their own, so that they do not keep short ones out. They are decoded,
/// rendered, sealed and stored one at a time, because that takes several times their memory, and on
/// a thread of their own that steps back for others: short memos would wait for them.
///
/// A repetition of a memo that is being stored waits for that, see ``MemosUnderWay``. Where it is short
/// it holds no slot meanwhile.
final class MemoWork: Sendable {
    /// The length of the longest body of a short memo, in bytes.
    static let shortLength = 16 * 1024

    /// In memos.
    private let short = MemoSlots(MemoSlots.Bounds(mailbox: 16, site: 64, all: 256))
    /// In bytes of their bodies.
    private let long: MemoSlots
    private let turns = Turns()
    private let underWay: MemosUnderWay

    /// - Parameters:
    ///   - underWay: The memos that are being stored.
    ///   - now: Reads a clock that never goes back.
    init(
        underWay: MemosUnderWay = MemosUnderWay(),
        now: @escaping @Sendable () -> NIODeadline = NIODeadline.now
    ) {
        self.underWay = underWay
        long = MemoSlots(
            MemoSlots.Bounds(mailbox: 8 << 20, site: 16 << 20, all: 32 << 20),
            now: now
        )
    }

    /// Receives and accepts a memo, which holds a slot while it is in work.
    ///
    /// - Parameters:
    ///   - length: The most bytes that the body has.
    ///   - memo: The memo, by what makes a request its repetition.
    ///   - sender: The mailbox and the site that the slots are counted for.
    ///   - receive: Receives the body. Tells the number of bytes of each part that arrives.
    ///   - accept: Decodes, renders and stores the memo.
    /// - Throws: ``Refusal/busy`` when there is no slot, or the slot was needed for a quicker memo;
    ///   ``Refusal/stillStoring``; the errors of both functions.
    func withSlot<Answer: Sendable>(
        length: Int,
        memo: MemosUnderWay.Key,
        sender: MemoSlots.Sender,
        receive:
            @escaping @Sendable (_ arrived: @escaping @Sendable (Int) -> Void) async throws ->
            ByteBuffer,
        accept: (ByteBuffer) async throws -> Answer
    ) async throws -> Answer {
        guard length > Self.shortLength else {
            let body = try await receive { _ in }
            return try await underWay.alone(memo) {
                let slot = try short.take(1, for: sender)
                defer { short.leave(slot) }
                return try await accept(body)
            }
        }
        let slot = try long.take(length, for: sender)
        defer { long.leave(slot) }
        let body = try await received(for: slot, by: receive)
        return try await underWay.alone(memo) {
            await turns.begin()
            do {
                let answer = try await withTaskExecutorPreference(BackgroundThread.longMemos) {
                    try await accept(body)
                }
                await turns.end()
                return answer
            } catch {
                await turns.end()
                throw error
            }
        }
    }

    /// Receives a body for as long as nobody else is given its slot.
    private func received(
        for slot: MemoSlots.Slot,
        by receive:
            @escaping @Sendable (@escaping @Sendable (Int) -> Void) async throws ->
            ByteBuffer
    ) async throws -> ByteBuffer {
        let upload = Task { [long] in try await receive { long.arrived($0, for: slot) } }
        long.onLoss(of: slot) { upload.cancel() }
        let body = await withTaskCancellationHandler {
            await upload.result
        } onCancel: {
            upload.cancel()
        }
        guard long.keep(slot) else { throw Refusal.busy }
        return try body.get()
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
