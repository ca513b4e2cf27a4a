import OutboxCore
import Testing

@testable import WebClient

@Suite struct ForeignAnswerTests {
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
