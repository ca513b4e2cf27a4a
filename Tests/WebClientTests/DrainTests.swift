import OutboxCore
import SimulatedBrowser
import Testing

@testable import WebClient

@Suite struct DrainTests {
    @Test("two pages never attempt at once, also when the network returns meanwhile")
    func twoDrainers() {
        for moment in 0..<240 {
            let browser = Browser(seed: UInt64(moment))
            let page = browser.open()
            page.signIn()
            let other = browser.open()
            browser.setOnline(false)
            page.send("memo")
            browser.isOnline = true
            browser.relay.holdsAnswers = true
            other.tell(.visibilityChanged, number: 3)
            page.tell(.visibilityChanged, number: 3)
            for _ in 0..<moment / 12 { browser.step() }
            page.tellNetwork(true)
            for _ in 0..<moment % 12 { browser.step() }
            other.tellNetwork(true)
            browser.settle()
            let puts = browser.relay.requests.filter { $0.method == "PUT" }
            #expect(puts.count == 1, "at step \(moment)")
        }
    }

    @Test("a connection of another kind is tried at once, and news that change nothing are not")
    func otherConnection() {
        let browser = Browser()
        let page = browser.open()
        page.signIn()
        page.tellNetwork(true, kind: 1)
        // Requests fail, and the browser does not say why.
        browser.isOnline = false
        page.send("between two networks")
        browser.isOnline = true
        page.tellNetwork(true, kind: 1)
        browser.settle()
        #expect(browser.rows(.outbox).count == 1 && browser.relay.accepted.isEmpty)
        page.tellNetwork(true, kind: 2)
        browser.settle()
        #expect(browser.rows(.outbox).isEmpty && browser.relay.accepted.count == 1)
    }

    @Test("200 memos pass the relay's limit of 30 a minute without being refused once")
    func paced() {
        let browser = Browser()
        let page = browser.open()
        page.signIn()
        browser.relay.now = { browser.wallTime }
        browser.relay.perMinute = 30
        browser.setOnline(false)
        for number in 0..<200 { page.send("memo \(number)") }
        browser.setOnline(true)
        #expect(browser.relay.accepted.count == 30)
        browser.pass(milliseconds: 9 * 60_000)
        #expect(browser.relay.refusals == 0)
        #expect(browser.relay.accepted.count == 200 && browser.rows(.outbox).isEmpty)
        let puts = browser.relay.requests.filter { $0.method == "PUT" }
        #expect(puts.count == 200)
    }

    @Test("a page that did not enqueue tries again when the one that did has ended")
    func retriedByAnother() {
        let browser = Browser()
        let page = browser.open()
        page.signIn()
        browser.open()
        browser.relay.answers = [(500, "text/html", "", "")]
        page.send("left behind")
        #expect(browser.rows(.outbox).count == 1)
        browser.kill(page)
        browser.pass(milliseconds: 10_000)
        #expect(browser.rows(.outbox).isEmpty && browser.relay.accepted.count == 1)
    }

    @Test("an outcome that cannot be stored is stored later, and its memo is sent once")
    func storedLater() {
        let browser = Browser()
        let page = browser.open()
        page.signIn()
        browser.relay.holdsAnswers = true
        page.send("sent once")
        browser.writeFailure = "QuotaExceededError"
        browser.relay.release()
        browser.settle()
        browser.pass(milliseconds: 10_000)
        #expect(browser.rows(.outbox).count == 1 && browser.statuses == ["queued"])
        browser.writeFailure = nil
        let longest = RetryPolicy.device.storageDelay(afterFailure: 10, jitter: .max)
        browser.pass(milliseconds: Double(longest.count))
        #expect(browser.rows(.outbox).isEmpty && browser.statuses == ["sent"])
        #expect(browser.relay.requests.filter { $0.method == "PUT" }.count == 1)
    }

    @Test("a memo whose key is not there just now waits, and is not put away as damaged")
    func keyNotThere() {
        let browser = Browser()
        let page = browser.open()
        page.signIn()
        browser.setOnline(false)
        page.send("patient")
        browser.isKeyAway = true
        browser.setOnline(true)
        #expect(browser.rows(.outbox).values.first?.head.first == 1)
        browser.isKeyAway = false
        let longest = RetryPolicy.device.serverDelay(asked: nil, jitter: .max)
        browser.pass(milliseconds: Double(longest.count))
        #expect(browser.rows(.outbox).isEmpty && browser.relay.accepted.count == 1)
    }

    @Test("memos whose key is gone do not hold up the others")
    func keyGone() {
        let browser = Browser()
        let page = browser.open()
        page.signIn()
        browser.setOnline(false)
        for number in 0..<20 { page.send("stranded \(number)") }
        let outbox = "outbox".bytes
        for (key, record) in browser.rows(.outbox) {
            let body = record.body.prefix(1) + "lost key".bytes + record.body.dropFirst(9)
            browser.stores[outbox]?[key] = Record(key: key, head: record.head, body: Array(body))
        }
        page.send("goes on")
        browser.setOnline(true)
        #expect(browser.relay.accepted.count == 1 && browser.rows(.outbox).count == 20)
        #expect(browser.rows(.outbox).values.allSatisfy { $0.head.first == 1 })
    }

    @Test("sending asked for while the memo before is being stored sends what stands in the field")
    func pressedWhileStoring() {
        for moment in 1..<12 {
            let browser = Browser()
            let page = browser.open()
            page.type("one")
            page.click(.send)
            for _ in 0..<moment { browser.step() }
            page.type(" two")
            page.click(.send)
            browser.settle()
            #expect(page.memo == "", "at step \(moment)")
            #expect(browser.holds("two", in: .history), "at step \(moment)")
        }
    }

    @Test(
        "what is typed after sending was asked for belongs to the next memo",
        arguments: [true, false]
    )
    func quickly(byKeys: Bool) {
        for moment in 0..<12 {
            let browser = Browser()
            let page = browser.open()
            page.signIn()
            for text in ["one", "two"] {
                page.type(text)
                byKeys ? page.pressEnter() : page.click(.send)
                // The page is notified at once, before other events on their way.
                page.work.insert(page.work.removeLast(), at: 0)
                for _ in 0...moment { browser.step() }
            }
            page.type("thr")
            browser.settle()
            #expect(page.memo == "thr", "at step \(moment)")
            #expect(
                browser.relay.accepted.values.map { String(decoding: $0, as: UTF8.self) }.sorted()
                    == ["one", "two"].map { "{\"subject\":\"\($0)\",\"text\":\"\($0)\"}" },
                "at step \(moment)"
            )
        }
    }

    @Test("a memo that is sent again leaves the same text in the field alone")
    func resentBesideTheField() {
        let browser = Browser()
        let page = browser.open()
        page.signIn()
        page.send("twice")
        browser.bounce()
        page.type("twice")
        page.click(.openHistory)
        browser.settle()
        page.click(.historyList, row: page.rows[.historyList]![0], part: .resend)
        browser.settle()
        #expect(page.memo == "twice" && browser.relay.accepted.count == 2)
    }

    @Test("trying again does not bring back what was delivered meanwhile")
    func retryAfterDelivery() {
        let browser = Browser()
        let page = browser.open()
        page.signIn()
        browser.relay.refuseNext()
        page.send("refused")
        let other = browser.open()
        for page in [page, other] { page.click(.openDiagnostics) }
        browser.settle()
        for page in [page, other] {
            page.click(.queueList, row: page.rows[.queueList]![0], part: .retry)
        }
        // The other page has read the refused memo, and goes on only when it is delivered.
        for _ in 0..<2 { other.work.removeFirst()() }
        while !page.work.isEmpty { page.work.removeFirst()() }
        #expect(browser.statuses == ["sent"])
        browser.settle()
        #expect(browser.statuses == ["sent"] && browser.rows(.outbox).isEmpty)
    }

    @Test("words that another page's change asks for do not show the page twice")
    func shownOnce() {
        for moment in 0..<20 {
            let browser = Browser()
            let page = browser.open(settling: false)
            for _ in 0..<moment { browser.step() }
            page.tell(.rung, [Bell.account.rawValue])
            browser.settle()
            #expect(page.registrations == 1, "at step \(moment)")
        }
    }

    @Test("a double click on sending again sends one memo more")
    func resentOnce() {
        let browser = Browser()
        let page = browser.open()
        page.signIn()
        page.send("again")
        browser.bounce()
        page.click(.openHistory)
        browser.settle()
        let row = page.rows[.historyList]![0]
        // Before the page has read that the memo was sent again.
        page.click(.historyList, row: row, part: .resend)
        page.click(.historyList, row: row, part: .resend)
        browser.settle()
        #expect(browser.statuses == ["resent", "sent"])
        browser.pass(milliseconds: 2000)
        page.click(.historyList, row: row, part: .resend)
        browser.settle()
        #expect(browser.rows(.history).count == 2)
    }
}
