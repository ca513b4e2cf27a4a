import MemoCore
import OutboxCore
import SimulatedBrowser
import Testing

@testable import WebClient

@Suite struct SendingTests {
    @Test("a memo is stored, the field emptied, the memo delivered, the outbox empty")
    func send() {
        let browser = Browser()
        let page = browser.open()
        page.signIn()
        page.send("Buy milk\nand bread")
        #expect(page.memo == "")
        #expect(page.focus == .memo)
        #expect(browser.rows(.outbox).isEmpty)
        #expect(browser.relay.accepted.count == 1)
        #expect(browser.statuses == ["sent"])
        let body = browser.relay.accepted.values.first
        #expect(
            body == "{\"subject\":\"Buy milk\",\"text\":\"Buy milk\\nand bread\"}".bytes
        )
    }

    @Test("nothing is sent of a blank field")
    func blank() {
        let browser = Browser()
        let page = browser.open()
        page.signIn()
        page.send(" \n\t\u{200B}")
        #expect(browser.rows(.outbox).isEmpty && browser.rows(.history).isEmpty)
        #expect(page.memo == " \n\t\u{200B}")
        page.memo = ""
        page.send("then something")
        #expect(browser.relay.accepted.count == 1)
    }

    @Test("a memo that mail cannot carry stays, with the reason")
    func nul() {
        let browser = Browser()
        let page = browser.open()
        page.send("a\0b")
        #expect(page.memo == "a\0b")
        #expect(page.texts[.notice]?.contains("NUL") == true)
        #expect(browser.rows(.outbox).isEmpty && browser.rows(.history).isEmpty)
    }

    @Test("a memo of the history that mail cannot carry is not sent again, with the reason")
    func resentNUL() {
        let browser = Browser()
        browser.open().send("abc")
        // As it would be from a build that took NUL; `Page.seal` turns each byte over.
        let (before, after) = ("abc".bytes.map { ~$0 }, #"a\u0000c"#.bytes.map { ~$0 })
        for (key, record) in browser.rows(.history) {
            browser.stores["history".bytes]?[key] = Record(
                key: key,
                head: HistoryHead(.bounced("smtp.550")).encoded(),
                body: record.body.replacing(before, with: after)
            )
        }
        #expect(browser.holds(#"a\u0000c"#, in: .history))
        let page = browser.open()
        page.click(.openHistory)
        browser.settle()
        page.click(.historyList, row: page.rows[.historyList]![0], part: .resend)
        browser.settle()
        #expect(page.texts[.notice]?.contains("NUL") == true)
        #expect(browser.rows(.outbox).count == 1 && browser.rows(.history).count == 1)
    }

    @Test(
        "the text stays, with a reason, when it cannot be stored",
        arguments: [
            ("QuotaExceededError", "The storage is full"), ("UnknownError", "could not be saved"),
        ]
    )
    func storageFails(name: String, sentence: String) {
        let browser = Browser()
        let page = browser.open()
        browser.writeFailure = name
        page.send("precious")
        // The draft cannot be saved either: that says less, and is not said in its place.
        browser.pass(milliseconds: 1000)
        #expect(page.memo == "precious")
        #expect(page.texts[.notice]?.contains(sentence) == true)
        #expect(browser.rows(.outbox).isEmpty && browser.rows(.history).isEmpty)
        browser.writeFailure = nil
        page.click(.send)
        browser.settle()
        #expect(page.memo == "" && browser.rows(.outbox).count == 1)
    }

    @Test("the settings say that the browser may delete memos, and the answer to a send does not")
    func persistenceRefused() {
        for isPersistent in [true, false] {
            let browser = Browser()
            browser.isPersistent = isPersistent
            let page = browser.open()
            page.signIn()
            #expect(page.isHidden(.storageHint))
            page.send("first")
            #expect(page.texts[.notice] == "Saved. It will be in your inbox shortly.")
            #expect(page.isHidden(.storageHint) == isPersistent)
        }
    }

    @Test("a database that does not open is told at once, and takes no text away")
    func noDatabase() {
        let browser = Browser()
        browser.readFailure = "UnknownError"
        let page = browser.open()
        #expect(page.texts[.notice]?.contains("does not let Simple Memo save") == true)
        page.send("kept in the field")
        #expect(page.memo == "kept in the field")
    }

    @Test("the keys send what the field holds")
    func keys() {
        let browser = Browser()
        let page = browser.open()
        page.signIn()
        page.type("by keys")
        page.pressEnter()
        browser.settle()
        #expect(page.memo == "" && page.focus == .memo)
        #expect(browser.relay.accepted.count == 1 && browser.rows(.drafts).isEmpty)
    }

    @Test("a subject that shows the day has the person's own")
    func day() {
        let browser = Browser()
        let page = browser.open()
        page.signIn()
        page.choose(.subjectTemplate, "{date}: {line}")
        page.send("dated")
        let body = browser.relay.accepted.values.first.map { String(decoding: $0, as: UTF8.self) }
        #expect(body?.contains("2026-11-21: dated") == true)
    }

    @Test("what is typed while a memo is being stored stays in the field")
    func typingOn() {
        let browser = Browser()
        let page = browser.open()
        page.type("one")
        page.click(.send)
        browser.step()
        browser.step()
        browser.step()
        page.type(" two")
        browser.settle()
        #expect(page.memo == " two")
        #expect(browser.rows(.outbox).count == 1)
    }

    @Test("pressing send twice sends once")
    func twice() {
        let browser = Browser()
        let page = browser.open()
        page.type("once")
        page.click(.send)
        page.click(.send)
        browser.settle()
        #expect(browser.rows(.outbox).count == 1)
    }

    @Test("an operation is parked without an account and leaves after signing in")
    func signedOut() {
        let browser = Browser()
        let page = browser.open()
        page.send("early")
        #expect(browser.rows(.outbox).count == 1 && browser.relay.accepted.isEmpty)
        page.signIn()
        #expect(browser.rows(.outbox).isEmpty && browser.relay.accepted.count == 1)
    }

    @Test("a lost answer leads to the same request under the same identifier")
    func lostAnswer() {
        let browser = Browser()
        let page = browser.open()
        page.signIn()
        browser.relay.losesAnswer = true
        page.send("again")
        #expect(browser.rows(.outbox).count == 1)
        browser.relay.losesAnswer = false
        browser.pass(milliseconds: 2000)
        #expect(browser.rows(.outbox).isEmpty && browser.relay.accepted.count == 1)
        #expect(browser.relay.requests.filter { $0.method == "PUT" }.count == 2)
    }

    @Test("Retry-After is waited for, and counts as no attempt")
    func retryAfter() {
        let browser = Browser()
        let page = browser.open()
        page.signIn()
        browser.relay.answers = [
            (429, "application/problem+json", "120", "{}")
        ]
        page.send("patience")
        let puts = { browser.relay.requests.filter { $0.method == "PUT" }.count }
        browser.pass(milliseconds: 119_000)
        #expect(puts() == 1)
        browser.setOnline(false)
        browser.setOnline(true)
        #expect(puts() == 1, "the network's return does not end a wait that the server asked for")
        browser.pass(milliseconds: 60_000)
        #expect(puts() == 2 && browser.rows(.outbox).isEmpty)
    }

    @Test("the network's return makes what waited for it eligible at once")
    func networkReturns() {
        let browser = Browser()
        let page = browser.open()
        page.signIn()
        browser.setOnline(false)
        page.send("one")
        page.send("two")
        browser.pass(milliseconds: 100_000)
        #expect(page.isHidden(.offline) == false)
        #expect(browser.relay.accepted.isEmpty)
        browser.setOnline(true)
        #expect(browser.relay.accepted.count == 2 && browser.rows(.outbox).isEmpty)
        #expect(page.isHidden(.offline))
    }

    @Test("a token that the relay does not know parks the memo and asks to sign in")
    func revoked() {
        let browser = Browser()
        let page = browser.open()
        page.signIn()
        browser.relay.token = "another"
        page.send("kept")
        #expect(browser.rows(.outbox).count == 1)
        #expect(page.attributes[.destination]?[.dataState] == "signed-out")
        page.signIn()
        #expect(browser.rows(.outbox).isEmpty && browser.relay.accepted.count == 1)
    }

    @Test("a refusal for good parks; the history says so; trying again sends")
    func refused() {
        let browser = Browser()
        let page = browser.open()
        page.signIn()
        browser.relay.refuseNext()
        page.send("refused")
        #expect(browser.statuses == ["refused"])
        page.click(.openDiagnostics)
        browser.settle()
        page.click(.queueList, row: page.rows[.queueList]![0], part: .retry)
        browser.settle()
        #expect(browser.rows(.outbox).isEmpty && browser.statuses == ["sent"])
    }

    @Test("a record that was swapped with another is quarantined, the others leave")
    func swapped() {
        let browser = Browser()
        let page = browser.open()
        for text in ["one", "two", "three"] { page.send(text) }
        let keys = browser.rows(.outbox).keys.sorted { $0.lexicographicallyPrecedes($1) }
        var rows = browser.rows(.outbox)
        rows[keys[0]] = Record(
            key: keys[0],
            head: rows[keys[0]]!.head,
            body: rows[keys[1]]!.body
        )
        browser.stores["outbox".bytes] = rows
        page.signIn()
        #expect(browser.relay.accepted.count == 2)
        #expect(browser.rows(.outbox).count == 1)
        #expect(browser.rows(.outbox).values.first?.head.first == 3)
        let statuses = keys.map { key in
            browser.rows(.history)[key].flatMap { HistoryHead(decoding: $0.head)?.status }
        }
        #expect(statuses == [.quarantined(.notAuthentic), .sent, .sent])
    }

    @Test("bytes that are no sealed record are quarantined as such")
    func noRecord() throws {
        let browser = Browser()
        let page = browser.open()
        page.send("one")
        let (key, stored) = try #require(browser.rows(.outbox).first)
        let short = Record(key: key, head: stored.head, body: Array(stored.body.prefix(36)))
        browser.stores["outbox".bytes] = [key: short]
        page.signIn()
        #expect(browser.statuses == ["quarantined"])
        let head = try #require(browser.rows(.outbox)[key]?.head)
        guard case .quarantined(let reason, _)? = OperationHead(decoding: head) else {
            Issue.record("not quarantined")
            return
        }
        #expect(reason == "quarantine.record")
    }

    @Test("the history shows an unreadable memo as such, and as queued once it is tried again")
    func unreadable() {
        let browser = Browser()
        let page = browser.open()
        page.send("one")
        let (key, stored) = browser.rows(.outbox).first!
        browser.stores["outbox".bytes]?[key] = Record(key: key, head: stored.head, body: [9])
        page.signIn()
        #expect(browser.relay.accepted.isEmpty)
        page.click(.openHistory)
        browser.settle()
        let row = page.rows[.historyList]![0]
        func shown(_ part: Name) -> String {
            "\(Element(.historyList, row: row, part: part))"
        }
        #expect(page.partTexts[shown(.status)] == "Unreadable")
        #expect(page.partTexts[shown(.reason)]?.contains("is kept as it is") == true)
        // The key is back.
        let head = browser.rows(.outbox)[key]!.head
        browser.stores["outbox".bytes]?[key] = Record(key: key, head: head, body: stored.body)
        browser.setOnline(false)
        page.click(.openDiagnostics)
        browser.settle()
        page.click(.queueList, row: page.rows[.queueList]![0], part: .retry)
        browser.settle()
        #expect(browser.statuses == ["queued"])
        browser.setOnline(true)
        #expect(browser.statuses == ["sent"] && browser.relay.accepted.count == 1)
    }

    @Test("a clock that was set back by a year strands nothing")
    func clockSetBack() {
        let browser = Browser()
        let page = browser.open()
        page.signIn()
        browser.setOnline(false)
        page.send("stuck?")
        browser.wallTime -= 365 * 86_400_000
        browser.isOnline = true
        browser.pass(milliseconds: 3_600_000)
        #expect(browser.rows(.outbox).isEmpty && browser.relay.accepted.count == 1)
    }

    @Test("the later status of a memo is not overwritten by an earlier one")
    func statuses() {
        let browser = Browser()
        let page = browser.open()
        page.signIn()
        page.send("mail")
        browser.relay.changes = [(browser.relay.accepted.keys.first!, "delivered")]
        browser.pass(milliseconds: 6000)
        #expect(browser.statuses == ["delivered"])
    }
}

extension Browser {
    /// Lets the mail server refuse the mails of all memos that the relay has accepted, and the pages
    /// hear of it.
    func bounce() {
        relay.changes = relay.accepted.keys.map { (id: $0, status: "bounced") }
        pass(milliseconds: 6000)
    }

    /// The statuses in the history, the earliest first.
    var statuses: [String] {
        rows(.history).sorted { $0.key.lexicographicallyPrecedes($1.key) }.map {
            String(decoding: HistoryHead(decoding: $0.value.head)!.status.name, as: UTF8.self)
        }
    }
}
