import MemoCore
import OutboxCore
import SimulatedBrowser
import Testing

@testable import WebClient

@Suite("The texts of the history") struct HistoryTextTests {
    @Test(
        "a memo's text is without the signature with which it was mailed",
        arguments: ["one", "line\n", "a \"quote\", a \\, a tab\t and é", "x\n-- \nRegards"]
    )
    func signed(memo: String) {
        let browser = Browser()
        let page = browser.open()
        page.signIn()
        page.choose(.signature, "Regards")
        browser.settle()
        page.send(memo)
        browser.bounce()
        #expect(page.shownTexts(in: browser) == [memo])
        page.click(.historyList, row: page.rows[.historyList]![0], part: .resend)
        browser.settle()
        let mails = browser.relay.accepted.values
        #expect(mails.count == 2 && Set(mails).count == 1, "signed once each")
    }

    @Test("the text of an entry is shown that an earlier build has sealed by itself")
    func sealedByItself() throws {
        let browser = Browser()
        let page = browser.open()
        page.send("of today")
        let (key, stored) = try #require(browser.rows(.history).first)
        let id = try #require(OperationID(bytes: key))
        let keyID = try #require(browser.keys.first.flatMap { KeyID(bytes: $0) })
        let time = WallTime(millisecondsSinceEpoch: Int64(id.high >> 16))
        let body = Page.sealed(
            "of an earlier build",
            under: keyID,
            SealedRecord.associatedData(keyID: keyID, id: id, kind: .history, createdAt: time)
        )
        browser.stores["history".bytes]?[key] = Record(key: key, head: stored.head, body: body)
        #expect(page.shownTexts(in: browser) == ["of an earlier build"])
    }

    @Test(
        "bytes that are no text are shown as a memo that cannot be opened",
        arguments: [0, 1, 4, 5, 41, 60]
    )
    func damaged(length: Int) throws {
        let browser = Browser()
        let page = browser.open()
        page.send("one")
        let (key, stored) = try #require(browser.rows(.history).first)
        browser.stores["history".bytes]?[key] = Record(
            key: key,
            head: stored.head,
            body: Array(stored.body.prefix(length))
        )
        #expect(page.shownTexts(in: browser).first?.contains("annot be opened") == true)
    }
}

extension Page {
    /// The texts of the history's screen, the latest first.
    fileprivate func shownTexts(in browser: Browser) -> [String] {
        click(.openHistory)
        browser.settle()
        return (rows[.historyList] ?? []).compactMap {
            partTexts["\(Element(.historyList, row: $0, part: .text))"]
        }
    }
}
