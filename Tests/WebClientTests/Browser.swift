import MemoCore
import OutboxCore
import OutboxTesting

@testable import WebClient

/// A browser in memory: the state that all pages and workers of one person share, and that survives
/// them.
final class Browser {
    typealias Rows = [[UInt8]: Record]

    var stores: [[UInt8]: Rows] = [:]
    var keys: [[UInt8]] = []
    /// The holder of a lock, and the requests that wait for it.
    var locks: [[UInt8]: (holder: Page, waiting: [(page: Page, request: UInt32)])] = [:]
    var pages: [Page] = []
    var isOnline = true
    /// The name of the error that writing ends with.
    var writeFailure: String?
    /// The name of the error that reading ends with.
    var readFailure: String?
    /// Whether the browser grants persistent storage.
    var isPersistent = true
    /// Whether the key is missing for now, though records are sealed under it.
    var isKeyAway = false
    let relay = Relay()
    /// The states of the database since the last transaction that is on the disk, that one first: a
    /// power cut may leave any of them.
    private var states: [(stores: [[UInt8]: Rows], keys: [[UInt8]])] = [([:], [])]
    /// The number of transactions that power cuts have undone.
    private(set) var undoneTransactions = 0
    /// The number of attempts by pages and workers that did not hold the drainer's lock.
    var attemptsWithoutRole = 0
    /// The wall clock, which can be set, and a clock that cannot.
    var wallTime = 1_800_000_000_000.0
    var monotonicTime = 0.0
    var random: SeededRandom

    init(seed: UInt64 = 1) {
        random = SeededRandom(seed: seed)
    }

    func rows(_ records: Records) -> Rows { stores["\(records.name)".bytes] ?? [:] }

    /// Whether a record of these holds the text, sealed as `Page.seal` does. By bytes: as
    /// characters, a text could melt into a mark that happens to follow it.
    func holds(_ text: String, in records: Records) -> Bool {
        rows(records).values.contains { $0.body.map { ~$0 }.firstRange(of: text.bytes) != nil }
    }

    /// Opens a page and lets it come to rest.
    @discardableResult
    func open(_ role: Page.Role = .page, query: String = "", settling: Bool = true) -> Page {
        let page = Page(self)
        pages.append(page)
        page.start(role, query: query)
        if settling { settle() }
        return page
    }

    /// Ends the page between two steps: only stored records remain.
    func kill(_ page: Page) {
        page.isDead = true
        pages.removeAll { $0 === page }
        for (name, lock) in locks {
            var lock = lock
            lock.waiting.removeAll { $0.page === page }
            locks[name] = lock
            if lock.holder === page { free(name) }
        }
    }

    /// Notes a transaction. IndexedDB keeps the order of transactions: one that is on the disk takes
    /// all before it along.
    func committed(isStrict: Bool) {
        if isStrict { states.removeAll() }
        states.append((stores, keys))
    }

    /// Ends all pages and workers, and leaves the database as it was after some transaction since the
    /// last one that is on the disk.
    func cutPower() {
        for page in pages { kill(page) }
        let left = Int.random(in: states.indices, using: &random)
        undoneTransactions += states.count - 1 - left
        (stores, keys) = states[left]
        states = [states[left]]
    }

    func free(_ name: [UInt8]) {
        guard var lock = locks[name] else { return }
        guard !lock.waiting.isEmpty else {
            locks[name] = nil
            return
        }
        let next = lock.waiting.removeFirst()
        lock.holder = next.page
        locks[name] = lock
        next.page.answer(next.request)
    }

    /// Whether there is something left to do without time passing.
    var isBusy: Bool { pages.contains { !$0.work.isEmpty } }

    /// Does one thing of one page, picked at random.
    func step() {
        let busy = pages.filter { !$0.work.isEmpty }
        if let page = busy.randomElement(using: &random) { step(page) }
    }

    /// Does the next thing of one page.
    func step(_ page: Page) {
        guard !page.work.isEmpty else { return }
        page.work.removeFirst()()
        // The host answers within the same task: no key is pressed in between.
        while page.atOnce > 0 {
            page.atOnce -= 1
            page.work.removeFirst()()
        }
    }

    func settle(limit: Int = 10_000) {
        var steps = 0
        while isBusy, steps < limit {
            step()
            steps += 1
        }
        precondition(steps < limit, "the pages never come to rest")
    }

    /// Lets time pass, firing the timers that come due, in their order.
    func pass(milliseconds: Double) {
        let end = monotonicTime + milliseconds
        settle()
        while let due = pages.flatMap({ page in page.timers.map { (page, $0.key, $0.value) } })
            .filter({ $0.2 <= end }).min(by: { $0.2 < $1.2 })
        {
            let step = max(0, due.2 - monotonicTime)
            monotonicTime += step
            wallTime += step
            due.0.timers[due.1] = nil
            due.0.tell(.timerFired, number: due.1)
            settle()
        }
        wallTime += end - monotonicTime
        monotonicTime = end
    }

    func setOnline(_ isOnline: Bool) {
        self.isOnline = isOnline
        for page in pages { page.tell(.onlineChanged, number: isOnline ? 1 : 0) }
        settle()
    }
}

/// The other end: it remembers what it accepted, by identifier.
final class Relay {
    var accepted: [String: [UInt8]] = [:]
    var requests: [(method: String, path: String, token: String)] = []
    /// The bounds of all exchanges, also of those that did not reach the relay.
    var bounds: [ExchangeBounds] = []
    /// Answers given instead of the relay's own, each once. `{id}` stands for the last part of the
    /// request's path.
    var answers: [(status: UInt32, type: String, retryAfter: String, body: String)] = []
    /// The `Date` of these answers.
    var date = ""
    /// The answer to each question for changes, in place of the relay's own. `{n}` stands for the
    /// number of requests so far.
    var changesAnswer: (status: UInt32, type: String, retryAfter: String, body: String)?
    /// The token that is valid.
    var token = "token"
    var changes: [(id: String, status: String)] = []
    var hasReviewPage = false
    /// The answer gets lost on the way.
    var losesAnswer = false
    /// The digits of the codes that are mailed.
    var digits = 6
    /// The handles with which codes were tried.
    private(set) var handles: [String] = []
    /// The number of memos that it accepts in any minute, and tells in `RateLimit`; `nil` for any
    /// number.
    var perMinute: Int?
    /// The times of the accepted memos, as ``perMinute`` counts them.
    private var times: [Double] = []
    /// The wall clock's time, in milliseconds.
    var now: () -> Double = { 0 }
    /// The number of memos that were refused for ``perMinute``.
    private(set) var refusals = 0
    /// Answers stay on their way until they are released.
    var holdsAnswers = false
    var held: [() -> Void] = []

    func release() {
        let answers = held
        held.removeAll()
        for answer in answers { answer() }
    }

    /// Refuses the next request for good.
    func refuseNext() {
        answers = [
            (
                413, "application/problem+json", "",
                "{\"code\":\"too-large\",\"retryable\":false,\"status\":413}"
            )
        ]
    }

    func answer(_ method: String, _ path: String, _ token: String, _ body: [UInt8]) -> [UInt8] {
        requests.append((method, path, token))
        if !answers.isEmpty {
            let answer = answers.removeFirst()
            let id = String(path.split(separator: "/").last ?? "")
            let body = answer.body.replacing("{id}", with: id)
            return reply(answer.status, answer.type, answer.retryAfter, body.bytes, date: date)
        }
        if method == "GET", path.hasPrefix("/v1/memos/changes"), let answer = changesAnswer {
            let body = answer.body.replacing("{n}", with: "\(requests.count)")
            return reply(answer.status, answer.type, answer.retryAfter, body.bytes)
        }
        switch (method, path.prefix { $0 != "?" }) {
        case ("POST", "/v1/verifications"):
            return json(202, "{\"digits\":\(digits),\"handle\":\"handle-\(requests.count)\"}")
        case ("POST", "/v1/verifications/confirm"):
            let handle = JSON(decoding: body)?["handle"]?.string ?? []
            handles.append(String(decoding: handle, as: UTF8.self))
            return json(200, "{\"token\":\"\(self.token)\"}")
        case ("DELETE", _): return reply(204, "", "", [])
        case ("GET", "/v1/devices"): return json(200, "{\"devices\":[]}")
        case ("GET", "/v1/review"): return json(200, "{\"page\":\(hasReviewPage)}")
        case ("GET", "/v1/memos/changes"):
            let list = changes.map { "{\"id\":\"\($0.id)\",\"status\":\"\($0.status)\"}" }
            let cursor = "c\(changes.count)"
            return json(
                200,
                "{\"changes\":[\(list.joined(separator: ","))],\"cursor\":\"\(cursor)\",\"more\":false}"
            )
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

    private func json(_ status: UInt32, _ text: String) -> [UInt8] {
        reply(status, "application/json", "", text.bytes)
    }

    private func problem(_ status: UInt32, _ code: String, _ retryable: Bool) -> [UInt8] {
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
        date: String = ""
    ) -> [UInt8] {
        var writer = BorderWriter()
        writer.number(status)
        writer.block(type.bytes)
        writer.block(retryAfter.bytes)
        writer.block(rateLimit.bytes)
        writer.block(date.bytes)
        writer.block(body)
        return writer.bytes
    }
}

extension String {
    var bytes: [UInt8] { Array(utf8) }
}
