import MemoSyncCore
import MemoTexts
import OutboxCore
import OutboxTesting
import RelayAPI
import SimulatedBrowser
import StoreCore
import SyncCore
import Testing

@testable import WebClient

/// What all devices of one person share, on pages of the web app.
@Suite("Shared by all devices of a person", .timeLimit(.minutes(60)))
struct SharingTests {
    private static let round = 5000.0

    /// Browsers of one person at one relay, each with a page.
    private func browsers(_ count: Int, seed: UInt64 = 1) -> [Browser] {
        let first = Browser(seed: seed)
        var browsers = [first]
        for number in 1..<max(count, 1) {
            let other = Browser(seed: seed &+ UInt64(number))
            other.network = first.relay
            browsers.append(other)
        }
        for browser in browsers.prefix(count) {
            browser.open().signIn()
            browser.pass(milliseconds: Self.round)
        }
        return Array(browsers.prefix(count))
    }

    private func questions(_ relay: Relay) -> Int {
        relay.requests.count { $0.path.hasPrefix("/v1/changes") }
    }

    private func settings(_ page: Page) -> Settings { page.app.context.store.state.settings }

    // MARK: Settings

    @Test("a setting that is changed on one browser is on the other one after its next round")
    func settingsTravel() {
        let browsers = browsers(2)
        let pages = browsers.map { $0.pages[0] }
        pages[0].choose(.signature, "Ada")
        pages[0].choose(.privacyOverlaySetting, "")
        browsers[0].settle()
        #expect(browsers[0].relay.account.values == ["signature": "Ada", "overlay": "off"])
        #expect(pages[0].texts[.notice] == "Saved")
        browsers[1].pass(milliseconds: Self.round)
        #expect(settings(pages[1]).signature == "Ada".bytes && !settings(pages[1]).hasOverlay)
        // The next page begins with it, before it has asked the relay.
        browsers[1].kill(pages[1])
        browsers[1].isOnline = false
        #expect(settings(browsers[1].open(isOnline: false)).signature == "Ada".bytes)
    }

    @Test("a text that is being written stays in its field when another setting is shared")
    func textBeingWritten() {
        let browsers = browsers(2)
        let page = browsers[1].pages[0]
        page.values[.subjectTemplate] = "[memo] {li".bytes
        browsers[0].pages[0].choose(.signature, "Ada")
        browsers[0].settle()
        browsers[1].pass(milliseconds: Self.round)
        #expect(page.values[.signature] == "Ada".bytes)
        #expect(page.values[.subjectTemplate] == "[memo] {li".bytes)
    }

    @Test("a field holds the signature as it is stored, also where that is the one from before")
    func signatureAsStored() {
        let page = browsers(1)[0].pages[0]
        for _ in 1...2 {
            page.choose(.signature, "Ada \n")
            page.browser.settle()
            #expect(page.values[.signature] == "Ada".bytes)
        }
    }

    @Test("settings of two browsers that were offline meet: different ones both stay")
    func offline() {
        let browsers = browsers(2)
        for browser in browsers { browser.setOnline(false) }
        browsers[0].pages[0].choose(.signature, "Ada")
        browsers[1].pages[0].choose(.language, "de")
        for browser in browsers { browser.settle() }
        #expect(browsers[0].relay.account.values.isEmpty)
        for browser in browsers { browser.setOnline(true) }
        for browser in browsers { browser.pass(milliseconds: 2 * Self.round) }
        #expect(browsers[0].relay.account.values == ["signature": "Ada", "language": "de"])
        for browser in browsers {
            #expect(settings(browser.pages[0]).signature == "Ada".bytes)
            #expect(settings(browser.pages[0]).language == .german)
        }
    }

    @Test("a signature that two browsers wrote waits for a person, and nothing is overwritten")
    func conflict() {
        let browsers = browsers(2)
        browsers[1].setOnline(false)
        browsers[0].pages[0].choose(.signature, "Ada")
        browsers[1].pages[0].choose(.signature, "Grace")
        for browser in browsers { browser.settle() }
        browsers[1].setOnline(true)
        browsers[1].pass(milliseconds: 2 * Self.round)
        #expect(browsers[0].relay.account.values["signature"] == "Ada")
        let machine = browsers[1].pages[0].app.shared.machine
        #expect(machine?.entries.map { $0.reason } == [.conflict])
        #expect(settings(browsers[1].pages[0]).signature == "Grace".bytes)
        // It is still there for the next page.
        browsers[1].kill(browsers[1].pages[0])
        let page = browsers[1].open()
        browsers[1].pass(milliseconds: Self.round)
        #expect(page.app.shared.machine?.entries.count == 1)
    }

    @Test("settings that were chosen before the sign-in are shared, and meet what the account has")
    func beforeSignIn() {
        let relay = browsers(1)[0]
        relay.pages[0].choose(.signature, "Ada")
        relay.settle()
        let other = Browser(seed: 9)
        other.network = relay.relay
        let page = other.open()
        page.choose(.subjectTemplate, "{line}")
        page.choose(.signature, "Grace")
        other.settle()
        page.signIn()
        other.pass(milliseconds: 2 * Self.round)
        #expect(relay.relay.account.values["signature"] == "Ada")
        #expect(page.app.shared.machine?.entries.count == 1)
    }

    @Test("a change whose answer was lost is applied once", arguments: 0..<6)
    func lostAnswers(steps: Int) {
        let browser = browsers(1)[0]
        let page = browser.pages[0]
        page.choose(.signature, "Ada")
        for _ in 0..<steps { browser.step() }
        browser.relay.losesAnswer = true
        browser.pass(milliseconds: Self.round)
        browser.relay.losesAnswer = false
        browser.pass(milliseconds: 30_000)
        #expect(browser.relay.account.values == ["signature": "Ada"])
        #expect(browser.relay.account.applied.values.allSatisfy { $0 == 1 })
        #expect(page.app.shared.machine?.pendingCount == 0)
    }

    @Test("no byte of the settings is stored unsealed")
    func sealed() {
        let browser = browsers(1)[0]
        browser.setOnline(false)
        browser.pages[0].choose(.signature, "unmistakable")
        browser.settle()
        #expect(browser.rows(.shared).count == 2)
        #expect(!browser.allBytes.contains { $0.firstRange(of: "unmistakable".bytes) != nil })
    }

    // MARK: Several pages

    @Test("two pages that change settings at once lose none, in every order", arguments: 1...150)
    func twoPages(seed: UInt64) {
        let browser = Browser(seed: seed)
        let first = browser.open()
        first.signIn()
        let second = browser.open()
        browser.pass(milliseconds: Self.round)
        var random = SeededRandom(seed: seed)
        let isOnline = Bool.random(using: &random)
        if !isOnline { browser.setOnline(false) }
        first.choose(.signature, "Ada")
        for _ in 0..<Int.random(in: 0..<25, using: &random) { browser.step() }
        second.choose(.subjectTemplate, "{date}")
        for _ in 0..<Int.random(in: 0..<25, using: &random) { browser.step() }
        first.choose(.privacyOverlaySetting, "")
        browser.settle()
        if !isOnline { browser.setOnline(true) }
        browser.pass(milliseconds: 2 * Self.round)
        let expected = ["signature": "Ada", "subject": "{date}", "overlay": "off"]
        #expect(browser.relay.account.values == expected, "seed \(seed)")
        #expect(browser.relay.account.applied.values.allSatisfy { $0 == 1 }, "seed \(seed)")
        for page in [first, second] {
            #expect(page.app.shared.machine?.pendingCount == 0, "seed \(seed)")
            #expect(settings(page).signature == "Ada".bytes, "seed \(seed)")
            #expect(settings(page).subject == "{date}".bytes, "seed \(seed)")
            #expect(!settings(page).hasOverlay, "seed \(seed)")
        }
    }

    @Test("one page at a time sends and pulls")
    func oneSender() {
        let browser = browsers(1)[0]
        browser.open()
        browser.pass(milliseconds: Self.round)
        browser.relay.holdsAnswers = true
        let asked = browser.relay.requests.count
        browser.pass(milliseconds: 4 * Self.round)
        #expect(browser.relay.requests.count == asked + 1)
        browser.relay.holdsAnswers = false
        browser.relay.release()
        browser.pass(milliseconds: Self.round)
        #expect(browser.relay.requests.count > asked + 1)
    }

    @Test("a page that is killed at any step leaves a whole change, which is sent once, or none")
    func kills() {
        var (kept, lost) = (0, 0)
        for steps in 0..<70 {
            let browser = Browser(seed: UInt64(steps) + 1)
            let page = browser.open()
            page.signIn()
            browser.pass(milliseconds: Self.round)
            page.choose(.signature, "Ada")
            for _ in 0..<steps where browser.isBusy { browser.step(page) }
            let isTold = page.texts[.notice] == "Saved"
            browser.kill(page)
            let next = browser.open()
            browser.pass(milliseconds: 4 * Self.round)
            let isShared = browser.relay.account.values == ["signature": "Ada"]
            #expect(isShared || !isTold, "after \(steps) steps")
            #expect(settings(next).signature == (isShared ? "Ada".bytes : []), "\(steps) steps")
            #expect(browser.relay.account.applied.values.allSatisfy { $0 == 1 }, "\(steps)")
            #expect(next.app.shared.machine?.pendingCount == 0, "after \(steps) steps")
            if isShared { kept += 1 } else { lost += 1 }
        }
        #expect(kept > 10 && lost > 0)
    }

    @Test("a change that cannot be stored is not said to be saved, and later ones are taken")
    func full() {
        let browser = browsers(1)[0]
        let page = browser.pages[0]
        browser.writeFailure = "QuotaExceededError"
        page.choose(.signature, "Ada")
        browser.settle()
        #expect(page.texts[.notice] != "Saved")
        browser.writeFailure = nil
        page.choose(.privacyOverlaySetting, "")
        browser.pass(milliseconds: Self.round)
        #expect(browser.relay.account.values["overlay"] == "off")
    }

    // MARK: Memos and devices

    @Test("a status is on a page in sight within ten seconds of its memo's delivery")
    func status() {
        let browser = browsers(1)[0]
        browser.pages[0].send("memo")
        browser.pass(milliseconds: 60_000)
        browser.relay.changes = [(browser.relay.accepted.keys.first ?? "", "delivered")]
        browser.pass(milliseconds: 10_000)
        #expect(browser.statuses == ["delivered"])
    }

    @Test("a page asks each five seconds while its person is there, and each minute after that")
    func pace() {
        let browser = browsers(1)[0]
        let page = browser.pages[0]
        var asked = questions(browser.relay)
        browser.pass(milliseconds: 60_000)
        #expect(questions(browser.relay) == asked + 12)
        browser.pass(milliseconds: 600_000)
        asked = questions(browser.relay)
        browser.pass(milliseconds: 600_000)
        #expect((9...11).contains(questions(browser.relay) - asked))
        asked = questions(browser.relay)
        page.type("x")
        browser.pass(milliseconds: 10_000)
        #expect(questions(browser.relay) >= asked + 2)
        page.tellVisible(false)
        browser.settle()
        asked = questions(browser.relay)
        browser.pass(milliseconds: 600_000)
        #expect(questions(browser.relay) == asked)
        page.tellVisible(true)
        browser.settle()
        #expect(questions(browser.relay) == asked + 1)
    }

    @Test("a relay that fails is asked ever more seldom, and one that asks for a wait after it")
    func pauses() {
        let browser = browsers(1)[0]
        browser.relay.changesAnswer = (500, "text/plain", "", "")
        let asked = questions(browser.relay)
        browser.pass(milliseconds: 300_000)
        #expect((6...9).contains(questions(browser.relay) - asked))
        browser.relay.changesAnswer = (
            503, "application/problem+json", "120",
            "{\"code\":\"unavailable\",\"retryable\":true,\"status\":503}"
        )
        browser.pass(milliseconds: 60_000)
        let waited = questions(browser.relay)
        browser.pages[0].choose(.signature, "Ada")
        browser.pass(milliseconds: 50_000)
        #expect(questions(browser.relay) == waited)
        browser.relay.changesAnswer = nil
        browser.pass(milliseconds: 120_000)
        #expect(browser.relay.account.values == ["signature": "Ada"])
    }

    @Test("what the relay no longer names is gone after a forgotten cursor, and what waits is sent")
    func forgotten() {
        let browser = browsers(1)[0]
        let page = browser.pages[0]
        browser.relay.account.set("017f22e2-79b0-7cc3-98c4-dc0c0c07398f", "delivered")
        browser.relay.account.set("017f22e2-79b0-7cc3-98c4-dc0c0c073990", "delivered")
        browser.pass(milliseconds: Self.round)
        #expect(page.app.shared.machine?.stored.count == 2)
        browser.setOnline(false)
        page.choose(.signature, "Ada")
        browser.settle()
        browser.relay.account.forget(["017f22e2-79b0-7cc3-98c4-dc0c0c07398f"])
        browser.setOnline(true)
        browser.pass(milliseconds: 2 * Self.round)
        #expect(page.app.shared.machine?.stored.count == 2)
        #expect(browser.relay.account.values == ["signature": "Ada"])
        #expect(browser.rows(.shared).count == 3)
    }

    @Test("a list of many pages is read to its end, and by the next page from the disk")
    func many() {
        let browser = browsers(1)[0]
        for number in 0..<1250 {
            let id = OperationID(high: 0x017f_22e2_79b0_7000, low: UInt64(number) | 1 << 63)
            browser.relay.account.set("\(id)", "delivered")
        }
        browser.pass(milliseconds: Self.round)
        #expect(browser.pages[0].app.shared.machine?.stored.count == 1250)
        browser.kill(browser.pages[0])
        browser.isOnline = false
        let page = browser.open(isOnline: false)
        browser.pass(milliseconds: 2000)
        #expect(page.app.shared.machine?.stored.count == 1250)
    }

    @Test("a device that is signed out here is gone from the list at once, and at the relay later")
    func revoked() {
        let browser = browsers(1)[0]
        let page = browser.pages[0]
        browser.relay.account.add(device: SharedAccount.device, named: "This")
        browser.relay.account.add(device: "other", named: "Telephone")
        browser.pass(milliseconds: Self.round)
        page.click(.openSettings)
        browser.settle()
        #expect(page.app.context.store.state.devices.count == 2)
        browser.setOnline(false)
        page.click(.deviceList, row: page.rows[.deviceList]?[1] ?? 0, part: .revoke)
        page.click(.confirmAccept)
        browser.settle()
        #expect(page.app.context.store.state.devices.map { $0.name } == ["This".bytes])
        #expect(browser.relay.account.devices.count == 2)
        browser.kill(page)
        browser.isOnline = true
        browser.open()
        browser.pass(milliseconds: 2 * Self.round)
        #expect(browser.relay.account.devices.map { $0.name } == ["This"])
    }

    @Test("who signs out is told how many changes were not sent")
    func signingOut() {
        let browser = browsers(1)[0]
        let page = browser.pages[0]
        page.click(.signOut)
        browser.settle()
        #expect(page.isHidden(.wipeChanges) && page.openDialogs == [.wipeConfirm])
        page.click(.wipeCancel)
        browser.setOnline(false)
        page.choose(.signature, "Ada")
        browser.settle()
        page.click(.signOut)
        browser.settle()
        #expect(page.texts[.wipeChanges] == "Changes not confirmed yet: 1")
        #expect(!page.isHidden(.wipeChanges))
        page.click(.wipeAccept)
        browser.settle()
        #expect(browser.rows(.shared).isEmpty)
    }

    @Test("settings and history say what is not confirmed, and when the page synchronised last")
    func told() {
        let browser = browsers(1)[0]
        let page = browser.pages[0]
        #expect(page.app.context.store.state.sharing.lastSynced != nil)
        browser.setOnline(false)
        page.choose(.signature, "Ada")
        browser.settle()
        for name in [Name.syncState, .syncNews] {
            #expect(page.texts[name] == "Changes not confirmed yet: 1")
        }
        browser.setOnline(true)
        browser.pass(milliseconds: Self.round)
        #expect(page.app.context.store.state.sharing.pending == 0)
    }

    @Test("a change that met another one is tried again, edited or discarded by the person")
    func choices() {
        for choice in [Name.retry, .edit, .delete] {
            let browsers = browsers(2)
            let (browser, page) = (browsers[1], browsers[1].pages[0])
            browser.setOnline(false)
            browsers[0].pages[0].choose(.signature, "Ada")
            page.choose(.signature, "Grace")
            for browser in browsers { browser.settle() }
            browser.setOnline(true)
            browser.pass(milliseconds: 2 * Self.round)
            page.click(.openSettings)
            browser.settle()
            #expect(page.text(.text, in: .changeList) == "Grace")
            #expect(
                page.text(.reason, in: .changeList)
                    == "Another device has changed this, too. There: Ada"
            )
            page.click(.changeList, row: page.rows[.changeList]?.first ?? 0, part: choice)
            browser.settle()
            if choice == .edit {
                #expect(page.focus == .signature)
                page.choose(.signature, "Both")
            }
            for browser in browsers.reversed() { browser.pass(milliseconds: 2 * Self.round) }
            let expected = choice == .retry ? "Grace" : choice == .edit ? "Both" : "Ada"
            #expect(browser.relay.account.values.isEmpty)
            #expect(browsers[0].relay.account.values["signature"] == expected)
            for browser in browsers {
                #expect(settings(browser.pages[0]).signature == expected.bytes)
            }
            #expect(page.rows[.changeList] == [])
        }
    }

    @Test("the history has the memos of other devices in their places, without a text")
    func others() {
        let browser = browsers(1)[0]
        let page = browser.pages[0]
        browser.relay.account.add(device: "other", named: "Telephone")
        page.send("from here")
        let own = browser.relay.accepted.keys.first ?? ""
        browser.relay.account.set(own, "delivered")
        browser.relay.account.set("017f22e2-79b0-7cc3-98c4-dc0c0c07398f", "bounced", of: "other")
        browser.relay.account.set("017f22e2-79b0-7cc3-98c4-dc0c0c073990", "delivered", of: "gone")
        browser.pass(milliseconds: Self.round)
        page.click(.openHistory)
        browser.settle()
        #expect(page.rows[.historyList]?.count == 3)
        #expect(page.text(.text, in: .historyList, at: 0) == "from here")
        #expect(page.text(.text, in: .historyList, at: 1) == "Written on another device")
        #expect(page.text(.text, in: .historyList, at: 2) == "Written on Telephone")
        for part in [Name.copy, .delete, .resend] {
            #expect(page.isHidden(part, in: .historyList, at: 2))
        }
    }

    // MARK: What is stored

    @Test("damaged records, and a damaged state, are pulled again", arguments: [true, false])
    func damaged(isState: Bool) {
        let browser = browsers(1)[0]
        let page = browser.pages[0]
        browser.relay.account.set("017f22e2-79b0-7cc3-98c4-dc0c0c07398f", "delivered")
        page.choose(.signature, "Ada")
        browser.pass(milliseconds: 2 * Self.round)
        browser.kill(page)
        let name = "\(Records.shared.name)".bytes
        for (key, record) in browser.stores[name] ?? [:] where (key == [0]) == isState {
            var body = record.body
            body[body.count - 1] ^= 1
            browser.stores[name]?[key] = Record(key: key, head: record.head, body: body)
        }
        let next = browser.open()
        browser.pass(milliseconds: 2 * Self.round)
        #expect(next.app.shared.machine?.stored.count == 2)
        #expect(next.app.shared.fields(of: .settings)?.first?.value == "Ada".bytes)
        next.choose(.signature, "Ada L.")
        browser.pass(milliseconds: 2 * Self.round)
        #expect(browser.relay.account.values == ["signature": "Ada L."])
    }

    @Test("the records of one account are not another's")
    func accounts() {
        let browser = browsers(1)[0]
        let page = browser.pages[0]
        page.choose(.signature, "Ada")
        browser.pass(milliseconds: Self.round)
        browser.setOnline(false)
        page.choose(.subjectTemplate, "{date}")
        browser.settle()
        browser.isOnline = true
        browser.relay.token = "second"
        browser.relay.account = SharedAccount()
        page.tellNetwork(true)
        browser.settle()
        #expect(page.attributes[.destination]?[.dataState] == "signed-out")
        page.signIn(as: "else@example.org")
        browser.pass(milliseconds: 2 * Self.round)
        #expect(page.app.shared.machine?.pendingCount == 0)
        #expect(browser.rows(.shared).count <= 2)
    }

    @Test("a device that was signed out elsewhere keeps what waits, and sends it after a sign-in")
    func signedOutElsewhere() {
        let browser = browsers(1)[0]
        let page = browser.pages[0]
        browser.setOnline(false)
        page.choose(.signature, "Ada")
        browser.settle()
        browser.relay.token = "second"
        browser.setOnline(true)
        browser.settle()
        #expect(page.attributes[.destination]?[.dataState] == "signed-out")
        #expect(page.texts[.notice] != nil && browser.relay.account.values.isEmpty)
        page.signIn()
        browser.pass(milliseconds: 2 * Self.round)
        #expect(browser.relay.account.values == ["signature": "Ada"])
    }
}
