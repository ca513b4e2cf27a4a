import OutboxCore
import SimulatedBrowser
import Testing

@testable import WebClient

@Suite struct DraftTests {
    @Test("that the draft cannot be saved does not take the place of why the memo was not sent")
    func lessUrgent() {
        let browser = Browser()
        let page = browser.open()
        browser.writeFailure = "QuotaExceededError"
        page.type("precious")
        page.click(.send)
        browser.pass(milliseconds: 1000)
        #expect(page.memo == "precious")
        #expect(page.texts[.notice]?.contains("The storage is full") == true)
    }

    @Test("a draft survives the page's end, and is gone when it is sent")
    func restore() {
        let browser = Browser()
        let page = browser.open()
        page.type("half a tho")
        browser.pass(milliseconds: 300)
        browser.kill(page)
        let next = browser.open()
        #expect(next.memo == "half a tho")
        next.send("ught")
        #expect(next.memo == "" && browser.rows(.drafts).isEmpty)
        browser.kill(next)
        #expect(browser.open().memo == "")
    }

    @Test("what is at rest, a draft or a memo, does not hold its text")
    func sealed() {
        let browser = Browser()
        let page = browser.open()
        page.type("canary")
        browser.pass(milliseconds: 300)
        #expect(browser.holds("canary", in: .drafts) && !isReadable("canary", in: browser))
        page.send("!")
        #expect(browser.holds("canary!", in: .history) && browser.rows(.outbox).count == 1)
        #expect(!isReadable("canary", in: browser))
    }

    private func isReadable(_ text: String, in browser: Browser) -> Bool {
        browser.stores.values.contains { store in
            store.values.contains {
                ($0.key + $0.head + $0.body).firstRange(of: text.bytes) != nil
            }
        }
    }

    @Test("a draft that is saved while its memo is sent does not come back")
    func raceWithSending() {
        for seed in UInt64(1)...100 {
            let browser = Browser(seed: seed)
            let page = browser.open()
            page.type("race")
            browser.pass(milliseconds: 149)
            browser.monotonicTime += 1
            page.fire(.draft)
            page.click(.send)
            browser.pass(milliseconds: 1000)
            #expect(browser.rows(.drafts).isEmpty, "seed \(seed)")
            browser.kill(page)
            #expect(browser.open().memo == "", "seed \(seed)")
        }
    }

    @Test("what was typed before the draft was restored stays where it is")
    func typedFirst() {
        let browser = Browser()
        let page = browser.open()
        page.type("old")
        browser.pass(milliseconds: 300)
        browser.kill(page)
        let next = browser.open(settling: false)
        next.memo = "new"
        browser.settle()
        #expect(next.memo == "new\n\nold")
    }

    @Test("a draft is restored as its page left it, whenever that page ends")
    func restoredFromTheLatest() {
        for moment in 0..<60 {
            let browser = Browser(seed: UInt64(moment))
            let page = browser.open()
            page.type("half")
            browser.pass(milliseconds: 300)
            let next = browser.open(settling: false)
            for _ in 0..<moment / 4 { browser.step(next) }
            page.type(" a thought")
            browser.pass(milliseconds: 300)
            browser.kill(page)
            browser.pass(milliseconds: 10_000)
            #expect(next.memo == "half a thought", "at step \(moment)")
            browser.kill(next)
            #expect(browser.open().memo == "half a thought", "at step \(moment)")
        }
    }

    @Test("a memo that was sent does not come back as the draft of its page")
    func sentMeanwhile() {
        for moment in 0..<20 {
            let browser = Browser(seed: UInt64(moment))
            let page = browser.open()
            page.type("sent")
            browser.pass(milliseconds: 300)
            let next = browser.open(settling: false)
            for _ in 0..<moment { browser.step(next) }
            page.click(.send)
            while browser.rows(.history).isEmpty { browser.step(page) }
            browser.kill(page)
            browser.settle()
            #expect(next.memo == "", "at step \(moment)")
        }
    }

    @Test("the draft of a page that ends does not join a memo that is being written elsewhere")
    func afterOwnMemo() {
        let browser = Browser()
        let page = browser.open()
        page.type("theirs")
        browser.pass(milliseconds: 300)
        let next = browser.open()
        next.type("mine")
        browser.pass(milliseconds: 20_000)
        browser.kill(page)
        browser.pass(milliseconds: 300)
        #expect(next.memo == "mine")
        next.click(.send)
        browser.settle()
        #expect(next.memo == "theirs" && browser.holds("mine", in: .history))
        #expect(!browser.holds("theirs", in: .history))
    }

    @Test("each page has a draft of its own")
    func twoPages() {
        let browser = Browser()
        let first = browser.open()
        first.type("first")
        browser.pass(milliseconds: 300)
        let second = browser.open()
        #expect(second.memo == "")
        second.type("second")
        browser.pass(milliseconds: 300)
        #expect(browser.rows(.drafts).count == 2)
    }

    @Test("no key is made while sealed records are without theirs; the text stays")
    func keyLost() {
        let browser = Browser()
        let page = browser.open()
        page.send("sealed")
        browser.kill(page)
        browser.keys = []
        let next = browser.open()
        next.send("more")
        #expect(browser.keys.isEmpty && next.memo == "more")
        #expect(next.texts[.notice]?.contains("key") == true)
        #expect(browser.rows(.outbox).count == 1)
    }

    @Test("signing out deletes everything, on all pages")
    func wipe() {
        let browser = Browser()
        let page = browser.open()
        let other = browser.open()
        page.signIn()
        page.send("kept?")
        page.click(.signOut)
        browser.settle()
        page.click(.wipeAccept)
        browser.settle()
        #expect(browser.stores.values.allSatisfy { $0.isEmpty } && browser.keys.isEmpty)
        #expect(page.isReloaded && other.isReloaded)
        #expect(browser.relay.requests.contains { $0.method == "DELETE" })
    }
}
