import OutboxCore
import Testing

@testable import WebClient

@Suite struct TransitionLogTests {
    private func lines(_ page: Page, _ browser: Browser) -> [String] {
        page.click(.openDiagnostics)
        browser.settle()
        return (page.texts[.log] ?? "").split(separator: "\n").map { String($0) }
    }

    @Test("each transition of an operation is shown with its kind and identifier, and no text")
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
                "parked \(ids[1])", "queued \(ids[1])", "removed \(ids[0])", "queued \(ids[0])",
            ]
        )
    }

    @Test("only the latest transitions are kept")
    func bounded() {
        let browser = Browser()
        let page = browser.open()
        page.signIn()
        for number in 0..<40 { page.send("memo \(number)") }
        let lines = lines(page, browser)
        #expect(lines.count == TransitionLog.kept && lines[0].hasPrefix("removed "))
    }

    @Test("a transition that could not be stored is not shown")
    func failed() {
        let browser = Browser()
        let page = browser.open()
        browser.writeFailure = "QuotaExceededError"
        page.send("stays")
        #expect(lines(page, browser).isEmpty)
    }
}
