import OutboxCore
import SimulatedBrowser
import Testing

@testable import WebClient

extension DraftTests {
    @Test("a draft that falls due at any moment of a send does not bring the memo back")
    func dueWhileSending() {
        for isSavedBefore in [true, false] {
            for moment in 0..<24 {
                let browser = Browser(seed: UInt64(moment))
                let page = browser.open()
                page.type("sent once")
                if isSavedBefore { browser.pass(milliseconds: 300) }
                if isSavedBefore { page.type("!") }
                page.click(.send)
                for _ in 0..<moment { browser.step() }
                page.fire(.draft)
                browser.pass(milliseconds: 1000)
                #expect(browser.rows(.outbox).count == 1)
                #expect(browser.rows(.drafts).isEmpty, "at step \(moment)")
                browser.kill(page)
                #expect(browser.open().memo == "", "at step \(moment)")
            }
        }
    }

    @Test("a draft that could not be saved during a send that failed is saved after it")
    func savedAfterFailure() {
        var failures = 0
        for moment in 0..<24 {
            let browser = Browser()
            let page = browser.open()
            page.type("kept")
            page.click(.send)
            browser.writeFailure = "UnknownError"
            for _ in 0..<moment { browser.step() }
            page.fire(.draft)
            browser.settle()
            browser.writeFailure = nil
            guard page.memo == "kept" else { continue }
            failures += 1
            page.type(".")
            browser.pass(milliseconds: 1000)
            browser.kill(page)
            #expect(browser.open().memo == "kept.", "at step \(moment)")
        }
        #expect(failures > 0)
    }

    @Test("a draft that was merged into the field is gone when the field was sent")
    func merged() {
        for isSaved in [true, false] {
            let browser = Browser()
            let page = browser.open()
            page.type("old")
            browser.pass(milliseconds: 300)
            browser.kill(page)
            let next = browser.open(settling: false)
            next.type("new")
            next.tell(.visibilityChanged, number: 0)
            browser.settle()
            #expect(next.memo == "new\n\nold")
            if isSaved {
                browser.pass(milliseconds: 300)
                #expect(browser.rows(.drafts).count == 1)
            }
            next.click(.send)
            browser.settle()
            browser.kill(next)
            #expect(browser.rows(.drafts).isEmpty)
            #expect(browser.open().memo == "")
        }
    }

    @Test("a shared text that was sent before it was saved does not come again")
    func sharedAndSent() {
        let browser = Browser()
        browser.open(.worker).tell(.shared, number: 9, "shared".bytes)
        browser.settle()
        let page = browser.open()
        page.click(.shareTake)
        browser.settle()
        #expect(page.memo == "shared")
        page.click(.send)
        browser.settle()
        #expect(browser.rows(.shares).isEmpty)
        browser.kill(page)
        #expect(browser.open().memo == "")
    }

    @Test("a shared text that comes into the field during a send is not lost with it")
    func sharedWhileSending() {
        for moment in 0..<40 {
            let browser = Browser(seed: UInt64(moment))
            let worker = browser.open(.worker)
            let page = browser.open()
            page.type("memo")
            worker.tell(.shared, number: 9, "shared".bytes)
            browser.settle()
            page.click(.send)
            page.click(.shareTake)
            for _ in 0..<moment { browser.step() }
            browser.kill(page)
            browser.settle()
            let next = browser.open()
            next.click(.shareTake)
            browser.settle()
            let history = browser.rows(.history).count
            let isInField = next.memo.contains("shared")
            #expect(isInField || history == 1, "at step \(moment)")
            if history == 1, !isInField {
                #expect(browser.holds("shared", in: .history), "at step \(moment)")
            }
        }
    }

    @Test("a draft that is restored during a send is not lost with it, whenever the page ends")
    func restoredWhileSending() {
        for before in stride(from: 0, to: 24, by: 3) {
            for moment in stride(from: 0, to: 16, by: 2) {
                for after in stride(from: 0, to: 16, by: 2) {
                    let browser = Browser()
                    let page = browser.open()
                    page.type("old")
                    browser.pass(milliseconds: 300)
                    browser.kill(page)
                    let next = browser.open(settling: false)
                    for _ in 0..<before { browser.step() }
                    next.type("new")
                    next.click(.send)
                    for _ in 0..<moment { browser.step() }
                    next.fire(.draft)
                    for _ in 0..<after { browser.step() }
                    browser.kill(next)
                    let isStored =
                        browser.holds("old", in: .drafts) || browser.holds("old", in: .history)
                    #expect(isStored, "\(before), \(moment), \(after)")
                }
            }
        }
    }

    @Test("a restored draft that was erased during a send does not come back")
    func erasedWhileSending() {
        var erased = 0
        for moment in 0..<60 {
            let browser = Browser()
            let page = browser.open()
            page.type("old")
            browser.pass(milliseconds: 300)
            browser.kill(page)
            let next = browser.open(settling: false)
            next.type("new")
            next.click(.send)
            for _ in 0..<moment { browser.step() }
            guard next.memo.contains("old") else { continue }
            erased += 1
            next.memo = ""
            next.type("")
            next.fire(.draft)
            browser.pass(milliseconds: 1000)
            browser.kill(next)
            #expect(browser.open().memo == "", "at step \(moment)")
        }
        #expect(erased > 0)
    }

    @Test("a text that stays after signing out elsewhere is not given up for a new build")
    func signedOutElsewhere() {
        let browser = Browser()
        let page = browser.open()
        page.type("to be copied")
        browser.pass(milliseconds: 300)
        let other = browser.open()
        other.click(.signOut)
        browser.settle()
        other.click(.wipeAccept)
        browser.settle()
        #expect(page.memo == "to be copied" && !page.isReloaded)
        page.tell(.updated)
        browser.settle()
        #expect(page.memo == "to be copied" && !page.isReloaded)
    }

    @Test("a new build takes over only when the field's text is saved")
    func updateWithUnsavedDraft() {
        let browser = Browser()
        let page = browser.open()
        page.tell(.updateReady)
        browser.writeFailure = "UnknownError"
        page.type("only here")
        page.click(.updateReady)
        page.tell(.updated)
        browser.settle()
        #expect(!page.isReloaded && page.activations == 0)
        #expect(page.texts[.notice]?.contains("keep this page open") == true)
        page.tell(.updated)
        browser.settle()
        #expect(!page.isReloaded, "asked again, without typing")
        browser.writeFailure = nil
        page.click(.updateReady)
        page.tell(.updated)
        browser.settle()
        #expect(page.isReloaded && page.activations == 1 && browser.rows(.drafts).count == 1)
    }

    @Test("a new build waits for the memo that is being stored")
    func updateWhileSending() {
        for moment in 0..<24 {
            let browser = Browser()
            let page = browser.open()
            page.type("memo")
            page.click(.send)
            for _ in 0..<moment { browser.step() }
            page.tell(.updated)
            while !page.isReloaded, browser.isBusy { browser.step() }
            #expect(page.isReloaded, "at step \(moment)")
            browser.kill(page)
            let isKept = browser.rows(.outbox).count == 1 || browser.open().memo == "memo"
            #expect(isKept, "at step \(moment)")
        }
    }

    @Test("what was typed before the script listened becomes a draft")
    func typedBeforeScript() {
        let browser = Browser()
        let page = browser.open(settling: false)
        page.memo = "early"
        browser.pass(milliseconds: 300)
        browser.kill(page)
        #expect(browser.open().memo == "early")
    }
}
