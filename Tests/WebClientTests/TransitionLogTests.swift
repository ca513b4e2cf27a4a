import OutboxCore
import SimulatedBrowser
import Testing

@testable import WebClient

@Suite struct TransitionLogTests {
    private func lines(_ page: Page, _ browser: Browser) -> [String] {
        page.click(.openDiagnostics)
        browser.settle()
        return shown(page)
    }

    private func shown(_ page: Page) -> [String] {
        (page.rows[.logList] ?? []).indices.map { index in
            [.state, .name, .reason, .id].compactMap { page.text($0, in: .logList, at: index) }
                .filter { !$0.isEmpty }.joined(separator: " ")
        }
    }

    @Test(
        "each transition of an operation is shown with its kind, type of error and identifier, no text"
    )
    func transitions() {
        let browser = Browser()
        let page = browser.open()
        page.signIn()
        page.send("canary")
        browser.pass(milliseconds: 10)
        browser.relay.refuseNext()
        page.send("canary too")
        let ids = browser.rows(.history).keys.sorted { $0.lexicographicallyPrecedes($1) }.map {
            String(decoding: OperationID(bytes: $0)!.text, as: UTF8.self)
        }
        #expect(
            lines(page, browser) == [
                "Needs attention memo relay.too-large \(ids[1])", "Queued memo \(ids[1])",
                "Left the queue memo \(ids[0])", "Queued memo \(ids[0])",
            ]
        )
    }

    @Test("the transitions that a service worker of an earlier build stored are shown")
    func earlierBuild() {
        let browser = signedIn()
        let id = OperationID(high: 1, low: 2)
        let time = WallTime(millisecondsSinceEpoch: 1_790_000_000_000)
        browser.stores["things".bytes]?[[7]] = Record(
            key: [7],
            head: [0],
            body: time.ordered + [2] + id.bytes
        )
        leave(["canary"], in: browser)
        deliverByWorker(browser)
        let lines = lines(browser.open(), browser)
        #expect(lines.last == "Needs attention \(String(decoding: id.text, as: UTF8.self))")
        #expect(lines.count > 1 && lines[0].hasPrefix("Left the queue memo "))
    }

    @Test("only the latest transitions are kept")
    func bounded() {
        let browser = Browser()
        let page = browser.open()
        page.signIn()
        for number in 0..<40 { page.send("memo \(number)") }
        let lines = lines(page, browser)
        #expect(lines.count == TransitionLog.kept && lines[0].hasPrefix("Left the queue "))
    }

    @Test("a transition that could not be stored is not shown")
    func failed() {
        let browser = Browser()
        let page = browser.open()
        browser.writeFailure = "QuotaExceededError"
        page.send("stays")
        #expect(lines(page, browser).isEmpty)
    }

    // MARK: The service worker

    /// Leaves memos in the outbox that wait for a network.
    private func leave(_ texts: [String], in browser: Browser) {
        let page = browser.open()
        browser.setOnline(false)
        for text in texts { page.send(text) }
        browser.kill(page)
        browser.pass(milliseconds: 10)
    }

    /// Lets a new service worker deliver what waits, twice woken, and ends it once it has answered.
    private func deliverByWorker(_ browser: Browser) {
        browser.isOnline = true
        let worker = browser.open(.worker)
        for sync in [1, 2] as [UInt32] {
            worker.tell(.synced, number: sync)
            while worker.finished[sync] == nil { browser.step() }
        }
        browser.kill(worker)
        browser.pass(milliseconds: 10)
    }

    private func signedIn() -> Browser {
        let browser = Browser()
        let page = browser.open()
        page.signIn()
        browser.kill(page)
        return browser
    }

    @Test("what service workers stored is shown with what the page stored, in the order of time")
    func workers() {
        let browser = signedIn()
        for text in ["first", "second"] {
            leave([text], in: browser)
            deliverByWorker(browser)
        }
        let page = browser.open()
        page.send("by the page")
        let ids = browser.rows(.history).keys.sorted { $0.lexicographicallyPrecedes($1) }.map {
            String(decoding: OperationID(bytes: $0)!.text, as: UTF8.self)
        }
        #expect(
            lines(page, browser)
                == [
                    "Left the queue memo \(ids[2])", "Queued memo \(ids[2])",
                    "Left the queue memo \(ids[1])", "Queued memo network.unreachable \(ids[1])",
                    "Left the queue memo \(ids[0])", "Queued memo network.unreachable \(ids[0])",
                ]
        )
    }

    @Test("a page that shows the diagnostics shows what a service worker stored meanwhile")
    func shownAtOnce() {
        let browser = signedIn()
        leave(["by the worker"], in: browser)
        let page = browser.open()
        #expect(!lines(page, browser).contains { $0.hasPrefix("Left the queue ") })
        browser.pass(milliseconds: 10)
        browser.isOnline = true
        browser.open(.worker).tell(.synced, number: 1)
        browser.settle()
        #expect(shown(page).first?.hasPrefix("Left the queue ") == true)
    }

    @Test("service workers keep only the latest transitions")
    func workersBounded() {
        let browser = signedIn()
        for _ in 0..<2 {
            leave((0..<40).map { "memo \($0)" }, in: browser)
            deliverByWorker(browser)
        }
        let page = browser.open()
        let lines = lines(page, browser)
        #expect(lines.count == TransitionLog.kept && lines[0].hasPrefix("Left the queue "))
        let kept = TransitionLog(decoding: browser.rows(.things)[[7]]?.body ?? [])
        #expect(kept.entries.count == TransitionLog.kept)
    }

    @Test("a service worker that is delivering while a page signs out leaves nothing behind")
    func signedOut() {
        for steps in 0..<80 {
            let browser = signedIn()
            leave(["canary"], in: browser)
            let worker = browser.open(.worker)
            let page = browser.open()
            page.click(.signOut)
            browser.settle()
            browser.isOnline = true
            worker.tell(.synced, number: 1)
            for _ in 0..<steps { browser.step(worker) }
            page.click(.wipeAccept)
            browser.settle()
            #expect(page.isReloaded && worker.isReloaded)
            #expect(browser.stores.values.allSatisfy { $0.isEmpty }, "after \(steps) steps")
        }
    }
}
