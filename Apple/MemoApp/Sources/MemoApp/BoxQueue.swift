import Dispatch
import MemoCourier
import MemoKit
import MemoSharing
import OutboxCore
import Synchronization

/// The box of the app, which one piece of work after another uses, off the main thread.
///
/// The box is opened for the first work, and again for the next one where opening has failed: a key
/// that cannot be read before the first unlock can be read later. While the app may be suspended the
/// queue sleeps: the box is closed, and work waits.
final class BoxQueue: Sendable {
    private struct State: Sendable {
        var box: MemoBox?
        /// The drafts of the box before, which the next one goes on with.
        var drafts: [ComposerID: ClosedDraft] = [:]
        /// How many composers were made.
        var composers = 0
        var isAwake = true
        /// The use of the shared records that runs, which has files of its own open.
        var sharing: Task<Void, Never>?
        /// The work that came while the queue sleeps.
        var waiting: [@Sendable () -> Void] = []
    }

    private let queue = DispatchQueue(label: "MemoBox", qos: .userInitiated)
    private let state = Mutex(State())
    private let open: @Sendable () throws(MemoError) -> MemoBox

    init(open: @escaping @Sendable () throws(MemoError) -> MemoBox) {
        self.open = open
    }

    /// The identifier of a new composer, which no other part of this process has.
    func makeComposer() -> ComposerID {
        state.withLock { state in
            state.composers += 1
            return ComposerID(state.composers)
        }
    }

    // MARK: Work

    /// Runs `work` after all work before it, then `then` on the main thread, in the same order.
    func later<Value: Sendable>(
        _ work: @escaping @Sendable (MemoBox) throws(MemoError) -> Value,
        then: @escaping @MainActor (Result<Value, MemoError>) -> Void
    ) {
        run {
            let result = self.result(of: work)
            DispatchQueue.main.async { MainActor.assumeIsolated { then(result) } }
        }
    }

    /// Runs `work` after all work before it, and waits for it. The queue must be awake.
    func now<Value: Sendable>(
        _ work: @Sendable (MemoBox) throws(MemoError) -> Value
    ) throws(MemoError) -> Value {
        precondition(state.withLock { $0.isAwake }, "a suspended app waits for its box")
        return try queue.sync { result(of: work) }.get()
    }

    /// The open box, for work that takes long. It is closed when the queue goes to sleep.
    func box() async throws(MemoError) -> MemoBox {
        let result: Result<MemoBox, MemoError> = await withCheckedContinuation { continuation in
            run { continuation.resume(returning: self.result { $0 }) }
        }
        return try result.get()
    }

    /// Brings what all devices of the person share together, as ``useShared(by:_:)`` does.
    ///
    /// - Parameters:
    ///   - client: Talks to the relay.
    ///   - patience: The longest time of the exchange.
    ///   - edit: Changes the records before.
    /// - Returns: `nil` where nobody is signed in, and where the box, the records or the change failed.
    func share(
        by client: RelayClient,
        within patience: Milliseconds = .seconds(20),
        _ edit: @escaping @Sendable (SharedBox) throws(MemoError) -> Void = { _ in }
    ) async -> SharedBox.End? {
        await useShared(by: client) { shared -> SharedBox.End? in
            do throws(MemoError) {
                try edit(shared)
                return try await shared.sync(within: patience)
            } catch {
                // The next synchronisation goes on; a change that was not made is shown as it was.
                return nil
            }
        } ?? nil
    }

    /// Uses the records that all devices of the person share, after an earlier call: opens them, which no other
    /// part of the app does, and closes them before this returns or the queue sleeps. The queue's sleep cancels
    /// the use, and waits for its end.
    ///
    /// - Returns: `nil` where nobody is signed in, where the box or the records cannot be opened, and where the
    ///   queue has gone to sleep before.
    func useShared<Value: Sendable>(
        by client: RelayClient,
        _ use: @escaping @Sendable (SharedBox) async -> Value
    ) async -> Value? {
        let task: Task<Value?, Never> = await withCheckedContinuation { continuation in
            run {
                let opened = self.result { $0 }
                let task = self.state.withLock { state in
                    let earlier = state.sharing
                    let task = Task.detached { () -> Value? in
                        await earlier?.value
                        guard !Task.isCancelled, let box = try? opened.get(),
                            let shared = try? SharedBox(box: box, client: client)
                        else { return nil }
                        let value = await use(shared)
                        await shared.close()
                        return value
                    }
                    state.sharing = Task.detached {
                        await withTaskCancellationHandler {
                            _ = await task.value
                        } onCancel: {
                            task.cancel()
                        }
                    }
                    return task
                }
                continuation.resume(returning: task)
            }
        }
        return await task.value
    }

    private func run(_ work: @escaping @Sendable () -> Void) {
        state.withLock { state in
            if state.isAwake { queue.async(execute: work) } else { state.waiting.append(work) }
        }
    }

    private func result<Value>(
        of work: (MemoBox) throws(MemoError) -> Value
    ) -> Result<Value, MemoError> {
        do throws(MemoError) {
            return .success(try work(try opened()))
        } catch {
            return .failure(error)
        }
    }

    private func opened() throws(MemoError) -> MemoBox {
        let (box, drafts) = state.withLock { ($0.box, $0.drafts) }
        if let box { return box }
        let opened = try open()
        // Before the next draft is saved: it would be a second one.
        for (composer, draft) in drafts { try opened.continueDraft(draft, of: composer) }
        state.withLock { state in (state.box, state.drafts) = (opened, [:]) }
        return opened
    }

    // MARK: Sleep

    /// Runs the work that has waited, and all later work.
    func wake() {
        state.withLock { state in
            state.isAwake = true
            for work in state.waiting { queue.async(execute: work) }
            state.waiting = []
        }
    }

    /// Closes the box after all work before, which frees its locks; then calls `then` on the main thread.
    func sleep(then: @escaping @MainActor () -> Void) {
        close { DispatchQueue.main.async { MainActor.assumeIsolated { then() } } }
    }

    /// Closes the box after all work before, and waits for that for as long as `patience`.
    func sleep(within patience: DispatchTimeInterval) {
        let closed = DispatchSemaphore(value: 0)
        close { closed.signal() }
        _ = closed.wait(timeout: .now() + patience)
    }

    private func close(then: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.isAwake = false
            queue.async {
                self.close()
                then()
            }
        }
    }

    /// On the queue.
    private func close() {
        let (taken, sharing) = state.withLock { ($0.box.take(), $0.sharing.take()) }
        guard let box = taken else { return }
        let closed = DispatchSemaphore(value: 0)
        Task.detached { [self] in
            sharing?.cancel()
            await sharing?.value
            let drafts = await box.close()
            state.withLock { $0.drafts = drafts }
            closed.signal()
        }
        closed.wait()
    }
}
