import OutboxCore
import OutboxTesting
import SimulatedBrowser
import TestSeeds
import Testing
import WireCore

@testable import WebClient

/// The drain of the web app under the faults that a seed chooses, several of them at once.
@Suite struct LifeTests {
    @Test(
        """
        a memo whose field was emptied is delivered exactly once, whatever happens to pages, worker, \
        database, power, network and clock
        """
    )
    func lives() {
        var tally: [Life.Fault: Int] = [:]
        var (emptied, undone) = (0, 0)
        for seed in TestSeeds["web-lives"] {
            for number in UInt64(0)..<50 {
                let life = Life(seed: seed &* 1000 &+ number)
                life.run()
                tally.merge(life.tally, uniquingKeysWith: +)
                emptied += life.emptied.count
                undone += life.browser.undoneTransactions
                for problem in life.problems { Issue.record("seed \(life.seed): \(problem)") }
            }
        }
        print("web lives: \(emptied) memos, \(undone) transactions undone, \(tally)")
        #expect(emptied > 300 && undone > 40)
        for fault in Life.Fault.allCases { #expect(tally[fault, default: 0] > 10, "\(fault)") }
    }
}

/// A browser, its person and its faults, under one seed.
private final class Life {
    enum Fault: CaseIterable {
        case pageDies, workerDies, powerFails, answerIsLost, serverFails, asksToWait
        case strangerAnswers, offline, cannotWrite, cannotRead, keyIsAway, clockMoves
    }

    let seed: UInt64
    let browser: Browser
    private(set) var tally: [Fault: Int] = [:]
    /// The texts of emptied fields.
    private(set) var emptied: Set<String> = []
    private var random: SeededRandom
    private var pressed: [(page: Page, text: String)] = []
    private var worker: Page?
    private var written = 0

    init(seed: UInt64) {
        self.seed = seed
        browser = Browser(seed: seed)
        random = SeededRandom(seed: seed &* 77 &+ 1)
    }

    func run() {
        browser.open().signIn()
        for _ in 0..<40 {
            act()
            if chance(3) { happen() }
            for _ in 0..<Int.random(in: 0..<30, using: &random) {
                browser.step()
                look()
            }
            if chance(3) {
                browser.pass(milliseconds: Double(Int.random(in: 0..<100_000, using: &random)))
                look()
            }
        }
        heal()
    }

    /// The broken promises, in words.
    var problems: [String] {
        let texts = browser.relay.accepted.values.map { body in
            String(decoding: JSON(decoding: body)?["text"]?.string ?? [], as: UTF8.self)
        }
        return [
            emptied.isSubset(of: texts) ? nil : "lost \(emptied.subtracting(texts))",
            Set(texts).count == texts.count ? nil : "doubled",
            browser.rows(.outbox).isEmpty ? nil : "stranded",
            browser.statuses.allSatisfy { $0 == "sent" } ? nil : "told \(browser.statuses)",
            browser.rows(.history).count == texts.count ? nil : "not once in the history",
            browser.attemptsWithoutRole == 0 ? nil : "attempted without the drainer's role",
        ].compactMap { $0 }
    }

    // MARK: The person and the browser

    private func chance(_ times: Int) -> Bool { Int.random(in: 0..<times, using: &random) == 0 }

    private var pages: [Page] { browser.pages.filter { $0 !== worker } }

    private func act() {
        if pages.isEmpty || pages.count < 3 && chance(6) {
            browser.open(settling: chance(2))
        }
        if worker == nil, browser.isOnline, chance(6) {
            worker = browser.open(.worker, settling: false)
            worker?.tell(.synced, number: 1)
        }
        guard let page = pages.randomElement(using: &random), !page.isHidden(.send) else { return }
        // A draft that another page left may be in the field already.
        if page.memo.isEmpty {
            written += 1
            page.type("memo \(written)")
        }
        if chance(2) {
            pressed.append((page, page.memo))
            page.click(.send)
        }
    }

    private func look() {
        pressed.removeAll { page, text in
            guard page.isDead || page.memo != text else { return false }
            if !page.isDead, page.memo.isEmpty { emptied.insert(text) }
            return true
        }
    }

    // MARK: Faults

    private func happen() {
        let fault = Fault.allCases.randomElement(using: &random)!
        switch fault {
        case .pageDies:
            guard let page = pages.randomElement(using: &random) else { return }
            browser.kill(page)
        case .workerDies:
            guard let worker else { return }
            browser.kill(worker)
            self.worker = nil
        case .powerFails:
            browser.cutPower()
            worker = nil
        case .answerIsLost: browser.relay.losesAnswer.toggle()
        case .serverFails: answer(503, "text/html", "")
        case .asksToWait: answer(429, "text/plain", "\(Int.random(in: 0..<9000, using: &random))")
        case .strangerAnswers: answer(200, "text/html", "Welcome!")
        case .offline: browser.isOnline.toggle()
        case .cannotWrite:
            browser.writeFailure = browser.writeFailure == nil ? "QuotaExceededError" : nil
        case .cannotRead: browser.readFailure = browser.readFailure == nil ? "UnknownError" : nil
        case .keyIsAway: browser.isKeyAway.toggle()
        case .clockMoves:
            browser.wallTime += Double(
                Int.random(in: -99_999_999_999...99_999_999_999, using: &random)
            )
        }
        tally[fault, default: 0] += 1
    }

    private func answer(_ status: UInt32, _ type: String, _ text: String) {
        let isWait = status == 429
        browser.relay.answers.append((status, type, isWait ? text : "", isWait ? "" : text))
    }

    /// Ends all faults, and lets the longest wait pass that a server may ask for.
    private func heal() {
        for page in browser.pages { browser.kill(page) }
        (browser.isOnline, browser.isKeyAway, browser.relay.losesAnswer) = (true, false, false)
        (browser.writeFailure, browser.readFailure) = (nil, nil)
        browser.relay.answers = []
        browser.open()
        browser.hide()
        browser.pass(milliseconds: 2 * 86_400_000)
    }
}
