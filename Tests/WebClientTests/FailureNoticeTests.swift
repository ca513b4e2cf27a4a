import OutboxCore
import SimulatedBrowser
import Testing

@testable import WebClient

@Suite("Notifications of memos that did not arrive", .timeLimit(.minutes(60)))
struct FailureNoticeTests {
    /// A browser with a page that is signed in, at the relay.
    private func signedIn(_ permission: NoticePermission = .given) -> (Browser, Page) {
        let browser = Browser()
        browser.permission = permission
        let page = browser.open()
        page.signIn()
        page.click(.settingsBack)
        browser.settle()
        return (browser, page)
    }

    private func identifiers(_ browser: Browser) -> [String] {
        browser.rows(.history).keys.sorted { $0.lexicographicallyPrecedes($1) }
            .map { String(decoding: OperationID(bytes: $0)!.text, as: UTF8.self) }
    }

    private func marks(_ browser: Browser) -> Int {
        browser.rows(.things).keys.count { $0.first == FailureMark.first[0] }
    }

    @Test("a bounced memo gives one notification with a button; dismissed, it does not come again")
    func bounced() {
        let (browser, page) = signedIn()
        page.send("secret words")
        browser.bounce()
        let id = identifiers(browser)[0]
        #expect(browser.notices == [id: true] && browser.noticesEver == [id])
        browser.notices = [:]
        page.send("another")
        browser.pass(milliseconds: 20_000)
        browser.kill(page)
        browser.open()
        #expect(browser.noticesEver == [id])
    }

    @Test("a parked memo gives one, and bytes that cannot be read one without a button")
    func parked() {
        let (browser, page) = signedIn()
        browser.relay.refuseNext()
        page.send("refused")
        #expect(browser.notices == [identifiers(browser)[0]: true])
        browser.setOnline(false)
        page.send("damaged")
        let (key, record) = browser.rows(.outbox).first { $0.value.head.first == 1 }!
        browser.stores["outbox".bytes]?[key] = Record(key: key, head: record.head, body: [1, 2, 3])
        browser.setOnline(true)
        browser.pass(milliseconds: 10_000)
        page.tellVisible(true)
        browser.settle()
        #expect(browser.statuses.sorted() == ["quarantined", "refused"])
        #expect(browser.notices.count == 2)
        let id = String(decoding: OperationID(bytes: key)!.text, as: UTF8.self)
        #expect(browser.notices[id] == false)
    }

    @Test("two pages and a worker give one notification, at any moment of each")
    func several() {
        for seed in 1...60 {
            let browser = Browser(seed: UInt64(seed))
            browser.permission = .given
            let pages = [browser.open(), browser.open()]
            pages[0].signIn()
            pages[0].send("bounces")
            let worker = browser.open(.worker)
            browser.relay.changes = browser.relay.accepted.keys.map { (id: $0, status: "bounced") }
            for step in 0..<600 {
                if step % 41 == 0 { worker.tell(.synced, number: UInt32(step) + 1) }
                if step % 29 == 0 { pages[step % 2].tellVisible(true) }
                browser.step()
                // The person dismisses it while others still look.
                if marks(browser) > 0 { browser.notices = [:] }
            }
            browser.settle()
            browser.notices = [:]
            browser.pass(milliseconds: 20_000)
            #expect(browser.noticesEver == identifiers(browser), "seed \(seed)")
        }
    }

    @Test("a page that is killed at any moment leaves one notification, and no memo untold")
    func killed() {
        for moment in 0..<60 {
            let (browser, page) = signedIn()
            browser.relay.refuseNext()
            page.type("refused")
            page.click(.send)
            for _ in 0..<moment where page.isBusy { browser.step(page) }
            browser.kill(page)
            browser.open()
            browser.pass(milliseconds: 10_000)
            #expect(browser.noticesEver.count <= 1, "at step \(moment)")
            #expect(
                browser.statuses != ["refused"] || browser.noticesEver.count == 1,
                "at step \(moment)"
            )
        }
    }

    @Test("what the history shows gets no notification, and loses the one that it had")
    func seen() {
        let (browser, page) = signedIn()
        page.send("seen")
        browser.bounce()
        #expect(browser.notices.count == 1)
        page.click(.openHistory)
        browser.settle()
        #expect(browser.notices.isEmpty && marks(browser) == 1)
        page.click(.historyBack)
        page.click(.openHistory)
        browser.settle()
        browser.relay.refuseNext()
        page.send("seen at once")
        #expect(browser.statuses == ["bounced", "refused"])
        #expect(browser.noticesEver.count == 1 && browser.notices.isEmpty)
        page.click(.historyBack)
        browser.pass(milliseconds: 20_000)
        #expect(browser.noticesEver.count == 1)
    }

    @Test("a page out of sight shows nobody its history: the memo is told of")
    func outOfSight() {
        let (browser, page) = signedIn()
        page.send("bounces")
        page.click(.openHistory)
        browser.settle()
        page.tellVisible(false)
        browser.settle()
        browser.relay.changes = browser.relay.accepted.keys.map { (id: $0, status: "bounced") }
        browser.pass(milliseconds: 61_000)
        #expect(browser.notices.count == 1)
        page.tellVisible(true)
        browser.settle()
        #expect(browser.notices.isEmpty)
    }

    @Test("a page out of sight asks the relay for an hour where it may notify, and else not at all")
    func behind() {
        for permission in [NoticePermission.given, .unasked, .refused] {
            let (browser, page) = signedIn(permission)
            browser.pass(milliseconds: 10_000)
            page.tellVisible(false)
            browser.settle()
            func questions() -> Int {
                browser.relay.requests.count { $0.path.hasPrefix("/v1/changes") }
            }
            let before = questions()
            browser.pass(milliseconds: 10 * 60_000)
            let later = questions()
            #expect((9...11) ~= later - before || permission != .given)
            #expect(later == before || permission == .given)
            browser.pass(milliseconds: 51 * 60_000)
            let last = questions()
            browser.pass(milliseconds: 60 * 60_000)
            #expect(questions() == last)
        }
    }

    @Test("nobody is asked before there is something to tell, and then by the person's own button")
    func asked() {
        let (browser, page) = signedIn(.unasked)
        page.send("bounces")
        page.click(.openHistory)
        browser.settle()
        #expect(page.isHidden(.notify) && browser.questions == 0)
        page.click(.historyBack)
        browser.bounce()
        #expect(browser.noticesEver.isEmpty && browser.questions == 0)
        page.click(.openHistory)
        browser.settle()
        #expect(!page.isHidden(.notify) && browser.questions == 0)
        page.click(.notify)
        browser.settle()
        #expect(page.isHidden(.notify) && browser.questions == 1)
        // What was seen before is not told of.
        page.click(.historyBack)
        browser.pass(milliseconds: 20_000)
        #expect(browser.noticesEver.isEmpty)
        browser.relay.refuseNext()
        page.send("refused")
        #expect(browser.noticesEver.count == 1)
    }

    @Test("who refuses is not asked again, and the line tells")
    func refused() {
        let (browser, page) = signedIn(.unasked)
        browser.answersToQuestion = .refused
        page.send("bounces")
        browser.bounce()
        page.click(.openHistory)
        browser.settle()
        page.click(.notify)
        browser.settle()
        #expect(page.isHidden(.notify))
        page.click(.historyBack)
        browser.relay.refuseNext()
        page.send("refused")
        browser.pass(milliseconds: 6000)
        #expect(browser.noticesEver.isEmpty && page.isHidden(.notify))
        #expect(page.texts[.notice] == "A memo did not arrive. Its text is kept.")
    }

    @Test("what the browser did not take is told by the next look")
    func notTaken() {
        let (browser, page) = signedIn()
        browser.refusesNotices = true
        browser.relay.refuseNext()
        page.send("refused")
        #expect(browser.noticesEver.isEmpty && marks(browser) == 0)
        browser.refusesNotices = false
        page.tellVisible(true)
        browser.settle()
        #expect(browser.noticesEver.count == 1)
    }

    @Test("a memo that is tried again and fails again is told of again")
    func failsAgain() {
        let (browser, page) = signedIn()
        browser.relay.refuseNext()
        page.send("refused")
        #expect(browser.noticesEver.count == 1)
        browser.notices = [:]
        page.click(.openSettings)
        page.click(.openDiagnostics)
        browser.settle()
        browser.relay.refuseNext()
        page.click(.queueList, row: page.rows[.queueList]![0], part: .retry)
        browser.settle()
        #expect(browser.noticesEver.count == 2)
    }

    @Test(
        "the button sends a bounced memo again once, however often it is pressed, with a page or none"
    )
    func button() {
        for hasPage in [true, false] {
            let (browser, page) = signedIn()
            page.send("again")
            browser.bounce()
            let id = identifiers(browser)[0]
            if !hasPage { browser.kill(page) }
            let workers = [browser.open(.worker), browser.open(.worker)]
            for worker in workers {
                worker.tellResend(1, id)
                worker.tellResend(2, id)
            }
            browser.settle()
            #expect(browser.statuses == ["resent", "sent"])
            #expect(browser.relay.accepted.count == 2)
            let finished = workers.flatMap { $0.finished.values }
            #expect(finished.count == 4 && finished.count { $0 } == 1)
            // Its notification is taken back by a page.
            if hasPage { #expect(browser.notices.isEmpty) }
        }
    }

    @Test(
        "the button tries a parked memo again under its identifier, and is answered once it is stored"
    )
    func buttonOfParked() {
        let (browser, page) = signedIn()
        browser.relay.refuseNext()
        page.send("refused")
        browser.kill(page)
        let worker = browser.open(.worker)
        worker.tellResend(7, identifiers(browser)[0])
        browser.settle()
        #expect(browser.statuses == ["sent"] && worker.finished == [7: true])
        worker.tellResend(8, identifiers(browser)[0])
        worker.tellResend(9, "no identifier")
        browser.settle()
        #expect(worker.finished == [7: true, 8: false, 9: false])
        #expect(browser.relay.accepted.count == 1)
    }

    @Test("the button sends with the signature that the person has now, and keeps the timings")
    func buttonSettings() {
        let (browser, page) = signedIn()
        page.send("signed")
        browser.bounce()
        let worker = browser.open(.worker)
        page.choose(.signature, "Ada")
        browser.pass(milliseconds: 6000)
        let timings = browser.rows(.things)[Thing.timings.key]?.body
        worker.tellResend(1, identifiers(browser)[0])
        browser.settle()
        let bodies = browser.relay.accepted.values.map { String(decoding: $0, as: UTF8.self) }
        #expect(bodies.contains { $0.contains("signed\\n-- \\nAda") })
        #expect(browser.rows(.things)[Thing.timings.key]?.body == timings)
    }

    @Test("a notification's place opens the history with its entry unfolded")
    func place() {
        let (browser, page) = signedIn()
        page.send("first")
        page.send("second")
        let id = identifiers(browser)[0]
        page.tell(.navigated, "#history/\(id)".bytes)
        browser.settle()
        #expect(page.attributes[.body]?[.dataScreen] == "history")
        #expect(page.unfolded == [page.rows[.historyList]![1]])
        page.click(.historyBack)
        page.click(.openHistory)
        browser.settle()
        #expect(page.unfolded.count == 1)
    }

    @Test("signing out takes the notifications back")
    func signedOut() {
        let (browser, page) = signedIn()
        page.send("bounces")
        browser.bounce()
        #expect(browser.notices.count == 1)
        page.click(.openSettings)
        page.click(.signOut)
        browser.settle()
        page.click(.wipeAccept)
        browser.settle()
        #expect(browser.notices.isEmpty)
    }

    @Test("many failures come by twenty notifications at a time, each once")
    func many() {
        let (browser, page) = signedIn()
        for number in 0..<45 { page.send("memo \(number)") }
        browser.bounce()
        browser.pass(milliseconds: 30_000)
        #expect(Set(browser.noticesEver).count == browser.noticesEver.count)
        for _ in 0..<3 {
            page.tellVisible(true)
            browser.settle()
        }
        #expect(Set(browser.noticesEver) == Set(identifiers(browser)))
        #expect(browser.noticesEver.count == 45)
    }
}
