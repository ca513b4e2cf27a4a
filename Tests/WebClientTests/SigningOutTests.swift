import OutboxCore
import SimulatedBrowser
import Testing

@testable import WebClient

@Suite("What is pending when a person signs out", .timeLimit(.minutes(60)))
struct SigningOutTests {
    private let ada = "ada@example.org"

    /// A browser with a memo, a draft and a change of the settings that the relay does not have, and the
    /// question of signing out.
    private func asked() -> (Browser, Page) {
        let browser = Browser()
        let page = browser.open()
        page.signIn(as: ada)
        browser.pass(milliseconds: 6000)
        browser.setOnline(false)
        page.choose(.signature, "Ada")
        page.click(.settingsBack)
        page.send("unsent")
        page.type("a draft")
        browser.pass(milliseconds: 3000)
        page.click(.openSettings)
        page.click(.signOut)
        browser.settle()
        return (browser, page)
    }

    private func kept() -> (Browser, Page) {
        let (browser, page) = asked()
        page.click(.wipeKeep)
        browser.settle()
        return (browser, page)
    }

    @Test("it is told, and nothing is offered to keep where nothing is pending")
    func told() {
        let (browser, page) = asked()
        #expect(page.texts[.wipeUnsent] == "Memos that have not been sent and will be lost: 2")
        #expect(page.texts[.wipeChanges] == "Changes not confirmed yet: 1")
        #expect(!page.isHidden(.wipeKeep))
        page.click(.wipeAccept)
        browser.settle()
        #expect(browser.stores.values.allSatisfy { $0.isEmpty } && browser.keys.isEmpty)
        let other = Browser().open()
        other.signIn(as: ada)
        other.click(.signOut)
        other.browser.settle()
        #expect(other.openDialogs == [.wipeConfirm] && other.isHidden(.wipeKeep))
    }

    @Test("it is kept for the same account, without the token, and leaves after its next sign-in")
    func same() {
        let (browser, before) = kept()
        #expect(before.attributes[.destination]?[.dataState] == "signed-out" && !before.isReloaded)
        #expect(before.memo == "a draft" && before.texts[.notice]?.contains("may still be") == true)
        let account = browser.rows(.things)[Thing.account.key].flatMap { browser.opened($0) }
        #expect(account?.firstRange(of: "token".bytes) == nil)
        browser.setOnline(true)
        browser.pass(milliseconds: 20_000)
        #expect(browser.relay.accepted.isEmpty && browser.relay.account.values.isEmpty)
        browser.kill(before)
        let page = browser.open()
        #expect(page.memo == "a draft" && page.values[.address] == ada.bytes)
        // A person may write the address with other letters.
        page.signIn(as: "Ada@example.org")
        browser.pass(milliseconds: 10_000)
        #expect(browser.relay.accepted.count == 1)
        #expect(browser.relay.account.values == ["signature": "Ada"])
        page.click(.signOut)
        browser.settle()
        #expect(page.texts[.wipeChanges] == "Changes not confirmed yet: 0")
    }

    @Test("another account has none of it: it has to be given up first")
    func another() {
        let (browser, first) = kept()
        browser.setOnline(true)
        let second = browser.open()
        let before = browser.relay.requests.count { $0.path == "/v1/verifications" }
        for page in [first, second] {
            page.values[.address] = "bob@example.org".bytes
            page.click(.askCode)
            browser.settle()
            #expect(page.openDialogs == [.wipeConfirm] && page.isHidden(.wipeKeep))
            #expect(page.texts[.wipeUnsent]?.hasSuffix(": 2") == true)
            #expect(page.texts[.wipeChanges]?.hasSuffix(": 1") == true)
            page.click(.wipeCancel)
            browser.settle()
        }
        #expect(browser.relay.requests.count { $0.path == "/v1/verifications" } == before)
        second.click(.askCode)
        browser.settle()
        second.click(.wipeAccept)
        browser.settle()
        #expect(browser.stores.values.allSatisfy { $0.isEmpty } && second.isReloaded)
        browser.kill(first)
        browser.kill(second)
        let page = browser.open()
        page.signIn(as: "bob@example.org")
        browser.pass(milliseconds: 10_000)
        #expect(browser.relay.accepted.isEmpty && browser.relay.account.values.isEmpty)
    }

    @Test("it stays the same account's when a code is asked for and not entered")
    func codeNotEntered() {
        let (browser, page) = kept()
        browser.setOnline(true)
        page.values[.address] = ada.bytes
        page.click(.askCode)
        browser.settle()
        page.values[.address] = "bob@example.org".bytes
        page.click(.askCode)
        browser.settle()
        #expect(page.openDialogs == [.wipeConfirm])
        for minutes in [1.0, 30] {
            browser.pass(milliseconds: minutes * 60_000)
            let next = browser.open()
            next.values[.address] = "bob@example.org".bytes
            next.click(.askCode)
            browser.settle()
            #expect(next.openDialogs == [.wipeConfirm])
            browser.kill(next)
        }
    }

    @Test("a page that is killed while it signs out is signed in, or keeps everything")
    func killed() {
        for moment in 0..<30 {
            let (browser, page) = asked()
            page.click(.wipeKeep)
            for _ in 0..<moment where page.isBusy { browser.step(page) }
            browser.kill(page)
            #expect(browser.rows(.outbox).count == 1 && browser.rows(.drafts).count == 1)
            browser.isOnline = true
            let next = browser.open()
            if next.attributes[.destination]?[.dataState] == "signed-out" { next.signIn(as: ada) }
            browser.pass(milliseconds: 10_000)
            #expect(browser.relay.accepted.count == 1, "at step \(moment)")
            #expect(browser.relay.account.values == ["signature": "Ada"], "at step \(moment)")
        }
    }

    @Test("other tabs and the worker send nothing once it is kept")
    func others() {
        let (browser, page) = asked()
        let other = browser.open()
        let worker = browser.open(.worker)
        page.click(.wipeKeep)
        browser.settle()
        browser.setOnline(true)
        worker.tell(.synced, number: 1)
        browser.pass(milliseconds: 10_000)
        #expect(browser.relay.accepted.isEmpty)
        #expect(other.attributes[.destination]?[.dataState] == "signed-out")
        other.signIn(as: ada)
        browser.pass(milliseconds: 10_000)
        #expect(browser.relay.accepted.count == 1)
        #expect(page.attributes[.destination]?[.dataState] == "signed-in")
    }
}
