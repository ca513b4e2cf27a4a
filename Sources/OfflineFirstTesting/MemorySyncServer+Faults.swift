public import SyncCore
import Synchronization

// The network's and the server's faults.
extension MemorySyncServer {
    /// Lets calls meet a fault. Of several faults for one call the one that was injected first counts.
    ///
    /// A partition is `.requestLost()` without a number: nothing arrives at the server. With
    /// `.answerLost()` requests arrive, and no answer does.
    ///
    /// - Parameters:
    ///   - fault: The fault.
    ///   - times: The number of calls that meet it; without a number, all of them until ``heal()``.
    ///   - calls: The calls that may meet it.
    public func inject(
        _ fault: SyncFault,
        times: Int? = nil,
        into calls: Set<SyncCall> = Set(SyncCall.allCases)
    ) {
        let rest = Mutex(times)
        inject { call in
            guard calls.contains(call) else { return nil }
            return rest.withLock { rest in
                guard let count = rest else { return fault }
                rest = max(0, count - 1)
                return count > 0 ? fault : nil
            }
        }
    }

    /// Lets a function choose the fault of each call until ``heal()``, such as one that draws from a seed.
    ///
    /// - Parameter choose: The function. It gives `nil` for a call without a fault, and calls nothing of
    ///   this object.
    public func inject(_ choose: @escaping @Sendable (SyncCall) -> SyncFault?) {
        state.withLock { $0.faults.append(choose) }
    }

    /// Ends all injected faults. What the rule of ``refuse(_:)`` refuses stays refused.
    public func heal() {
        state.withLock { $0.faults = [] }
    }

    /// Refuses the pushes for which a rule has a reason, as a server does that checks its input.
    ///
    /// - Parameter rule: The rule in place of an earlier one; `nil` to refuse nothing. It calls nothing of
    ///   this object.
    public func refuse(_ rule: (@Sendable (PushRequest) -> RefusalReason?)?) {
        state.withLock { $0.refusal = rule }
    }

    /// Lets each later call wait, before it reaches the server, until ``release()``: for looking at an app
    /// while a request is under way. A call whose task is cancelled ends with `CancellationError`, and has
    /// not reached the server.
    public func hold() { gate.close() }

    /// Lets the calls that wait go on, and all later ones.
    public func release() { gate.open() }

    /// The number of calls that wait for ``release()``.
    public var heldCount: Int { gate.count }

    /// Lets each push that has ever arrived arrive once more, in the order of the first arrivals, as a
    /// network does that kept copies. Nobody hears the answers.
    public func repeatAllPushes() {
        withServer { state in
            for request in state.pushes { _ = state.push(request) }
        }
    }
}

/// A gate for calls: open, or closed until it is opened.
final class Gate: Sendable {
    private struct State: Sendable {
        var isOpen = true
        var last: UInt64 = 0
        var waiting: [UInt64: CheckedContinuation<Void, any Error>] = [:]
        /// The calls that were cancelled before they waited.
        var cancelled: Set<UInt64> = []
    }

    private let state = Mutex(State())

    var count: Int { state.withLock { $0.waiting.count } }

    func close() { state.withLock { $0.isOpen = false } }

    func open() {
        let waiting = state.withLock { state in
            defer { state.waiting = [:] }
            state.isOpen = true
            return state.waiting.values
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Waits until the gate is open.
    func pass() async throws {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        defer { state.withLock { _ = $0.cancelled.remove(number) } }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result = state.withLock { state -> Result<Void, any Error>? in
                    if state.isOpen { return .success(()) }
                    if state.cancelled.contains(number) { return .failure(CancellationError()) }
                    state.waiting[number] = continuation
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            let continuation = state.withLock { state in
                state.cancelled.insert(number)
                return state.waiting.removeValue(forKey: number)
            }
            continuation?.resume(throwing: CancellationError())
        }
    }
}
