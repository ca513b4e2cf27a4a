import Foundation
import Logging
import MemoCore
import MemoKit
import MemoTexts
import OutboxCore
import SimulatedBrowser
import StoreCore
import Synchronization
import TemporaryFolders
import Testing

@testable import MemoCourier
@testable import MemoDelivery
@testable import Outbox
@testable import WebClient

/// The terminal's side and the web app, each with its own code from the answer to what is stored and
/// said, get the same answers.
@Suite struct AnswerFaceTests {
    @Test("an answer to a memo means the same for the queue and the history on both faces")
    func memos() async throws {
        let terminal = try TerminalFace()
        let web = WebFace()
        var kinds: [String: Int] = [:]
        var differences = Differences()
        for answer in AnswerCorpus.memos {
            let (outcome, status) = try await terminal.send(getting: answer)
            let (stored, webStatus) = web.send(getting: answer)
            kinds[Self.kind(of: outcome), default: 0] += 1
            if Self.agree(stored, with: outcome), status == webStatus { continue }
            differences.add(
                "\(outcome), \(Self.told(status))",
                "\(stored), \(Self.told(webStatus))",
                answer
            )
        }
        differences.record()
        print("compared \(AnswerCorpus.memos.count) answers to memos: \(kinds)")
        for kind in ["done", "park", "retry", "retryAfter"] {
            #expect(kinds[kind, default: 0] >= 20, "the answers must put the faces to the test")
        }
    }

    @Test("an answer at sign-in is told in the same sentence on both faces")
    func signIn() async throws {
        let terminal = try TerminalFace()
        let web = WebFace()
        var sentences: [String: Int] = [:]
        var differences = Differences()
        for (isCode, answers) in [
            (false, AnswerCorpus.signIn(success: "{}")),
            (true, AnswerCorpus.signIn(success: #"{"token":"granted"}"#)),
        ] {
            for answer in answers {
                let sentence = await terminal.signIn(isCode, getting: answer)
                let other = web.signIn(isCode, getting: answer)
                sentences[sentence, default: 0] += 1
                if sentence != other { differences.add(sentence, other, answer) }
            }
        }
        differences.record()
        let count = sentences.values.reduce(0, +)
        print("compared \(count) answers at sign-in, \(sentences.count) sentences")
        #expect(sentences.count >= 7 && sentences["", default: 0] >= 2)
    }

    private static func told(_ status: HistoryStatus?) -> String {
        status.map { String(decoding: $0.name, as: UTF8.self) } ?? "none"
    }

    private static func kind(of outcome: DeliveryMachine.Outcome) -> String {
        switch outcome {
        case .done: "done"
        case .park: "park"
        case .retry: "retry"
        case .retryOnNetwork: "retryOnNetwork"
        case .retryAfter: "retryAfter"
        }
    }

    /// Whether the web app has stored this outcome. Random factors lengthen a wait.
    private static func agree(
        _ stored: WebFace.Stored,
        with outcome: DeliveryMachine.Outcome
    ) -> Bool {
        switch (stored, outcome) {
        case (.removed, .done): return true
        case (.parked(let envelope), .park(let reason)): return envelope.lastError == reason
        case (.queued(let envelope, _), .retry(let reason)):
            return envelope.lastError == reason && envelope.waitCause == .backoff
                && envelope.attemptCount == 1
        case (.queued(let envelope, let wait), .retryAfter(let asked, let reason)):
            let policy = RetryPolicy.device
            let shortest = policy.serverDelay(asked: asked, jitter: 0)
            let longest = policy.serverDelay(asked: asked, jitter: .max)
            return envelope.lastError == reason && envelope.waitCause == .server
                && envelope.attemptCount == 0 && (shortest...longest).contains(wait)
        default: return false
        }
    }
}

/// How the faces differ, each kind of difference with its first example.
private struct Differences {
    private var found: [String: (count: Int, example: FaceAnswer)] = [:]

    mutating func add(_ terminal: String, _ web: String, _ answer: FaceAnswer) {
        let key = "the terminal: \(terminal) | the web app: \(web)"
        found[key, default: (0, answer)].count += 1
    }

    func record() {
        for (key, (count, example)) in found {
            Issue.record("\(key) | \(count) answers, such as \(example)")
        }
    }
}

/// One answer over HTTP. `{id}` in its body stands for the memo's identifier.
struct FaceAnswer: Sendable, CustomStringConvertible {
    var status: Int
    var type = ""
    var retryAfter = ""
    var date = ""
    var body = ""

    var description: String { "\(status) \(type) \(retryAfter) \(body.prefix(120))" }

    func body(about id: String) -> [UInt8] { Array(body.replacing("{id}", with: id).utf8) }
}

/// The other end of the device, which gives one answer to everything.
private final class GivenAnswer: Sendable {
    let answer = Mutex(FaceAnswer(status: 0))
}

/// The delivering side of the device: its handler, its sign-in and its reader of news.
private final class TerminalFace {
    private let place: TemporaryFolder
    private let box: MemoBox
    private let relay = GivenAnswer()
    private var operation: OutboxOperation?

    init() throws {
        place = try TemporaryFolder()
        box = try MemoBox(folder: DataFolder(path: place.file("data")), keys: .file)
        try box.setAccount(
            MemoKit.Account(relay: "http://127.0.0.1:1", address: "a@b.example", token: "token")
        )
    }

    private var client: RelayClient {
        RelayClient { [relay] request in
            let id = request.url.split(separator: "/").last ?? ""
            return .success(relay.answer.withLock { $0.reply(about: String(id)) })
        }
    }

    /// What becomes of a memo whose PUT gets this answer.
    func send(
        getting answer: FaceAnswer
    ) async throws -> (DeliveryMachine.Outcome, HistoryStatus?) {
        relay.answer.withLock { $0 = answer }
        let operation = try self.operation ?? newOperation()
        let outcome = await Delivery(box: box, client: client).deliver(operation)
        switch outcome {
        case .done, .park: try await box.outbox.drain(["memo": { _ in outcome }], until: .idle)
        case .retry, .retryAfter, .retryOnNetwork: break
        }
        let status = try box.historyEntry(operation.id)?.status
        // A memo that still waits gets the next answer.
        self.operation = (try? box.outboxItem(operation.id).state) == .queued ? operation : nil
        return (outcome, status)
    }

    private func newOperation() throws -> OutboxOperation {
        let id = try box.send("memo")
        return OutboxOperation(
            id: id,
            kind: "memo",
            createdAt: id.time,
            attemptCount: 0,
            lastError: nil,
            orderingKey: nil,
            payload: Array(#"{"text":"memo"}"#.utf8)
        )
    }

    /// - Returns: The sentence that the person reads; empty where the answer is what was asked for.
    func signIn(_ isCode: Bool, getting answer: FaceAnswer) async -> String {
        relay.answer.withLock { $0 = answer }
        // The answer to the question for a code that is then confirmed.
        let mailed = FaceAnswer(status: 202, type: "application/json", body: "{}")
        let client = RelayClient { [relay] request in
            let isAsking = request.url.hasSuffix("\(RelayPath.verifications)")
            return .success(
                (isCode && isAsking ? mailed : relay.answer.withLock { $0 }).reply(about: "")
            )
        }
        var complaints: [MemoCourier.SignIn.Complaint?] = []
        do {
            try box.setOpenVerification(nil)
            try await MemoCourier.SignIn(box: box, client: client, memosWait: {}).signIn(
                "a@b.example",
                at: RelayLocation("http://127.0.0.1:1"),
                in: .english
            ) { complaint in
                complaints.append(complaint)
                return isCode && complaints.count == 1 ? "123456" : nil
            }
            return ""
        } catch MemoCourier.SignIn.Failure.noCode {
            // The terminal also tells how many tries are left.
            if case .wrong = complaints.last { return Self.sentence(.codeRejected) }
            return ""
        } catch {
            return (error as? any ExplainedError)?.sentence(in: .english) ?? "\(error)"
        }
    }

    private static func sentence(_ trouble: RelayTrouble) -> String {
        trouble.sentence(in: .english)
    }
}

extension FaceAnswer {
    fileprivate func reply(about id: String) -> RelayAnswer {
        RelayAnswer(
            status: status,
            contentType: type.bytes,
            retryAfter: retryAfter.bytes,
            date: date.bytes,
            body: body(about: id)
        )
    }
}

/// The web app in a browser in memory.
private final class WebFace {
    /// What the outbox holds of the memo.
    enum Stored: CustomStringConvertible {
        case removed
        case parked(Envelope)
        case queued(Envelope, wait: Milliseconds)
        case other

        var description: String {
            switch self {
            case .removed: "removed"
            case .parked(let envelope): "parked: \(envelope.lastError?.description ?? "")"
            case .queued(let envelope, _):
                "queued: \(envelope.lastError?.description ?? ""), \(envelope.waitCause)"
            case .other: "neither queued nor parked"
            }
        }
    }

    private var browser = Browser()
    private lazy var page = browser.open()

    private var state: AppState { page.app.context.store.state }

    /// What becomes of a memo whose PUT gets this answer.
    func send(getting answer: FaceAnswer) -> (Stored, HistoryStatus?) {
        if state.account.token == nil { page.signIn() }
        for records in [Records.outbox, .history] { browser.stores["\(records.name)".bytes] = [:] }
        give(answer)
        page.send("memo")
        precondition(browser.relay.answers.isEmpty, "the answer was for something else")
        let status = browser.rows(.history).values.first.flatMap {
            HistoryHead(decoding: $0.head)?.status
        }
        guard let row = browser.rows(.outbox).values.first else { return (.removed, status) }
        switch OperationHead(decoding: row.head) {
        case .parked(let envelope): return (.parked(envelope), status)
        case .queued(let envelope):
            let now = WallTime(millisecondsSinceEpoch: Int64(browser.wallTime))
            return (.queued(envelope, wait: envelope.nextEligibleAt.since(now)), status)
        default: return (.other, status)
        }
    }

    /// - Returns: The sentence that the person reads; empty where the answer is what was asked for.
    func signIn(_ isCode: Bool, getting answer: FaceAnswer) -> String {
        if isCode {
            // A code that was rejected often gets another sentence.
            if case .codeAsked = state.account, state.complaint?.text != .codeRejected {
            } else {
                begin()
            }
        } else if state.account != .signedOut {
            renew()
        }
        page.app.context.change { $0.complaint = nil }
        // The token of an answer is one of this relay, which lists the person's devices for it.
        browser.relay.token = "granted"
        page.values[.address] = "a@b.example".bytes
        page.values[.code] = "123456".bytes
        give(answer)
        isCode ? page.tell(.typed, number: UInt32(Name.code.rawValue)) : page.click(.askCode)
        browser.settle()
        switch state.account {
        case .codeAsked where !isCode: return ""
        case .signedIn where isCode: return ""
        default: return state.complaint.map(Self.sentence) ?? "nothing"
        }
    }

    private func renew() {
        browser = Browser()
        page = browser.open()
    }

    private func begin() {
        renew()
        page.values[.address] = "a@b.example".bytes
        page.click(.askCode)
        browser.settle()
    }

    private func give(_ answer: FaceAnswer) {
        browser.relay.date = answer.date
        browser.relay.answers = [
            (UInt32(answer.status), answer.type, answer.retryAfter, answer.body)
        ]
    }

    private static func sentence(_ complaint: Complaint) -> String {
        String(
            decoding: Language.english.text(complaint.text).filled(with: complaint.values),
            as: UTF8.self
        )
    }
}
