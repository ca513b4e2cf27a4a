import SimulatedBrowser
import Testing

@testable import WebClient

@Suite struct ShareTests {
    private func share(_ text: String, in browser: Browser) -> Bool? {
        let worker = browser.open(.worker)
        worker.tell(.shared, number: 9, text.bytes)
        browser.settle()
        defer { browser.kill(worker) }
        return worker.finished[9]
    }

    @Test("a shared text joins the memo when the person takes it, and not before")
    func taken() {
        let browser = Browser()
        #expect(share("shared text", in: browser) == true)
        let page = browser.open()
        browser.pass(milliseconds: 300)
        #expect(page.memo == "" && !page.isHidden(.share) && browser.rows(.drafts).isEmpty)
        #expect(page.texts[.shareText] == "shared text", "the person sees what is offered")
        page.click(.shareTake)
        browser.settle()
        #expect(page.memo == "shared text" && page.isHidden(.share) && page.focus == .memo)
        browser.pass(milliseconds: 300)
        #expect(browser.rows(.shares).isEmpty && browser.rows(.drafts).count == 1)
        browser.kill(page)
        #expect(browser.open().memo == "shared text")
    }

    @Test("a shared text that is discarded is gone, and what is being written stays")
    func discarded() {
        let browser = Browser()
        let page = browser.open()
        page.type("my own")
        browser.settle()
        #expect(share("not wanted", in: browser) == true)
        #expect(!page.isHidden(.share), "an open page offers it")
        page.click(.shareDiscard)
        browser.settle()
        #expect(page.isHidden(.share) && browser.rows(.shares).isEmpty && page.memo == "my own")
    }

    @Test("a shared text that cannot be read is said to be missed, and stops nothing")
    func unreadable() {
        let browser = Browser()
        #expect(share("readable", in: browser) == true)
        let key = [UInt8](repeating: 1, count: 16)
        let damaged = Record(key: key, head: [1], body: [9])
        browser.stores["shares".bytes]?[key] = damaged
        browser.stores["shares".bytes] = browser.stores["shares".bytes]?.filter { $0.key == key }
        let page = browser.open()
        page.send("goes on")
        #expect(browser.rows(.outbox).count == 1 && !page.isHidden(.share))
        page.click(.shareTake)
        browser.settle()
        #expect(page.texts[.notice]?.contains("shared text did not reach") == true)
        #expect(page.isHidden(.share) && browser.rows(.shares).isEmpty)
    }

    @Test("no more shared texts wait than are kept")
    func bounded() {
        let browser = Browser()
        for number in 0..<16 { #expect(share("text \(number)", in: browser) == true) }
        #expect(share("one too many", in: browser) == false)
        #expect(browser.rows(.shares).count == 16)
    }
}
