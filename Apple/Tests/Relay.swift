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
        /// The relay refuses each memo for good.
        case refusesMemo
        case unreachable
    }

    private struct State {
        var answer = Answer.accepts
        /// How often each memo was handed over and held, by its identifier.
        var memos: [String: Int] = [:]
        var requests = 0
        var revocations = 0
        var erasures = 0
        /// Performs the requests for what devices share.
        var sharing: (@Sendable (PreparedRequest) -> Result<RelayAnswer, RelayFailure>)?
        /// What the relay tells of memos, the earliest first.
        var news: [String] = []
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var arrivals: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())
    /// Performs the requests that reach a relay, where it is not this one.
    private let upstream: CurlTransport?

    /// - Parameter isReal: Whether requests go to the relay of their URL, wherever that is.
    init(isReal: Bool = false) {
        upstream = isReal ? CurlTransport(limits: RelayClient.Limits(), authorities: nil) : nil
    }

    /// How often each memo was handed over.
    var memos: [String: Int] { state.withLock { $0.memos } }
    /// How many memos were handed over, or were about to be.
    var attempts: Int { state.withLock { $0.requests } }

    /// How often a token was revoked.
    var revocations: Int { state.withLock { $0.revocations } }

    /// How often the account was erased.
    var erasures: Int { state.withLock { $0.erasures } }

    /// From now on requests for what devices share are answered so.
    func shares(
        _ answer: @escaping @Sendable (PreparedRequest) -> Result<RelayAnswer, RelayFailure>
    ) {
        state.withLock { $0.sharing = answer }
    }

    /// From now on the relay tells this status of a memo.
    ///
    /// - Parameter reason: For a status that has one.
    func tell(_ status: String, because reason: String? = nil, of id: some CustomStringConvertible)
    {
        let because = reason.map { #","reason":"\#($0)""# } ?? ""
        let change = #"{"id":"\#(id)","status":"\#(status)"\#(because)}"#
        state.withLock { $0.news.append(change) }
    }

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
        if let upstream {
            if case .unreachable = state.withLock({ $0.answer }) { return .failure(.unreachable) }
            return await upstream.perform(request)
        }
        if let answer = shared(request) { return answer }
        guard request.method == "PUT" else { return account(request) }
        let id = String(request.url.split(separator: "/").last!)
        let (answer, number) = state.withLock { state in
            state.requests += 1
            switch state.answer {
            case .accepts, .acceptsInSilence: state.memos[id, default: 0] += 1
            case .refusesToken, .refusesMemo, .unreachable: break
            }
            return (state.answer, state.requests)
        }
        switch answer {
        case .accepts: return .success(Self.accepted(id))
        case .acceptsInSilence:
            await silence(number)
            return Task.isCancelled ? .failure(.cancelled) : .success(Self.accepted(id))
        case .refusesToken: return .success(Self.problem("token-revoked", 401))
        case .refusesMemo: return .success(Self.problem("too-large", 413))
        case .unreachable: return .failure(.unreachable)
        }
    }

    /// - Returns: `nil` for a request that is not for what devices share.
    private func shared(
        _ request: PreparedRequest
    ) -> Result<RelayAnswer, RelayFailure>? {
        let (sharing, answer) = state.withLock { ($0.sharing, $0.answer) }
        let isDevice =
            request.method == "DELETE" && request.url.contains("/v1/devices/")
            && !request.url.hasSuffix("/current")
        let isShared = request.url.contains("/v1/changes") || request.url.contains("/v1/settings")
        guard let sharing, isDevice || isShared else { return nil }
        if case .unreachable = answer { return .failure(.unreachable) }
        if isDevice { state.withLock { $0.revocations += 1 } }
        return sharing(request)
    }

    /// Codes, tokens and the news. The code is 123456.
    private func account(_ request: PreparedRequest) -> Result<RelayAnswer, RelayFailure> {
        let isReached = state.withLock { state in
            if case .unreachable = state.answer { return false }
            let isErasure = request.url.hasSuffix("/v1/account")
            if request.method == "DELETE", !isErasure { state.revocations += 1 }
            return true
        }
        guard isReached else { return .failure(.unreachable) }
        if request.url.hasSuffix("/v1/account") { return .success(erase(request)) }
        if request.method == "GET" {
            let isDevices = request.url.hasSuffix("/devices")
            return .success(isDevices ? Self.answered(devices) : changes(request.url))
        }
        if request.method == "DELETE" { return .success(RelayAnswer(status: 204)) }
        let body = String(decoding: request.body, as: UTF8.self)
        guard request.url.contains("confirm") else {
            return .success(Self.answered(#"{"digits":6}"#))
        }
        guard body.contains("123456") else { return .success(Self.problem("code-rejected", 403)) }
        state.withLock { if case .refusesToken = $0.answer { $0.answer = .accepts } }
        return .success(Self.answered(#"{"token":"granted"}"#))
    }

    private func erase(_ request: PreparedRequest) -> RelayAnswer {
        guard String(decoding: request.body, as: UTF8.self).contains("123456") else {
            return Self.problem("code-rejected", 403)
        }
        state.withLock { $0.erasures += 1 }
        return RelayAnswer(status: 204)
    }

    /// This device, and another one until a token was revoked.
    private var devices: String {
        let other = #",{"id":"d2","name":"Old phone","createdAt":0,"usedAt":0,"current":false}"#
        let this = #"{"id":"d1","name":"This phone","createdAt":0,"current":true}"#
        return #"{"devices":[\#(this)\#(revocations == 0 ? other : "")]}"#
    }

    /// The changes behind the cursor that stands in the request.
    private func changes(_ url: String) -> RelayAnswer {
        let news = state.withLock { $0.news }
        let known = url.split(separator: "=").last.flatMap { Int($0) } ?? 0
        let changes = news.dropFirst(known).joined(separator: ",")
        return Self.answered(#"{"changes":[\#(changes)],"cursor":"\#(news.count)","more":false}"#)
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
