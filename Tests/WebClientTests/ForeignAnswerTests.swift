import OutboxCore
import SimulatedBrowser
import Testing

@testable import WebClient

@Suite struct ForeignAnswerTests {
    @Test("a relay whose news have no end is asked for 64 pages at a time")
    func endless() {
        let browser = Browser()
        let page = browser.open()
        page.signIn()
        page.send("sent")
        let pageOfNews = #"{"rows":[],"cursor":"c{n}","device":"d","more":true}"#
        browser.relay.changesAnswer = (200, "application/json", "", pageOfNews)
        browser.relay.requests = []
        browser.pass(milliseconds: 5000)
        let questions = browser.relay.requests.filter { $0.path.hasPrefix("/v1/changes") }
        #expect(questions.count == 64)
    }

    @Test(
        "an exchange has the time that its length needs, and an answer the relay's longest length"
    )
    func bounds() throws {
        let browser = Browser()
        let page = browser.open()
        page.signIn()
        page.send("short")
        page.send(String(repeating: "x", count: 1 << 20))
        let bodies = browser.relay.accepted.values.map(\.count).sorted()
        let bounds = browser.relay.bounds.suffix(2)
        #expect(bounds.map(\.time) == bodies.map { UInt32(60_000 + $0 / 4) })
        #expect(browser.relay.bounds.allSatisfy { $0.answerLength == 256 * 1024 })
    }

    @Test(
        "an answer that is not the relay's about this memo is weather: the memo stays and is sent",
        arguments: [
            (200, "text/html", "<p>Welcome to our network"),
            (302, "text/html", ""),
            (200, "application/json", "{\"status\":\"accepted\"}"),
            (
                202, "application/json",
                "{\"id\":\"017f22e2-79b0-7cc3-98c4-dc0c0c07398f\",\"status\":\"accepted\"}"
            ),
        ] as [(UInt32, String, String)]
    )
    func staysAndIsSent(status: UInt32, type: String, body: String) {
        let browser = Browser()
        let page = browser.open()
        page.signIn()
        browser.relay.answers = [(status, type, "", body)]
        page.send("kept")
        #expect(browser.rows(.outbox).count == 1 && browser.statuses == ["queued"])
        browser.pass(milliseconds: 60_000)
        #expect(browser.rows(.outbox).isEmpty && browser.statuses == ["sent"])
        #expect(browser.relay.accepted.count == 1)
    }
}
