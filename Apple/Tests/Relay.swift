import Foundation
import MemoCore
import Synchronization

@testable import MemoCourier

/// A relay in memory, and the network before it.
final class Relay: Sendable {
    /// What becomes of a memo that is handed over.
    enum Answer: Sendable {
        /// The relay holds the memo, and says so.
        case accepts
        /// The relay holds the memo, and the answer comes when the test ends the wait; a request that is
        /// cancelled meanwhile has no answer.
        case acceptsInSilence
        case refusesToken
        case unreachable
    }

    private struct State {
        var answer = Answer.accepts
        /// How often each memo was handed over and held, by its identifier.
        var memos: [String: Int] = [:]
        var requests = 0
        var revocations = 0
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var arrivals: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// How often each memo was handed over.
    var memos: [String: Int] { state.withLock { $0.memos } }
    /// How many memos were handed over, or were about to be.
    var attempts: Int { state.withLock { $0.requests } }

    /// How often a token was revoked.
    var revocations: Int { state.withLock { $0.revocations } }

    func answer(_ answer: Answer) {
        state.withLock { $0.answer = answer }
    }

    /// Waits until an attempt is under way whose answer does not come.
    func holdsAttempt() async {
        await withCheckedContinuation { continuation in
            let isHeld = state.withLock { state in
                if state.waiters.isEmpty { state.arrivals.append(continuation) }
                return !state.waiters.isEmpty
            }
            if isHeld { continuation.resume() }
        }
    }

    /// Gives the answers that have not come.
    func answerAll() {
        let waiters = state.withLock { state in
            defer { state.waiters = [:] }
            return state.waiters.values
        }
        for waiter in waiters { waiter.resume() }
    }

    var client: RelayClient {
        RelayClient { [self] request in await perform(request) }
    }

    private func perform(_ request: PreparedRequest) async -> Result<RelayAnswer, RelayFailure> {
        guard request.method == "PUT" else { return account(request) }
        let id = String(request.url.split(separator: "/").last!)
        let (answer, number) = state.withLock { state in
            state.requests += 1
            switch state.answer {
            case .accepts, .acceptsInSilence: state.memos[id, default: 0] += 1
            case .refusesToken, .unreachable: break
            }
            return (state.answer, state.requests)
        }
        switch answer {
        case .accepts: return .success(Self.accepted(id))
        case .acceptsInSilence:
            await silence(number)
            return Task.isCancelled ? .failure(.cancelled) : .success(Self.accepted(id))
        case .refusesToken: return .success(Self.problem("token-revoked", 401))
        case .unreachable: return .failure(.unreachable)
        }
    }

    /// Codes, tokens and the news, of which there are none. The code is 123456.
    private func account(_ request: PreparedRequest) -> Result<RelayAnswer, RelayFailure> {
        let isReached = state.withLock { state in
            if case .unreachable = state.answer { return false }
            if request.method == "DELETE" { state.revocations += 1 }
            return true
        }
        guard isReached, request.method != "GET" else { return .failure(.unreachable) }
        if request.method == "DELETE" { return .success(RelayAnswer(status: 204)) }
        let body = String(decoding: request.body, as: UTF8.self)
        guard request.url.contains("confirm") else {
            return .success(Self.answered(#"{"digits":6}"#))
        }
        guard body.contains("123456") else { return .success(Self.problem("code-rejected", 403)) }
        state.withLock { if case .refusesToken = $0.answer { $0.answer = .accepts } }
        return .success(Self.answered(#"{"token":"granted"}"#))
    }

    private func silence(_ number: Int) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (arrivals, isOver) = state.withLock { state in
                    let isOver = Task.isCancelled
                    if !isOver { state.waiters[number] = continuation }
                    defer { state.arrivals = [] }
                    return (state.arrivals, isOver)
                }
                for arrival in arrivals { arrival.resume() }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: number) }?.resume()
        }
    }

    private static func accepted(_ id: String) -> RelayAnswer {
        answered(#"{"id":"\#(id)","status":"accepted"}"#)
    }

    private static func answered(_ body: String) -> RelayAnswer {
        RelayAnswer(
            status: 202,
            contentType: Array("application/json".utf8),
            body: Array(body.utf8)
        )
    }

    private static func problem(_ code: String, _ status: Int) -> RelayAnswer {
        let members = #""status":\#(status),"code":"\#(code)","retryable":false"#
        return RelayAnswer(
            status: status,
            contentType: Array("application/problem+json".utf8),
            body: Array(#"{"type":"about:blank","title":"No.",\#(members)}"#.utf8)
        )
    }
}
