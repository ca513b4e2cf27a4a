import OutboxCore
import Testing

@testable import RelaySQLite
@testable import RelayServer

@Suite("A delivery report", .timeLimit(.minutes(60)))
struct DeliveryReportTests {
    /// A report as Postfix writes it.
    static func report(
        _ groups: String...,
        type: String = "multipart/report; report-type=delivery-status; boundary=\"b/1\"",
        part: String = "message/delivery-status",
        to: String = "bounce+x@relay.example"
    ) -> [UInt8] {
        let lines = [
            "From MAILER-DAEMON Mon Nov 23 13:00:00 2026", "X-Original-To: \(to)",
            "Content-Type: \(type)", "", "Prose with Action: failed", "--b/1",
            "Content-Type: text/plain", "", "Status: 5.0.0", "Action: failed", "", "--b/1",
            "Content-Type: \(part)", "", "Reporting-MTA: dns; mx.example", "",
            groups.joined(separator: "\n\n"), "", "--b/1", "Content-Type: message/rfc822", "",
            "Action: delivered", "", "--b/1--", "",
        ]
        return Array(lines.joined(separator: "\n").replacing("\n", with: "\r\n").utf8)
    }

    private func verdict(_ mail: [UInt8]) -> DeliveryReport.Verdict? {
        DeliveryReport(mail).verdict
    }

    private static let failed =
        "Final-Recipient: rfc822; a@b.example\nAction: failed\nStatus: 5.1.1"

    @Test("tells a permanent failure, however its fields are written")
    func permanent() {
        for group in [
            Self.failed, "ACTION:FAILED\nSTATUS:5.1.1",
            "Status: 5.1.1 (no such user)\naction: Failed",
            "Status: nonsense\nStatus: 5.1.1\nAction: failed (gone)\nAction: delivered",
        ] {
            #expect(verdict(Self.report(group)) == .bounced("dsn.5.1.1"))
        }
        let bare = String(decoding: Self.report(Self.failed), as: UTF8.self)
        #expect(verdict(Array(bare.replacing("\r\n", with: "\n").utf8)) == .bounced("dsn.5.1.1"))
        let folded = "multipart/Report;\r\n\tBoundary=b/1;\r\n report-type=delivery-status"
        #expect(verdict(Self.report(Self.failed, type: folded)) == .bounced("dsn.5.1.1"))
    }

    @Test("tells that the mail server has given up, where the cause was not permanent")
    func givenUp() {
        #expect(verdict(Self.report("Action: failed\nStatus: 4.4.7")) == .expired("dsn.4.4.7"))
        let later = Self.report("Action: failed", "Action: failed\nStatus: 4.4.1", Self.failed)
        #expect(verdict(later) == .expired("dsn.4.4.1"))
    }

    @Test("tells no failure where the mail may still arrive, or has arrived")
    func open() {
        for group in [
            "Action: delayed\nStatus: 4.4.1", "Action: failed\nStatus: 2.4.7",
            "Action: delayed\nStatus: 5.1.1", "Action: failed", "Action: failed\nStatus: 5.1",
            "Action: failed\nStatus: 55.1.1", "Action: delivered\nStatus: 2.0.0",
            "Action: relayed\nStatus: 5.1.1", "Action: \0failed\nStatus: 5.1.1",
        ] {
            #expect(verdict(Self.report(group)) == .open, "\(group)")
        }
        for order in [[Self.failed, "Action: expanded"], ["Action: delivered", Self.failed]] {
            #expect(verdict(Self.report(order[0], order[1])) == .open)
        }
        #expect(verdict(Self.report("Action: delayed", Self.failed)) == .bounced("dsn.5.1.1"))
    }

    @Test("is a mail of that type with such a part, in clear")
    func noReport() {
        let types = [
            "text/plain", "multipart/mixed; boundary=\"b/1\"", "multipart/report",
            "multipart/report; boundary=other", "multipart/report; boundary=\"\"",
            "multipart/report; boundary=" + String(repeating: "b", count: 71),
            "multipart/report; boundary=\"", "multipart/report;;;=;", "",
        ]
        for type in types { #expect(verdict(Self.report(Self.failed, type: type)) == nil) }
        for part in [
            "text/plain", "message/rfc822",
            "message/delivery-status\r\nContent-Transfer-Encoding: base64",
        ] {
            #expect(verdict(Self.report(Self.failed, part: part)) == nil)
        }
        #expect(verdict([]) == nil)
        #expect(verdict(Self.report("Reporting-MTA: dns; a")) == nil)
    }

    @Test("tells the addresses to which it came, and no more than the limit")
    func addresses() {
        let mail = Self.report(Self.failed, to: "<Bounce+X@relay.example>")
        #expect(DeliveryReport(mail).addresses == [Array("Bounce+X@relay.example".utf8)])
        let many = String(repeating: "Delivered-To: a@b.example\r\n", count: 1000)
        let limit = DeliveryReport.greatestNumberOfAddresses
        #expect(DeliveryReport(Array(many.utf8)).addresses.count == limit)
    }

    @Test("is read in bounded time and without a trap, whatever its bytes are")
    func hostile() {
        let good = Self.report(Self.failed)
        for length in good.indices { _ = DeliveryReport(good.prefix(length)) }
        // A trap prints no seed, so the same mails are tried by every run; `scripts/fuzz` tries others.
        var state: UInt64 = 1
        func random(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % count
        }
        let bytes: [UInt8] = [0, 10, 13, 32, 34, 45, 58, 59, 61, 92, 128, 255]
        for _ in 0..<20_000 {
            var mail = good
            for _ in 0...random(4) { mail[random(mail.count)] = bytes[random(bytes.count)] }
            _ = DeliveryReport(mail)
        }
        let size = 10 << 20
        let head = "Content-Type: multipart/report; boundary=b\r\n"
        let floods = [
            head + "\r\n" + String(repeating: "--b\r\n", count: size / 5),
            head + "\r\n" + String(repeating: "--b\r\nContent-Type: a\r\n", count: size / 22),
            head + "\r\n" + String(repeating: "--b\r\nA: \r\n b\r\n\r\n", count: size / 16),
            head + String(repeating: " folded\r\n", count: size / 9),
            "Content-Type: multipart/report" + String(repeating: ";a=\"\\", count: size / 5),
            "Content-Type: multipart/report" + String(repeating: " ", count: size),
            String(repeating: "\0", count: size),
        ]
        // A reader whose work grows with the square of the bytes needs hours, and ends at the suite's
        // limit.
        for flood in floods { #expect(verdict(Array(flood.utf8)) == nil) }
        let many = String(repeating: Self.failed + "\n\n", count: 5000)
        #expect(verdict(Self.report(many)) == .bounced("dsn.5.1.1"))
    }
}
