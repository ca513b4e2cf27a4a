import OutboxCore
import SimulatedBrowser
import Testing

@testable import WebClient

@Suite struct AccountTests {
    @Test("an answer to an old token does not sign out who has signed in since")
    func oldToken() {
        for isSamePage in [true, false] {
            let browser = Browser()
            let page = browser.open()
            page.signIn()
            let other = browser.open()
            browser.relay.token = "new"
            browser.relay.holdsAnswers = true
            page.send("under way")
            browser.relay.holdsAnswers = false
            (isSamePage ? page : other).signIn()
            if !isSamePage { page.work.removeAll() }
            browser.relay.release()
            browser.settle()
            browser.pass(milliseconds: 5000)
            #expect(page.attributes[.destination]?[.dataState] == "signed-in")
            #expect(browser.rows(.outbox).isEmpty && browser.relay.accepted.count == 1)
            browser.kill(page)
            browser.kill(other)
            #expect(browser.open().attributes[.destination]?[.dataState] == "signed-in")
        }
    }

    @Test("a refused account stays away, and another page that shows it hears of it")
    func refusedForGood() {
        let browser = Browser()
        let page = browser.open()
        page.signIn()
        let other = browser.open()
        browser.relay.token = "another"
        page.send("kept")
        #expect(other.attributes[.destination]?[.dataState] == "signed-out")
        browser.kill(page)
        browser.kill(other)
        #expect(browser.open().attributes[.destination]?[.dataState] == "signed-out")
    }

    @Test("a refusal that is not about the token signs nobody out, and is tried again")
    func otherForbidden() {
        let browser = Browser()
        let page = browser.open()
        page.signIn()
        browser.relay.answers = [
            (
                403, "application/problem+json", "",
                "{\"code\":\"cross-origin\",\"retryable\":false,\"status\":403}"
            )
        ]
        page.send("kept")
        #expect(page.attributes[.destination]?[.dataState] == "signed-in")
        #expect(browser.statuses == ["queued"])
        browser.pass(milliseconds: 2000)
        #expect(browser.statuses == ["sent"])
    }

    @Test(
        "too many requests, and a relay that fails, are told apart where a code is asked for",
        arguments: [
            (429, "application/problem+json", "too-many-requests", "Too many attempts"),
            (429, "text/html", "", "Too many attempts"),
            (503, "application/problem+json", "unavailable", "The server had a problem"),
            (503, "text/html", "", "The server had a problem"),
        ]
    )
    func noCode(status: UInt32, type: String, code: String, sentence: String) {
        let browser = Browser()
        let page = browser.open()
        browser.relay.answers = [
            (
                status, type, "60",
                code.isEmpty
                    ? "<html>" : "{\"code\":\"\(code)\",\"retryable\":true,\"status\":\(status)}"
            )
        ]
        page.values[.address] = "somebody@example.org".bytes
        page.click(.askCode)
        browser.settle()
        #expect(page.texts[.addressError]?.contains(sentence) == true)
        #expect(page.attributes[.address]?[.ariaInvalid] == "true")
    }

    @Test("a code in the answer signs in, with no question and no mail")
    func givenCode() {
        let browser = Browser()
        let page = browser.open()
        let answer = #"{"code":"0123abcd","digits":6,"handle":"given"}"#
        browser.relay.answers = [(202, "application/json", "", answer)]
        page.values[.address] = "somebody@example.org".bytes
        page.click(.askCode)
        browser.settle()
        #expect(browser.relay.handles == ["given"])
        page.send("hello")
        #expect(browser.relay.accepted.count == 1)
    }

    @Test("a code in the answer that the relay rejects is as if none was mailed")
    func rejectedGivenCode() {
        let browser = Browser()
        let page = browser.open()
        let answer = #"{"code":"0123abcd","digits":6,"handle":"given"}"#
        let rejection = #"{"code":"code-rejected","retryable":false,"status":403}"#
        browser.relay.answers = [
            (202, "application/json", "", answer),
            (403, "application/problem+json", "", rejection),
        ]
        page.values[.address] = "somebody@example.org".bytes
        page.click(.askCode)
        browser.settle()
        #expect(page.texts[.addressError]?.isEmpty == false)
        // The next code is mailed, as ever.
        page.signIn()
        page.send("hello")
        #expect(browser.relay.accepted.count == 1)
    }

    @Test("what was parked for want of an account leaves when a page finds one")
    func parkedThenRestored() {
        let browser = Browser()
        let page = browser.open()
        page.send("early")
        page.beginSignIn()
        browser.kill(page)
        #expect(browser.rows(.outbox).count == 1)
        browser.open()
        #expect(browser.rows(.outbox).isEmpty && browser.relay.accepted.count == 1)
    }

    @Test("a wake-up before the account is read parks nothing")
    func wokenEarly() {
        let browser = Browser()
        let page = browser.open()
        page.signIn()
        browser.setOnline(false)
        page.send("waiting")
        browser.kill(page)
        browser.isOnline = true
        let next = browser.open(isOnline: false, settling: false)
        next.holdsNextOpen = true
        browser.settle()
        next.tellNetwork(true)
        browser.settle()
        #expect(browser.rows(.outbox).values.first?.head.first == 1)
        next.heldOpen?()
        browser.settle()
        #expect(browser.rows(.outbox).isEmpty && browser.relay.accepted.count == 1)
    }

    @Test("signing out deletes everything although the relay never answers")
    func wipeFirst() {
        let browser = Browser()
        let page = browser.open()
        page.signIn()
        browser.setOnline(false)
        page.send("unsent")
        browser.isOnline = true
        browser.relay.holdsAnswers = true
        page.click(.signOut)
        browser.settle()
        page.click(.wipeAccept)
        browser.settle()
        #expect(browser.stores.values.allSatisfy { $0.isEmpty } && browser.keys.isEmpty)
        #expect(!page.isReloaded)
        page.send("nothing is sealed under a key that is gone")
        #expect(browser.rows(.outbox).isEmpty)
        browser.pass(milliseconds: 6000)
        #expect(page.isReloaded && page.place == "/?signed-out=untold")
    }

    @Test("nothing is stored under a key that another page has deleted; its text stays")
    func signedOutWhileStoring() {
        for moment in 0..<12 {
            let browser = Browser()
            let page = browser.open()
            page.signIn()
            let other = browser.open()
            page.type("precious")
            other.click(.signOut)
            browser.settle()
            page.click(.send)
            for _ in 0..<moment { browser.step(page) }
            let isStored = !browser.rows(.history).isEmpty
            other.click(.wipeAccept)
            while !browser.keys.isEmpty { browser.step(other) }
            browser.settle()
            browser.pass(milliseconds: 1000)
            for records in [Records.outbox, .history, .drafts] {
                #expect(browser.rows(records).isEmpty, "at step \(moment)")
            }
            #expect(page.memo == (isStored ? "" : "precious"), "at step \(moment)")
            #expect(page.isReloaded == isStored, "at step \(moment)")
            let isSaid = page.texts[.notice]?.contains("Another tab signed out") == true
            #expect(isSaid == !isStored, "at step \(moment)")
        }
    }

    @Test("who could not be signed out goes on")
    func wipeFails() {
        let browser = Browser()
        let page = browser.open()
        page.signIn()
        page.click(.signOut)
        browser.settle()
        browser.writeFailure = "UnknownError"
        page.click(.wipeAccept)
        browser.settle()
        browser.writeFailure = nil
        #expect(!page.isReloaded)
        #expect(!browser.relay.requests.contains { $0.method == "DELETE" })
        page.send("goes on")
        #expect(browser.relay.accepted.count == 1)
    }

    @Test("where the key is lost and nobody is signed in, starting afresh is offered")
    func keyLostSignedOut() {
        let browser = Browser()
        let page = browser.open()
        page.send("sealed")
        browser.kill(page)
        browser.keys = []
        let next = browser.open()
        #expect(next.attributes[.destination]?[.dataState] == "signed-in")
        next.click(.signOut)
        browser.settle()
        next.click(.wipeAccept)
        browser.settle()
        #expect(next.isReloaded && browser.rows(.outbox).isEmpty)
    }

    @Test("over plain http no code is asked for")
    func insecure() {
        let browser = Browser()
        let page = browser.open(hasCrypto: false)
        page.signIn()
        #expect(browser.relay.requests.isEmpty)
        #expect(page.texts[.notice]?.contains("not opened by https") == true)
    }

    @Test("a share that did not reach the app is spoken of")
    func shareMissed() {
        let browser = Browser()
        let page = browser.open(query: "?share=missed")
        #expect(page.texts[.notice]?.contains("shared text did not reach") == true)
        #expect(page.place == "/")
    }

    /// Asks for a code on a new page of the browser.
    private func ask(_ browser: Browser) -> Page {
        let page = browser.open()
        page.values[.address] = "somebody@example.org".bytes
        page.click(.askCode)
        browser.settle()
        return page
    }

    private func type(_ code: String, on page: Page, _ browser: Browser) {
        page.values[.code] = code.bytes
        page.tell(.typed, number: UInt32(Name.code.rawValue))
        browser.settle()
    }

    @Test("a code is tried with the handle of its own request, on a page that was reloaded, too")
    func handleSurvivesReload() {
        for isReloaded in [false, true] {
            let browser = Browser()
            var page = ask(browser)
            if isReloaded {
                browser.kill(page)
                page = browser.open()
                #expect(page.values[.address] == "somebody@example.org".bytes)
            }
            #expect(page.attributes[.destination]?[.dataState] == "code-asked")
            type("123456", on: page, browser)
            #expect(page.attributes[.destination]?[.dataState] == "signed-in")
            #expect(browser.relay.handles == ["handle-1"])
        }
    }

    @Test("a page that shows the field for the code may be reloaded at once")
    func reloadAtOnce() {
        let browser = Browser()
        let page = browser.open()
        page.values[.address] = "somebody@example.org".bytes
        page.click(.askCode)
        func state(_ page: Page) -> String? { page.attributes[.destination]?[.dataState] }
        while browser.isBusy, state(page) != "code-asked" { browser.step() }
        browser.kill(page)
        #expect(state(browser.open()) == "code-asked")
    }

    @Test("a code that must have expired is asked for no more after a reload")
    func expiredQuestion() {
        let browser = Browser()
        let page = ask(browser)
        browser.kill(page)
        browser.pass(milliseconds: 600_000)
        #expect(browser.open().attributes[.destination]?[.dataState] == "signed-out")
    }

    @Test("a page that asks for a code leaves the account alone that another page has stored")
    func askedBesideAccount() {
        let browser = Browser()
        let page = browser.open()
        page.values[.address] = "somebody@example.org".bytes
        browser.relay.holdsAnswers = true
        page.click(.askCode)
        browser.settle()
        browser.relay.holdsAnswers = false
        let other = browser.open()
        other.signIn()
        browser.relay.release()
        browser.settle()
        browser.kill(page)
        browser.kill(other)
        #expect(browser.open().attributes[.destination]?[.dataState] == "signed-in")
    }

    @Test(
        "a longer code is tried when all its digits are there, and the number is told",
        arguments: [8, 10]
    )
    func longerCode(digits: Int) {
        let browser = Browser()
        browser.relay.digits = digits
        let page = ask(browser)
        type("123456", on: page, browser)
        page.click(.confirmCode)
        browser.settle()
        #expect(browser.relay.handles.isEmpty)
        #expect(page.texts[.codeError] == "A code has \(digits) digits.")
        type("1234 567890".prefix(digits + 1).description, on: page, browser)
        #expect(browser.relay.handles == ["handle-1"])
    }

    @Test("where a long code is in the inbox, the person is told, and digits are not tried")
    func longCode() {
        let browser = Browser()
        browser.relay.asksForLongCode = true
        let page = ask(browser)
        #expect(page.texts[.notice]?.contains("long code") == true)
        #expect(page.attributes[.code]?[.inputmode] == "text")
        type("123456", on: page, browser)
        page.click(.confirmCode)
        browser.settle()
        #expect(browser.relay.handles.isEmpty)
        #expect(page.texts[.codeError]?.contains("long code") == true)
        browser.kill(page)
        let next = browser.open()
        #expect(next.attributes[.code]?[.inputmode] == "text")
        type("7kqx-29ab-cdef-ghjk-mnp0", on: next, browser)
        #expect(browser.relay.handles == ["handle-1"])
    }

    @Test("a relay that misses the handle is told of in a sentence")
    func handleMissing() {
        let browser = Browser()
        let page = ask(browser)
        browser.relay.answers = [
            (
                400, "application/problem+json", "",
                "{\"code\":\"handle-missing\",\"retryable\":false,\"status\":400}"
            )
        ]
        type("123456", on: page, browser)
        #expect(page.texts[.codeError]?.contains("only from the app that asked for it") == true)
    }

    @Test("a setting that another page changes leaves the question for the code open")
    func codeAsked() {
        let browser = Browser()
        let page = browser.open()
        let other = browser.open()
        page.values[.address] = "somebody@example.org".bytes
        page.click(.askCode)
        browser.settle()
        other.choose(.signature, "Regards")
        browser.settle()
        #expect(page.attributes[.destination]?[.dataState] == "code-asked")
    }
}

extension Page {
    /// Signs in, as far as storing the account.
    fileprivate func beginSignIn() {
        values[.address] = "somebody@example.org".bytes
        click(.askCode)
        browser.settle()
        func head() -> [UInt8]? { browser.rows(.things)[Thing.account.key]?.head }
        let asked = head()
        values[.code] = "123456".bytes
        tell(.typed, number: UInt32(Name.code.rawValue))
        while browser.isBusy, head() == asked { browser.step() }
    }
}
