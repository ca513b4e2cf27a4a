import MemoTexts
import OutboxCore
import SimulatedBrowser
import Testing

@testable import WebClient

/// All that can be said to a ``Notices``.
private enum Saying: CaseIterable {
    case saved, refused, storage, unsent, account, failure, late, draft
    case endStorage, endUnsent, endAccount, endFailure, endLate, endDraft
    case edited, screen, time

    /// The notice that the step says.
    var notice: Notice? {
        switch self {
        case .saved: Notice(text: .saved)
        case .refused: Notice(text: .memoTooLong, tone: .error)
        case .storage: Notice(text: .storageUnavailable, tone: .error, cause: .storage)
        case .unsent: Notice(text: .savedSignedOut, tone: .warning, cause: .unsent)
        case .account: Notice(text: .tokenRevoked, tone: .warning, cause: .account)
        case .failure: Notice(text: .notArrived, tone: .warning, cause: .failure)
        case .late: Notice(text: .waitingLong, tone: .warning, cause: .late)
        case .draft: Notice(text: .draftNotSaved, tone: .warning, cause: .draft)
        default: nil
        }
    }

    /// The cause that the step ends.
    var ended: Notice.Cause? {
        switch self {
        case .endStorage: .storage
        case .endUnsent: .unsent
        case .endAccount: .account
        case .endFailure: .failure
        case .endLate: .late
        case .endDraft: .draft
        default: nil
        }
    }

    func apply(to notices: inout Notices) {
        if let notice { notices.say(notice) }
        if let ended { notices.end(ended) }
        switch self {
        case .edited: notices.edited()
        case .screen: notices.screenChanged()
        case .time: notices.timeIsOver()
        default: break
        }
    }
}

@Suite struct NoticesTests {
    @Test("every state that can be reached, and every step from it, keeps the promises")
    func walk() {
        var known: Set<Notices> = [Notices()]
        var open = Array(known)
        while let before = open.popLast() {
            for step in Saying.allCases {
                var after = before
                step.apply(to: &after)
                check(before, step, after)
                if known.insert(after).inserted { open.append(after) }
            }
        }
        // No answer, or one of two; each of six facts or not.
        #expect(known.count == 3 * 64)
    }

    private func check(_ before: Notices, _ step: Saying, _ after: Notices) {
        let what = Comment(rawValue: "\(step) after \(before)")
        // One notice of each cause, in the order of the causes, and no answer among the facts.
        let causes = after.facts.map { $0.cause.rawValue }
        #expect(causes == Set(causes).sorted() && !causes.contains(0), what)
        #expect(after.answer == nil || after.answer?.cause == .answer, what)
        // What is said is shown, unless an answer, or a more urgent fact, stands before it.
        for screen in [Screen.compose, .history, .settings, .diagnostics] {
            let shown = after.shown(on: screen)
            #expect(after.answer == nil || shown == after.answer, what)
            #expect(screen == .compose || shown == after.answer || shown?.cause == .storage, what)
        }
        #expect(
            (after.answer == nil && after.facts.isEmpty) == (after.shown(on: .compose) == nil),
            what
        )
        if let notice = step.notice, notice.cause == .answer {
            #expect(after.shown(on: .compose) == notice, what)
            #expect(after.facts == before.facts, what)
        }
        if let notice = step.notice, notice.cause != .answer {
            #expect(after.facts.contains(notice) && after.answer == before.answer, what)
        }
        // A fact ends with its cause and with nothing else.
        if let ended = step.ended {
            #expect(after.facts == before.facts.filter { $0.cause != ended }, what)
        }
        let isAboutFacts = step.ended != nil || step.notice.map { $0.cause != .answer } == true
        #expect(isAboutFacts || after.facts == before.facts, what)
        // An answer ends with time or with an edit, as it informs or not, and with the screen.
        switch step {
        case .screen: #expect(after.answer == nil, what)
        case .edited: #expect(after.answer == (before.isTimed ? before.answer : nil), what)
        case .time: #expect(after.answer == (before.isTimed ? nil : before.answer), what)
        case .saved, .refused: break
        default: #expect(after.answer == before.answer, what)
        }
    }

    // MARK: On the page

    @Test("a code that was asked for and not entered counts as signed out")
    func codeAsked() {
        let browser = Browser()
        let page = browser.open()
        page.values[.address] = "somebody@example.org".bytes
        page.click(.askCode)
        browser.settle()
        for isReloaded in [false, true] {
            let page = isReloaded ? browser.open() : page
            page.send("waits")
            #expect(page.texts[.notice] == "Saved. It leaves once you have signed in.")
            #expect(!page.isHidden(.noticeAction) && page.texts[.noticeAction] == "Sign in")
        }
    }

    @Test("the notice of a memo that waits for a sign-in ends when the memo is deleted")
    func deleted() {
        let browser = Browser()
        let page = browser.open()
        page.send("waits")
        page.click(.openHistory)
        browser.settle()
        page.click(.historyList, row: page.rows[.historyList]![0], part: .delete)
        page.click(.confirmAccept)
        browser.settle()
        #expect(page.texts[.notice] == "Deleted" && page.focus == .historyTitle)
        #expect(!page.isHidden(.historyEmpty))
        page.click(.historyBack)
        browser.settle()
        #expect(page.texts[.notice] == "" && page.isHidden(.noticeAction))
    }

    @Test(
        "a refused text's reason ends with the next edit, and an answer to settings with the screen"
    )
    func ends() {
        let browser = Browser()
        let page = browser.open()
        page.send("a\0b")
        #expect(page.texts[.notice]?.contains("NUL") == true)
        page.memo = ""
        page.type("")
        browser.settle()
        #expect(page.texts[.notice] == "")
        page.click(.openSettings)
        page.choose(.signature, "Regards")
        browser.settle()
        #expect(page.texts[.notice] == "Saved")
        page.click(.openDiagnostics)
        browser.settle()
        #expect(page.texts[.notice] == "")
    }

    @Test(
        "a memo that bounced is told until the history was opened, after a reload and a send, too"
    )
    func bounced() {
        let browser = Browser()
        var page = browser.open()
        page.signIn()
        page.click(.settingsBack)
        page.send("bounces")
        browser.bounce()
        #expect(page.texts[.notice] == "A memo did not arrive. Its text is kept.")
        #expect(page.attributes[.openHistory]?[.dataState] == "attention")
        page.send("next")
        #expect(page.texts[.notice] == "Saved. It will be in your inbox shortly.")
        browser.pass(milliseconds: 5000)
        #expect(page.texts[.notice] == "A memo did not arrive. Its text is kept.")
        browser.kill(page)
        page = browser.open()
        #expect(page.texts[.notice] == "A memo did not arrive. Its text is kept.")
        page.click(.noticeAction)
        browser.settle()
        #expect(page.attributes[.body]?[.dataScreen] == "history")
        page.click(.historyBack)
        browser.settle()
        #expect(page.texts[.notice] == "" && page.attributes[.openHistory]?[.dataState] == "")
        browser.kill(page)
        page = browser.open()
        #expect(page.texts[.notice] ?? "" == "")
    }

    // MARK: The history

    @Test("only a memo that did not arrive can be sent again; one that waits can be tried")
    func resending() {
        let browser = Browser()
        let page = browser.open()
        page.send("waits")
        page.click(.openHistory)
        browser.settle()
        func row() -> UInt32 { page.rows[.historyList]![0] }
        #expect(page.isHidden(.resend, in: .historyList))
        #expect(!page.isHidden(.retry, in: .historyList))
        #expect(page.text(.reason, in: .historyList)?.hasPrefix("Kept here until") == true)
        page.click(.historyList, row: row(), part: .resend)
        page.click(.historyList, row: row(), part: .retry)
        browser.settle()
        #expect(browser.rows(.history).count == 1)
        page.signIn()
        #expect(browser.statuses == ["sent"])
        #expect(page.isHidden(.resend, in: .historyList))
        #expect(page.isHidden(.retry, in: .historyList))
        page.click(.historyList, row: row(), part: .resend)
        browser.settle()
        #expect(browser.rows(.history).count == 1)
        browser.bounce()
        #expect(!page.isHidden(.resend, in: .historyList))
        page.click(.historyList, row: row(), part: .resend)
        browser.settle()
        #expect(browser.statuses == ["resent", "sent"])
    }

    @Test("a long memo ends with an ellipsis, and is shown whole on demand")
    func whole() {
        let browser = Browser()
        let page = browser.open()
        let text = String(repeating: "é line\n", count: 200)
        page.send(text)
        page.click(.openHistory)
        browser.settle()
        #expect(page.text(.text, in: .historyList)?.hasSuffix("…") == true)
        #expect(page.text(.whole, in: .historyList) == "Show all (1400 characters)")
        page.click(.historyList, row: page.rows[.historyList]![0], part: .whole)
        browser.settle()
        #expect(page.text(.text, in: .historyList) == text)
        #expect(page.isHidden(.whole, in: .historyList))
        page.tell(.rung, [Bell.change.rawValue])
        browser.settle()
        #expect(page.text(.text, in: .historyList) == text, "still whole when it is read again")
    }

    // MARK: The code

    private func ask(_ browser: Browser) -> Page {
        let page = browser.open()
        page.values[.address] = "somebody@example.org".bytes
        page.click(.askCode)
        browser.settle()
        return page
    }

    private func reject(_ code: String, on page: Page, _ browser: Browser) {
        browser.relay.answers = [
            (
                403, "application/problem+json", "",
                "{\"code\":\"code-rejected\",\"retryable\":false,\"status\":403}"
            )
        ]
        page.values[.code] = code.bytes
        page.tell(.typed, number: UInt32(Name.code.rawValue))
        browser.settle()
    }

    @Test(
        "a rejected code is not posted again; wrong, expired and no tries left are three sentences"
    )
    func rejected() {
        let browser = Browser()
        var page = ask(browser)
        let asked = browser.relay.requests.count
        for number in 1...5 {
            reject("12345\(number)", on: page, browser)
            #expect(
                page.texts[.codeError]
                    == (number < 5
                        ? "This code is wrong. Check it, or ask for a new one."
                        : "No tries are left for this code. Ask for a new one.")
            )
            page.click(.confirmCode)
            browser.settle()
            #expect(browser.relay.requests.count == asked + number, "nothing is posted twice")
            #expect(page.focus == .code)
        }
        // On a page that was loaded since, after the code's time.
        browser.kill(page)
        page = ask(browser)
        browser.kill(page)
        browser.pass(milliseconds: 599_000)
        page = browser.open()
        browser.pass(milliseconds: 1000)
        reject("123456", on: page, browser)
        #expect(page.texts[.codeError] == "This code has expired. Ask for a new one.")
    }

    @Test("the way to sign in leads to the field for the address, and signing in to the title")
    func focus() {
        let browser = Browser()
        let page = browser.open()
        page.send("waits")
        page.click(.noticeAction)
        browser.settle()
        #expect(page.attributes[.body]?[.dataScreen] == "settings" && page.focus == .address)
        page.signIn()
        #expect(page.focus == .settingsTitle)
    }

    @Test("a setting that is not taken says so at its field, and until the field is edited")
    func settings() {
        let browser = Browser()
        let page = browser.open()
        page.click(.openSettings)
        for (field, error, value, sentence) in [
            (Name.subjectTemplate, Name.subjectError, "{x}", "Only {line}, {date} and {id}"),
            (.signature, .signatureError, String(repeating: "x", count: 3000), "is too long"),
        ] {
            page.choose(field, value)
            browser.settle()
            #expect(page.texts[error]?.contains(sentence) == true)
            #expect(page.attributes[field]?[.ariaInvalid] == "true")
            #expect(page.texts[.notice] ?? "" == "")
            page.tell(.typed, number: UInt32(field.rawValue))
            browser.settle()
            #expect(page.texts[error] == "" && page.attributes[field]?[.ariaInvalid] == nil)
        }
    }

    @Test("a wait counts down beside its field, and its end ends the sentence")
    func countdown() {
        let browser = Browser()
        let page = browser.open()
        browser.relay.answers = [
            (
                429, "application/problem+json", "3",
                "{\"code\":\"too-many-requests\",\"retryable\":true,\"status\":429}"
            )
        ]
        page.values[.address] = "somebody@example.org".bytes
        page.click(.askCode)
        browser.settle()
        for seconds in [3, 2, 1] {
            #expect(
                page.texts[.addressError]?.contains("in \u{2068}\(seconds)\u{2069} s") == true
                    || page.texts[.addressError]?.contains("in \(seconds) s") == true
            )
            browser.pass(milliseconds: 1000)
        }
        #expect(page.texts[.addressError] == "")
        #expect(page.attributes[.address]?[.ariaInvalid] == nil)
    }

    // MARK: Devices, the first visit, the server's absence

    @Test("another device is signed out only after a question, and the answer is told")
    func device() {
        let browser = Browser()
        let page = browser.open()
        page.signIn()
        let list =
            "{\"devices\":[{\"id\":\"d1\",\"name\":\"Firefox (Linux)\",\"createdAt\":1,"
            + "\"current\":false}]}"
        browser.relay.answers = [(200, "application/json", "", list)]
        page.click(.openSettings)
        browser.settle()
        page.click(.deviceList, row: page.rows[.deviceList]![0], part: .revoke)
        browser.settle()
        #expect(
            page.openDialogs == [.confirm] && page.texts[.confirmTitle] == "Sign this device out?"
        )
        #expect(page.texts[.confirmText]?.contains("Firefox (Linux)") == true)
        #expect(!browser.relay.requests.contains { $0.method == "DELETE" })
        page.click(.confirmAccept)
        browser.settle()
        #expect(browser.relay.requests.contains { $0.method == "DELETE" })
        #expect(page.openDialogs.isEmpty && page.texts[.notice] == "The device is signed out.")
    }

    @Test("the empty field says what sending does until a memo is sent")
    func firstVisit() {
        let browser = Browser()
        let page = browser.open()
        let hint = "Write a memo and press Send. It arrives in your own inbox."
        #expect(page.attributes[.memo]?[.placeholder] == hint)
        page.send("first")
        #expect(page.attributes[.memo]?[.placeholder] == " ")
        #expect(browser.open().attributes[.memo]?[.placeholder] == " ")
    }

    @Test("a server that does not answer is not called a missing network")
    func unreached() {
        let browser = Browser()
        let page = browser.open()
        page.signIn()
        page.click(.settingsBack)
        browser.isOnline = false
        page.send("waits")
        #expect(!page.isHidden(.offline) && page.texts[.offlineText] == "Server not reached")
        browser.setOnline(false)
        #expect(page.texts[.offlineText] == "Offline")
    }

    @Test("the queue shows the texts of its memos, and tries all of them only where there are some")
    func queue() {
        let browser = Browser()
        let page = browser.open()
        for (number, text) in ["Buy milk", "Call Bob"].enumerated() {
            page.send(text)
            page.click(.openSettings)
            page.click(.openDiagnostics)
            browser.settle()
            let shown = (0...number).map { page.text(.text, in: .queueList, at: $0) }
            #expect(Set(shown) == Set(["Buy milk", "Call Bob"].prefix(number + 1)))
            #expect(page.isHidden(.retryNow) == (number == 0))
            page.click(.diagnosticsBack)
            page.click(.settingsBack)
            browser.settle()
        }
    }

    @Test("timings are written as the language writes numbers")
    func timings() throws {
        let browser = Browser()
        let page = browser.open()
        page.send("measured")
        for (language, timing) in [
            ("en", /Median \d+\.\d ms, latest \d+\.\d ms/),
            ("de", /Median \d+,\d ms, latest \d+,\d ms/),
        ] {
            page.choose(.language, language)
            browser.settle()
            for element: Name in [.timeToText, .sendToReset] {
                #expect(try #require(page.texts[element]).contains(timing))
            }
        }
    }
}
