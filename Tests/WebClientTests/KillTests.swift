import OutboxCore
import OutboxTesting
import SimulatedBrowser
import Testing
import WireCore

@testable import WebClient

@Suite struct KillTests {
    @Test("a memo whose field was emptied is delivered exactly once, whenever pages are killed")
    func randomKills() {
        var (emptied, killed) = (0, 0)
        for seed in UInt64(1)...300 {
            let browser = Browser(seed: seed)
            var random = SeededRandom(seed: seed &* 77)
            browser.open().signIn()
            var sent: Set<String> = []
            for number in 0..<12 {
                if browser.pages.isEmpty || Int.random(in: 0..<4, using: &random) == 0 {
                    browser.open(settling: Bool.random(using: &random))
                }
                if Int.random(in: 0..<5, using: &random) == 0 {
                    browser.isOnline = !browser.isOnline
                }
                browser.relay.losesAnswer = Int.random(in: 0..<6, using: &random) == 0
                guard let page = browser.pages.randomElement(using: &random) else { continue }
                // A draft that another page left may be in the field already.
                if page.memo.isEmpty { page.type("memo \(number)") }
                if Bool.random(using: &random) { browser.pass(milliseconds: 200) }
                let text = page.memo
                page.click(.send)
                for _ in 0..<Int.random(in: 0..<60, using: &random) {
                    browser.step()
                    if page.memo.isEmpty, !text.isEmpty { sent.insert(text) }
                }
                if Bool.random(using: &random) {
                    browser.kill(page)
                    killed += 1
                }
            }
            emptied += sent.count
            browser.isOnline = true
            browser.relay.losesAnswer = false
            browser.open()
            browser.hide()
            browser.pass(milliseconds: 2_000_000)
            let texts = browser.relay.accepted.values.map { body in
                String(
                    decoding: JSON(decoding: body)!["text"]!.string!,
                    as: UTF8.self
                )
            }
            #expect(Set(texts).isSuperset(of: sent), "seed \(seed): lost")
            #expect(Set(texts).count == texts.count, "seed \(seed): doubled")
            #expect(browser.rows(.outbox).isEmpty, "seed \(seed): stranded")
            #expect(
                browser.relay.accepted.count == browser.rows(.history).count,
                "seed \(seed): each is in the history once"
            )
        }
        // The seeds give some 1800 kills in 3600 rounds: without many of both, nothing was tried.
        #expect(emptied > 1000 && killed > 1000)
    }

    @Test("no two pages attempt one operation at once")
    func oneDrainer() {
        let browser = Browser()
        let first = browser.open()
        first.signIn()
        let second = browser.open()
        for number in 0..<5 {
            first.type("a\(number)")
            first.click(.send)
            second.type("b\(number)")
            second.click(.send)
            browser.settle()
        }
        let puts = browser.relay.requests.filter { $0.method == "PUT" }.map { $0.path }
        #expect(puts.count == 10 && Set(puts).count == 10)
    }

    @Test("the service worker delivers what a killed page left")
    func worker() {
        let browser = Browser()
        let page = browser.open()
        page.signIn()
        browser.setOnline(false)
        page.send("by the worker")
        browser.pass(milliseconds: 1500)
        #expect(page.syncTags > 0)
        browser.kill(page)
        browser.isOnline = true
        let worker = browser.open(.worker)
        worker.tell(.synced, number: 1)
        browser.settle()
        #expect(browser.relay.accepted.count == 1 && browser.rows(.outbox).isEmpty)
        #expect(worker.finished == [1: true])
    }

    @Test("a background sync that could not deliver asks to be called again")
    func workerFails() {
        let browser = Browser()
        let page = browser.open()
        page.signIn()
        browser.setOnline(false)
        page.send("later")
        browser.kill(page)
        let worker = browser.open(.worker)
        browser.pass(milliseconds: 2000)
        worker.tell(.synced, number: 1)
        browser.settle()
        #expect(worker.finished == [1: false])
    }
}
