import Dispatch
import MemoKit
import Synchronization

/// The box of the app, which one piece of work after another uses, off the main thread.
///
/// The box is opened for the first work, and again for the next one where opening has failed: a key
/// that cannot be read before the first unlock can be read later.
final class BoxQueue: Sendable {
    private let queue = DispatchQueue(label: "MemoBox", qos: .userInitiated)
    private let opened = Mutex<MemoBox?>(nil)
    private let open: @Sendable () throws(MemoError) -> MemoBox

    init(open: @escaping @Sendable () throws(MemoError) -> MemoBox) {
        self.open = open
    }

    /// Runs `work` after all work before it, then `then` on the main thread, in the same order.
    func later<Value: Sendable>(
        _ work: @escaping @Sendable (MemoBox) throws(MemoError) -> Value,
        then: @escaping @MainActor (Result<Value, MemoError>) -> Void
    ) {
        queue.async {
            let result = self.result(of: work)
            DispatchQueue.main.async { MainActor.assumeIsolated { then(result) } }
        }
    }

    /// Runs `work` after all work before it, and waits for it.
    func now<Value: Sendable>(
        _ work: @Sendable (MemoBox) throws(MemoError) -> Value
    ) throws(MemoError) -> Value {
        try queue.sync { result(of: work) }.get()
    }

    private func result<Value>(
        of work: (MemoBox) throws(MemoError) -> Value
    ) -> Result<Value, MemoError> {
        do throws(MemoError) {
            return .success(try work(try box()))
        } catch {
            return .failure(error)
        }
    }

    private func box() throws(MemoError) -> MemoBox {
        if let box = opened.withLock({ $0 }) { return box }
        let box = try open()
        opened.withLock { $0 = box }
        return box
    }
}
