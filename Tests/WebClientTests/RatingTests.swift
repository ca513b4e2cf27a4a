import OutboxCore
import OutboxTesting
import SimulatedBrowser
import Testing
import WireCore

@testable import WebClient

@Suite struct RatingTests {
    /// A browser in which that many memos were sent, from one page.
    private func browser(sent: Int) -> (Browser, Page) {
        let browser = Browser()
        let page = browser.open()
        page.signIn()
        for number in 0..<sent { page.send("memo \(number)") }
        return (browser, page)
    }

    private func isAsked(_ page: Page) -> Bool { page.openDialogs == [.rating] }

    /// Lets days pass, and little happen.
    private func pass(days: Double, _ browser: Browser) {
        browser.wallTime += days * 86_400_000
    }

    /// Sends, and leaves the field alone.
    private func send(_ count: Int, _ browser: Browser, _ page: Page) {
        for number in 0..<count { page.send("more \(number)") }
        browser.pass(milliseconds: 2100)
    }

    @Test("after a hundred memos, when the field has been left alone, it is asked")
    func hundred() {
        let (browser, page) = browser(sent: 99)
        browser.pass(milliseconds: 5000)
        #expect(!isAsked(page))
        page.send("the hundredth")
        browser.pass(milliseconds: 1900)
        #expect(!isAsked(page))
        browser.pass(milliseconds: 200)
        #expect(isAsked(page))
    }

    @Test("nobody is asked who is typing")
    func typing() {
        let (browser, page) = browser(sent: 100)
        page.type("already at the next")
        browser.pass(milliseconds: 10_000)
        #expect(!isAsked(page))
        page.click(.send)
        browser.pass(milliseconds: 2100)
        #expect(isAsked(page))
    }

    @Test("an answer holds for a hundred memos and fourteen days, whichever takes longer")
    func answered() {
        let (browser, page) = browser(sent: 100)
        browser.pass(milliseconds: 2100)
        page.click(.rate3)
        browser.pass(milliseconds: 3100)
        #expect(page.openDialogs.isEmpty)
        send(100, browser, page)
        #expect(!isAsked(page), "a hundred more on the same day")
        pass(days: 13.9, browser)
        send(1, browser, page)
        #expect(!isAsked(page), "not yet fourteen days")
        pass(days: 0.2, browser)
        send(1, browser, page)
        #expect(isAsked(page), "fourteen days")
        page.click(.rate5)
        browser.pass(milliseconds: 3100)
        pass(days: 15, browser)
        send(99, browser, page)
        #expect(!isAsked(page), "fourteen days and only 99 memos")
        send(1, browser, page)
        #expect(isAsked(page), "fourteen days and a hundred memos")
    }

    @Test(
        "five stars open the page for reviews where the relay has one, and else get a thank-you",
        arguments: [false, true]
    )
    func fiveStars(hasReviewPage: Bool) {
        let (browser, page) = browser(sent: 100)
        browser.relay.hasReviewPage = hasReviewPage
        browser.pass(milliseconds: 2100)
        page.click(.rate5)
        browser.settle()
        #expect(page.opened == (hasReviewPage ? ["/review"] : []))
        #expect(isAsked(page) == !hasReviewPage)
        browser.pass(milliseconds: 3100)
        #expect(page.openDialogs.isEmpty)
    }

    @Test("five stars get a thank-you while the relay has not said that it has a page for reviews")
    func fiveStarsUnanswered() {
        let (browser, page) = browser(sent: 100)
        browser.relay.hasReviewPage = true
        browser.relay.losesAnswer = true
        browser.pass(milliseconds: 2100)
        page.click(.rate5)
        browser.settle()
        #expect(page.opened.isEmpty && isAsked(page))
    }

    @Test("a dismissal holds for thirty days, also for pages that are opened later")
    func dismissed() {
        let (browser, page) = browser(sent: 100)
        browser.pass(milliseconds: 2100)
        page.click(.ratingDismiss)
        browser.settle()
        #expect(page.openDialogs.isEmpty)
        browser.kill(page)
        pass(days: 29.9, browser)
        let next = browser.open()
        send(110, browser, next)
        #expect(!isAsked(next))
        pass(days: 0.2, browser)
        send(1, browser, next)
        #expect(isAsked(next))
    }

    @Test("memos of two pages at once are all counted, and one page asks", arguments: 1...8)
    func twoPages(seed: UInt64) {
        let browser = Browser(seed: seed)
        let pages = [browser.open(), browser.open()]
        pages[0].signIn()
        for number in 0..<50 {
            for page in pages {
                page.type("memo \(number)")
                page.click(.send)
            }
            browser.settle()
        }
        #expect(browser.relay.accepted.count == 100)
        browser.pass(milliseconds: 2100)
        #expect(pages.filter(isAsked).count == 1, "seed \(seed)")
    }

    @Test("a page that ends takes no memo off the count, whenever it ends", arguments: 1...8)
    func kills(seed: UInt64) {
        let browser = Browser(seed: seed)
        var random = SeededRandom(seed: seed &* 91)
        browser.open().signIn()
        while browser.relay.accepted.count < 99 {
            let page = browser.pages.first ?? browser.open()
            if page.memo.isEmpty { page.type("memo") }
            page.click(.send)
            for _ in 0..<Int.random(in: 0..<80, using: &random) { browser.step() }
            if Bool.random(using: &random) { browser.kill(page) }
            browser.settle()
        }
        browser.open()
        browser.settle()
        let page = browser.pages[0]
        if page.memo.isEmpty { page.type("the last") }
        page.click(.send)
        browser.pass(milliseconds: 2100)
        #expect(isAsked(page), "seed \(seed), \(browser.relay.accepted.count) accepted")
    }

    @Test("a dismissal in one page is not undone by another that counts")
    func dismissedElsewhere() {
        let browser = Browser()
        let first = browser.open()
        first.signIn()
        let second = browser.open()
        for number in 0..<100 { first.send("memo \(number)") }
        browser.pass(milliseconds: 3000)
        #expect(first.openDialogs == [.rating])
        first.click(.ratingDismiss)
        browser.settle()
        second.send("one more")
        browser.pass(milliseconds: 3000)
        #expect(second.openDialogs.isEmpty)
        let record = browser.rows(.things)[Thing.rating.key]!
        let json = JSON(decoding: record.body)
        #expect(json?["dismissedAt"]?.number != nil && json?["sent"]?.number == 101)
    }

    @Test("a count that cannot be read for once is not begun anew")
    func unreadable() {
        let (browser, page) = browser(sent: 60)
        browser.pass(milliseconds: 5000)
        browser.kill(page)
        let next = browser.open()
        browser.readFailure = "UnknownError"
        browser.pass(milliseconds: 5000)
        next.type("meanwhile")
        next.click(.send)
        browser.settle()
        browser.readFailure = nil
        browser.pass(milliseconds: 5000)
        send(39, browser, next)
        #expect(isAsked(next))
    }

    @Test("memos that wait are counted when they are sent")
    func offline() {
        let (browser, page) = browser(sent: 90)
        browser.setOnline(false)
        send(10, browser, page)
        #expect(!isAsked(page))
        browser.setOnline(true)
        browser.pass(milliseconds: 2100)
        #expect(isAsked(page))
    }
}
