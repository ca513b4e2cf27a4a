import OutboxCore
import SimulatedBrowser
import Testing

@testable import WebClient

/// The draft that the host script has kept before the module came.
extension DraftTests {
    /// A browser with one draft, whose page has ended.
    private func browserWithDraft(_ text: String) -> (Browser, key: [UInt8]) {
        let browser = Browser()
        let page = browser.open()
        page.type(text)
        browser.pass(milliseconds: 1000)
        browser.kill(page)
        return (browser, browser.rows(.drafts).keys.first ?? [])
    }

    @Test("a draft that the host has kept is the page's own, and is sent as what the field holds")
    func keptByHost() {
        for typed in ["kept", "kept and more"] {
            let (browser, key) = browserWithDraft("kept")
            let page = browser.open(draft: key, memo: typed)
            let other = browser.open()
            browser.pass(milliseconds: 20_000)
            #expect(page.memo == typed && other.memo.isEmpty)
            #expect(browser.rows(.drafts).map { browser.text(of: $0.value) } == [typed])
            page.signIn()
            page.click(.send)
            browser.settle()
            #expect(browser.rows(.drafts).isEmpty && page.memo.isEmpty)
            #expect(browser.relay.accepted.count == 1)
        }
    }

    @Test("a text that was erased before the module came does not come back")
    func erasedBeforeModule() {
        let (browser, key) = browserWithDraft("erased")
        let page = browser.open(draft: key)
        browser.pass(milliseconds: 1000)
        #expect(page.memo.isEmpty && browser.rows(.drafts).isEmpty)
    }

    @Test("a draft that the host has kept is another page's once its page has ended")
    func hostsPageEnds() {
        let (browser, key) = browserWithDraft("kept")
        let page = browser.open(draft: key, memo: "kept")
        let other = browser.open()
        browser.kill(page)
        browser.settle()
        #expect(other.memo == "kept")
    }
}
