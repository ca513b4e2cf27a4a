import OutboxCore
import RelayAPI
import WireCore

/// A relay in memory: it remembers what it accepted, by identifier.
package final class Relay: Network {
    package var accepted: [String: [UInt8]] = [:]
    package var requests: [(method: String, path: String, token: String)] = []
    /// The bounds of all exchanges, also of those that did not reach the relay.
    package var bounds: [ExchangeBounds] = []
    /// Answers given instead of the relay's own, each once. `{id}` stands for the last part of the
    /// request's path.
    package var answers: [(status: UInt32, type: String, retryAfter: String, body: String)] = []
    /// The `Date` of these answers.
    package var date = ""
    /// The answer to each question for changes, in place of the relay's own. `{n}` stands for the
    /// number of requests so far.
    package var changesAnswer: (status: UInt32, type: String, retryAfter: String, body: String)?
    /// The token that is valid.
    package var token = "token"
    package var changes: [(id: String, status: String)] = [] {
        didSet { for change in changes { account.set(change.id, change.status) } }
    }
    /// What all devices of the person share.
    package var account = SharedAccount()
    /// The wall clock of the page that asks.
    private var time = 0.0
    package var hasReviewPage = false
    /// The answer gets lost on the way.
    package var losesAnswer = false
    /// The digits of the codes that are mailed.
    package var digits = 6
    /// Whether the relay mails no digits, because a long code is in the inbox.
    package var asksForLongCode = false
    /// The handles with which codes were tried.
    package private(set) var handles: [String] = []
    /// The number of memos that it accepts in any minute, and tells in `RateLimit`; `nil` for any
    /// number.
    package var perMinute: Int?
    /// The times of the accepted memos, as ``perMinute`` counts them.
    private var times: [Double] = []
    /// The wall clock's time, in milliseconds.
    package var now: () -> Double = { 0 }
    /// The number of memos that were refused for ``perMinute``.
    package private(set) var refusals = 0
    /// Answers stay on their way until they are released.
    package var holdsAnswers = false
    package var held: [() -> Void] = []

    package func release() {
        let answers = held
        held.removeAll()
        for answer in answers { answer() }
    }

    /// Refuses the next request for good.
    package func refuseNext() {
        answers = [
            (
                413, "application/problem+json", "",
                "{\"code\":\"too-large\",\"retryable\":false,\"status\":413}"
            )
        ]
    }

    package func take(
        _ request: NetworkRequest,
        of page: Page,
        _ answered: @escaping (Result<NetworkAnswer, NetworkFailure>) -> Void
    ) {
        bounds.append(request.bounds)
        guard page.browser.isOnline else { return answered(.failure(.unreachable)) }
        time = page.browser.wallTime
        page.work.append { [self] in
            let answer = answer(to: request)
            if losesAnswer { return answered(.failure(.unreachable)) }
            holdsAnswers ? held.append { answered(.success(answer)) } : answered(.success(answer))
        }
    }

    /// The relay's own answer, at once.
    package func answer(to request: NetworkRequest) -> NetworkAnswer {
        let (method, path, token, body) = (
            request.method, request.path, request.token, request.body
        )
        requests.append((method, path, token))
        if !answers.isEmpty {
            let answer = answers.removeFirst()
            let id = String(path.split(separator: "/").last ?? "")
            let body = answer.body.replacing("{id}", with: id)
            return reply(answer.status, answer.type, answer.retryAfter, body.bytes, date: date)
        }
        if method == "GET", path.hasPrefix("/v1/changes"), let answer = changesAnswer {
            let body = answer.body.replacing("{n}", with: "\(requests.count)")
            return reply(answer.status, answer.type, answer.retryAfter, body.bytes)
        }
        switch (method, path.prefix { $0 != "?" }) {
        case ("POST", "/v1/verifications"):
            let long = asksForLongCode ? ",\"longCode\":true" : ""
            return json(
                202,
                "{\"digits\":\(digits),\"handle\":\"handle-\(requests.count)\"\(long)}"
            )
        case ("POST", "/v1/verifications/confirm"):
            let handle = JSON(decoding: body)?["handle"]?.string ?? []
            handles.append(String(decoding: handle, as: UTF8.self))
            return json(200, "{\"token\":\"\(self.token)\"}")
        case ("DELETE", "/v1/devices/current"): return reply(204, "", "", [])
        case ("DELETE", _):
            guard token == self.token else { return problem(401, "token-revoked", false) }
            let id = String(path.split(separator: "/").last ?? "")
            guard let version = account.revoke(device: id) else {
                return problem(404, "not-found", false)
            }
            return reply(204, "", "", [], relayVersion: "\(version)")
        case ("GET", "/v1/devices"):
            guard token == self.token else { return problem(401, "token-revoked", false) }
            let devices = account.devices.map {
                "{\"createdAt\":1,\"current\":\($0.id == SharedAccount.device),"
                    + "\"id\":\"\($0.id ?? "")\",\"name\":\"\($0.name ?? "")\"}"
            }
            return json(200, "{\"devices\":[\(devices.joined(separator: ","))]}")
        case ("GET", "/v1/changes"), ("PUT", "/v1/settings"), ("POST", "/v1/settings/answer"):
            guard token == self.token else { return problem(401, "token-revoked", false) }
            return shared(request)
        case ("GET", "/v1/review"): return json(200, "{\"page\":\(hasReviewPage)}")
        case ("PUT", _):
            guard token == self.token else { return problem(401, "token-revoked", false) }
            let id = String(path.dropFirst("/v1/memos/".count))
            if let known = accepted[id], known != body {
                return problem(422, "idempotency-key-reused", false)
            }
            let text = "{\"id\":\"\(id)\",\"status\":\"accepted\"}"
            guard let perMinute else {
                accepted[id] = body
                return json(202, text)
            }
            let (time, isNew) = (now(), accepted[id] == nil)
            times.removeAll { $0 <= time - 60_000 }
            let wait = times.first.map { Int(($0 + 60_000 - time + 999) / 1000) } ?? 60
            guard times.count < perMinute || !isNew else {
                refusals += 1
                return reply(429, "text/plain", "\(wait)", [])
            }
            if isNew { times.append(time) }
            accepted[id] = body
            let rest = perMinute - times.count
            return reply(
                202,
                "application/json",
                "",
                text.bytes,
                rateLimit: "\"day\";r=9999;t=86400, \"minute\";r=\(rest);t=\(wait)"
            )
        default: return problem(404, "not-found", false)
        }
    }

    /// The answers about what all devices share.
    private func shared(_ request: NetworkRequest) -> NetworkAnswer {
        do {
            switch request.method {
            case "GET":
                let query = request.path.split(separator: "=").dropFirst().first
                guard let page = account.page(after: query.map { String($0) }) else {
                    return problem(410, "cursor-forgotten", false)
                }
                return reply(200, "application/json", "", try RelayJSON.encode(page))
            case "PUT":
                let change = try RelayJSON.decode(SettingsRequest.self, from: request.body)
                let madeOn: Int64
                switch (request.condition.name, request.condition.value) {
                case ("If-Match", let tag): madeOn = Int64(tag.dropFirst().dropLast()) ?? -1
                case ("If-None-Match", "*"): madeOn = 0
                default: return problem(428, "precondition-required", false)
                }
                let now = WallTime(millisecondsSinceEpoch: Int64(time))
                let answer = account.change(change, madeOn: madeOn, now: now)
                let status: UInt32 =
                    switch answer.answer {
                    case .accepted: 200
                    case .conflict: 412
                    case .refused: 422
                    case .newNode: 409
                    }
                return reply(status, "application/json", "", try RelayJSON.encode(answer))
            default:
                let question = try RelayJSON.decode(ChangeIdentity.self, from: request.body)
                guard let answer = account.answer(to: question) else {
                    return problem(404, "not-found", false)
                }
                return reply(200, "application/json", "", try RelayJSON.encode(answer))
            }
        } catch {
            return problem(400, "malformed-body", false)
        }
    }

    private func json(_ status: UInt32, _ text: String) -> NetworkAnswer {
        reply(status, "application/json", "", text.bytes)
    }

    private func problem(_ status: UInt32, _ code: String, _ retryable: Bool) -> NetworkAnswer {
        reply(
            status,
            "application/problem+json",
            "",
            "{\"code\":\"\(code)\",\"retryable\":\(retryable),\"status\":\(status)}".bytes
        )
    }

    private func reply(
        _ status: UInt32,
        _ type: String,
        _ retryAfter: String,
        _ body: [UInt8],
        rateLimit: String = "",
        date: String = "",
        relayVersion: String = ""
    ) -> NetworkAnswer {
        NetworkAnswer(
            status: Int(status),
            contentType: type.bytes,
            retryAfter: retryAfter.bytes,
            rateLimit: rateLimit.bytes,
            date: date.bytes,
            relayTime: "\(Int64(time))".bytes,
            relayVersion: relayVersion.bytes,
            body: body
        )
    }
}
