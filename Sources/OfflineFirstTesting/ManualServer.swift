import Synchronization

/// A server whose answers a test gives by hand, in any order: for races on purpose.
///
/// ```swift
/// let server = ManualServer<Int, String?>()
/// let lists = OfflineFirstRepository(…, fetch: { try await server.ask($0) })
/// async let value = lists.value(for: 7)
/// let request = await server.next()
/// request.answer("milk")
/// ```
public final class ManualServer<Question: Sendable, Answer: Sendable>: Sendable {
    /// A request that waits for its answer.
    public struct Request: Sendable {
        /// The question.
        public let question: Question
        fileprivate let continuation: CheckedContinuation<Answer, any Error>

        /// Answers. A request is answered, or failed, exactly once.
        public func answer(_ answer: Answer) { continuation.resume(returning: answer) }

        /// Fails the request.
        public func fail(_ error: any Error) { continuation.resume(throwing: error) }
    }

    private struct State {
        var requests: [Request] = []
        var asker: CheckedContinuation<Request, Never>?
        var asked = 0
    }

    private let state = Mutex(State())

    /// Makes a server that nobody has asked yet.
    public init() {}

    /// The number of requests so far.
    public var askedCount: Int { state.withLock { $0.asked } }

    /// Asks, and waits until the test answers. Cancelling the task does not end the wait.
    public func ask(_ question: Question) async throws -> Answer {
        try await withCheckedThrowingContinuation { continuation in
            let request = Request(question: question, continuation: continuation)
            let asker = state.withLock { state in
                state.asked += 1
                defer { state.asker = nil }
                if state.asker == nil { state.requests.append(request) }
                return state.asker
            }
            asker?.resume(returning: request)
        }
    }

    /// The oldest request that this function has not returned yet; waits for one. One task at a time.
    public func next() async -> Request {
        await withCheckedContinuation { continuation in
            let request: Request? = state.withLock { state in
                if !state.requests.isEmpty { return state.requests.removeFirst() }
                precondition(state.asker == nil, "two tasks wait for one request")
                state.asker = continuation
                return nil
            }
            if let request { continuation.resume(returning: request) }
        }
    }
}
