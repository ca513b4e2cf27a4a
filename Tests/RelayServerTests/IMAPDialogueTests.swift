import OutboxCore
import Testing

@testable import RelayServer

@Suite("The dialogue with an IMAP server")
struct IMAPDialogueTests {
    private func dialogue(_ command: String, _ lines: String...) -> IMAPDialogue {
        var dialogue = IMAPDialogue()
        dialogue.sent((command + "\r\n").utf8)
        for line in lines { dialogue.received((line + "\r\n").utf8) }
        return dialogue
    }

    @Test("an append tells the mail that it has made, where the server does")
    func appended() {
        let told = dialogue(
            "A003 APPEND INBOX (\\Seen) {42}",
            "+ OK",
            "A003 OK [APPENDUID 17 4711] done"
        )
        #expect(told.command == .append)
        #expect(told.status == .ok)
        #expect(told.appended == FolderView(validity: 17, reached: 4711))
        #expect(dialogue("A003 APPEND INBOX {42}", "A003 OK done").appended == nil)
        let odd = dialogue("A003 APPEND INBOX {42}", "A003 OK [APPENDUID 17 99999999999] done")
        #expect(odd.appended == nil)
    }

    @Test("a search finds copies in their order, over several lines, and not without end")
    func found() {
        let search = "B004 UID SEARCH HEADER Message-ID \"<x@y>\""
        #expect(dialogue(search, "* SEARCH", "B004 OK done").found == [])
        #expect(
            dialogue(search, "* SEARCH 9 2", "* 3 EXISTS", "* SEARCH 5 x -1", "B004 OK").found
                == [2, 5, 9]
        )
        let many = (1...9_999).map { "\($0)" }.joined(separator: " ")
        #expect(dialogue(search, "* SEARCH \(many)").found.count <= IMAPDialogue.mostFound)
    }

    @Test("what a folder's opening has told is known over the commands that follow")
    func validity() {
        var opened = dialogue(
            "A003 SELECT INBOX",
            "* 172 EXISTS",
            "* OK [UIDVALIDITY 3857529045] UIDs valid",
            "* OK [UIDNEXT 4392] Predicted next UID",
            "A003 OK [READ-WRITE] done"
        )
        let view = FolderView(validity: 3_857_529_045, reached: 4391)
        #expect(opened.opened?.view == view)
        opened.sent("A004 NOOP\r\n".utf8)
        #expect(opened.opened?.view == view)
        opened.sent("A005 SELECT INBOX\r\n".utf8)
        #expect(opened.opened != nil && opened.opened?.view == nil)
        for line in ["* OK [UIDVALIDITY", "* OK [UIDVALIDITY x]", "* OK [UIDNEXT 4392] next"] {
            #expect(dialogue("A003 SELECT INBOX", line).opened?.view == nil)
        }
        for next in ["* OK [UIDNEXT 0]", "* OK [UIDNEXT -1]", "* OK nothing"] {
            let odd = dialogue("A003 SELECT INBOX", "* OK [UIDVALIDITY 7]", next)
            #expect(odd.opened?.view == FolderView(validity: 7, reached: 0))
        }
        #expect(dialogue("A003 NOOP", "* OK [UIDVALIDITY 7]").opened == nil)
    }

    @Test("only the end of the latest command counts")
    func latest() {
        var dialogue = dialogue("A003 SELECT INBOX", "A003 OK [READ-WRITE] done")
        #expect(dialogue.status == .ok)
        dialogue.sent("A004 NOOP\r\n".utf8)
        #expect(dialogue.status == nil)
        dialogue.received("A003 NO late\r\n".utf8)
        #expect(dialogue.status == nil)
        dialogue.received("A004 BAD what\r\n".utf8)
        #expect(dialogue.status == .bad)
        dialogue.sent("A005 LOGOUT\r\n".utf8)
        #expect(dialogue.status == .bad)
    }

    @Test("the answer to a challenge is no command")
    func challenge() {
        var dialogue = dialogue("A002 AUTHENTICATE PLAIN", "+")
        dialogue.sent("AGNhbmFyeQBjYW5hcnk=\r\n".utf8)
        #expect(dialogue.command == .login)
        dialogue.received("A002 NO [AUTHENTICATIONFAILED] no\r\n".utf8)
        #expect(dialogue.code == "AUTHENTICATIONFAILED")
    }

    @Test(
        "a URL of a mailbox",
        arguments: [
            ("imaps://imap.example.org", "imaps://imap.example.org:993/INBOX"),
            ("imap://127.0.0.1:1143/", "imap://127.0.0.1:1143/INBOX"),
            ("imaps://[::1]/Memos%2FNew%20ones", "imaps://[::1]:993/Memos%2FNew%20ones"),
            ("imaps://h/A&-B", "imaps://h:993/A%26-B"),
            ("smtp://h", nil), ("imap://", nil), ("imap://u@h", nil), ("imap://h/%22", nil),
            ("imap://h/%0D%0A", nil), ("imap://h/%ZZ", nil), ("imap://h/*", nil),
            ("imap://h/" + String(repeating: "x", count: 201), nil), ("imap://h:0", nil),
        ] as [(String, String?)]
    )
    func urls(url: String, expected: String?) {
        let credentials = MailServer.Credentials(user: "u", password: "p")
        #expect(IMAPMailbox(url: url, credentials: credentials)?.url == expected)
    }

    @Test("a password travels in clear to this machine alone")
    func protection() {
        let credentials = MailServer.Credentials(user: "u", password: "p")
        func security(_ url: String) -> MailServer.Security? {
            IMAPMailbox(url: url, credentials: credentials)?.server.security
        }
        #expect(security("imap://imap.example.org") == .require)
        #expect(security("imap://127.0.0.1") == .opportunistic)
        #expect(security("imaps://127.0.0.1") == .implicit)
    }
}
