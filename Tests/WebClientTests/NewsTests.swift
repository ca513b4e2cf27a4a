import OutboxCore
import SimulatedBrowser
import Testing

@testable import WebClient

@Suite("News of sent memos on a page")
struct NewsTests {
    private func questions(_ browser: Browser) -> Int {
        browser.relay.requests.count { $0.path.hasPrefix("/v1/memos/changes") }
    }

    @Test("nothing is asked where no memo waits for news, also when the history is looked at")
    func nothingToLearn() {
        let browser = Browser()
        let page = browser.open()
        page.signIn()
        page.click(.openHistory)
        browser.pass(milliseconds: 120_000)
        #expect(questions(browser) == 0)
        page.click(.historyBack)
        page.send("sent")
        browser.relay.changes = browser.relay.accepted.keys.map { (id: $0, status: "bounced") }
        browser.pass(milliseconds: 6000)
        #expect(browser.statuses == ["bounced"])
        let asked = questions(browser)
        page.click(.openHistory)
        browser.kill(page)
        _ = browser.open()
        browser.pass(milliseconds: 60_000)
        #expect(questions(browser) == asked)
    }

    @Test("a page asks once after a memo has left, and goes on while the history is in sight")
    func following() {
        let browser = Browser()
        let page = browser.open()
        page.signIn()
        for memo in ["1", "2", "3"] {
            page.send(memo)
            browser.pass(milliseconds: 1500)
        }
        browser.pass(milliseconds: 1000)
        #expect(questions(browser) == 1)
        browser.pass(milliseconds: 600_000)
        #expect(questions(browser) == 2, "the first one came early for the last memo")
        page.click(.openHistory)
        browser.pass(milliseconds: 100_000)
        // At once, and after 5, 15, 35, 65 and 95 s.
        #expect(questions(browser) == 8)
        page.click(.historyBack)
        browser.pass(milliseconds: 600_000)
        #expect(questions(browser) == 9)
    }

    @Test("a page whose list of devices is refused says that this device is signed out")
    func refusedDevices() {
        let browser = Browser()
        let page = browser.open()
        page.signIn()
        browser.relay.token = "another"
        page.click(.openSettings)
        browser.settle()
        #expect(page.attributes[.destination]?[.dataState] == "signed-out")
    }
}
