import OutboxCore
import RelayRules
import Testing

@testable import RelayServer

/// The form of signatures and keys. Receivers' programs judge the signatures in
/// `Tests/EndToEnd/test_dkim.py`.
@Suite("Signatures of mails (DKIM)")
struct DKIMTests {
    private func render(_ text: String, signer: DKIMSigner?) throws -> String {
        let renderer = MailRenderer(
            from: try #require(MailAddress("memo@relay.example")),
            signer: signer
        )
        let owner = try #require(MailAddress("owner@example.org"))
        let mail = renderer.render(
            MailRenderer.Content(
                to: owner,
                replyTo: owner,
                subject: MailSubject(asked: nil, memo: text),
                text: text,
                token: "0a1b",
                date: WallTime(millisecondsSinceEpoch: 1_700_000_000_500)
            )
        )
        return String(decoding: mail.message, as: UTF8.self)
    }

    private func signer() throws -> DKIMSigner {
        DKIMSigner(
            keys: try DKIMKeys.made(),
            domain: "relay.example",
            selector: try #require(DKIMSelector("s1"))
        )
    }

    @Test("a mail gets one signature of each key before its own fields, and stays the same")
    func signatures() throws {
        let plain = try render("milk", signer: nil)
        let signed = try render("milk", signer: try signer())
        #expect(signed.hasSuffix(plain))
        let fields = signed.dropLast(plain.count)
        #expect(fields.components(of: "DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed;") == 1)
        #expect(
            fields.components(of: "DKIM-Signature: v=1; a=ed25519-sha256; c=relaxed/relaxed;") == 1
        )
        #expect(fields.contains("s=s1;"))
        #expect(fields.contains("s=s1-ed25519;"))
        let lines = fields.split(separator: "\r\n")
        #expect(lines.allSatisfy { $0.utf8.count <= 78 })
    }

    @Test("a field that is there is named once more than it is there, so that none can be added")
    func oversigned() throws {
        let signed = try render("milk", signer: try signer())
        let names = signed.replacing("\r\n\t", with: "").split(separator: "h=", maxSplits: 1)[1]
            .prefix { $0 != ";" }.split(separator: ":")
        for name in DKIMSigner.signedFields {
            #expect(names.count { $0 == name } == 2, "\(name)")
        }
    }

    @Test("keys are read back, and no other text is")
    func keys() throws {
        let made = try DKIMKeys.made()
        let read = try DKIMKeys(pem: made.pem)
        let selector = try #require(DKIMSelector("s1"))
        #expect(
            read.records(domain: "relay.example", selector: selector)
                == made.records(domain: "relay.example", selector: selector)
        )
        let blocks: [String] = made.pem.split(separator: "-----END PRIVATE KEY-----\n").map {
            String($0) + "-----END PRIVATE KEY-----\n"
        }
        #expect(try DKIMKeys(pem: blocks[0]).signers.map(\.kind) == [.rsa])
        #expect(try DKIMKeys(pem: "remark\n" + blocks[1]).signers.map(\.kind) == [.ed25519])
        let others: [String] = [
            "", "canary", blocks[0] + blocks[0], String(made.pem.dropLast(40)),
            made.pem.replacing("MII", with: "!!!"), made.pem.replacing("PRIVATE", with: "PUBLIC"),
        ]
        for text in others {
            #expect(throws: DKIMKeysError.malformed) { try DKIMKeys(pem: text) }
        }
    }

    @Test("a selector is a name of DNS")
    func selectors() {
        #expect(DKIMSelector("2026-a") != nil)
        for text in ["", "-a", "a-", "a.b", "a b", "ä", String(repeating: "a", count: 51)] {
            #expect(DKIMSelector(text) == nil)
        }
    }
}

extension Substring {
    fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
