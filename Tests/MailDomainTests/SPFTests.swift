import Testing

@testable import MailDomain

@Suite("An SPF record")
struct SPFRecordTests {
    private func read(_ text: String) throws -> SPFRecord { try SPFRecord(Array(text.utf8)) }

    @Test(
        "is a text of version 1, and no other one",
        arguments: [
            ("v=spf1", true), ("V=SPF1 -all", true), ("v=spf1 ", true), ("v=spf10", false),
            ("v=spf2.0/pra", false), ("", false), (" v=spf1", false),
        ]
    )
    func version(_ text: String, _ isSPF: Bool) {
        #expect(SPFRecord.isSPF(Array(text.utf8)) == isSPF)
    }

    @Test("has its terms in their order, in any case")
    func terms() throws {
        let record = try read(
            "v=spf1 +A mx/24 a:Host.Example./20//64 ?include:x.example ~ip4:192.0.2.0/24 "
                + "ip6:2001:DB8::/32 exists:e.example ptr -all redirect=r.example exp=%{i}.e foo=%%"
        )
        #expect(
            record.directives == [
                .init(qualifier: .pass, mechanism: .addresses(domain: nil, .init())),
                .init(qualifier: .pass, mechanism: .exchangers(domain: nil, .init(ipv4: 24))),
                .init(
                    qualifier: .pass,
                    mechanism: .addresses(domain: "host.example", .init(ipv4: 20, ipv6: 64))
                ),
                .init(qualifier: .neutral, mechanism: .include("x.example")),
                .init(
                    qualifier: .softFail,
                    mechanism: .network(try #require(IPAddress("192.0.2.0")), length: 24)
                ),
                .init(
                    qualifier: .pass,
                    mechanism: .network(try #require(IPAddress("2001:db8::")), length: 32)
                ),
                .init(qualifier: .pass, mechanism: .exists("e.example")),
                .init(qualifier: .pass, mechanism: .pointers(domain: nil)),
                .init(qualifier: .fail, mechanism: .all),
            ]
        )
        #expect(record.redirect == "r.example")
    }

    @Test(
        "has no other term",
        arguments: [
            "include", "include:", "all:x", "a/33", "a/024", "a//129", "a/", "a:/24",
            "mx:",
            "ip4", "ip4:192.0.2", "ip4:192.0.2.0/33", "ip4:2001:db8::", "ip6:192.0.2.1",
            "ip6:::ffff:192.0.2.1", "ip6:::/129", "exists", "redirect=", "=x", "1=x",
            "redirect=a redirect=b", "a:b..c", "\u{7F}",
        ]
    )
    func mistakes(_ term: String) {
        #expect(throws: SPFMistake.syntax) { try read("v=spf1 \(term)") }
    }

    @Test("with a name of its own, or a macro, says which of the two it is")
    func others() {
        #expect(throws: SPFMistake.unknownMechanism) { try read("v=spf1 ipv4:192.0.2.1") }
        #expect(throws: SPFMistake.unknownMechanism) { try read("v=spf1 -") }
        #expect(throws: SPFMistake.macro) { try read("v=spf1 exists:%{i}.e.example") }
    }
}

@Suite("The check of SPF for an address")
struct SPFEvaluationTests {
    /// RFC 7208, appendix A: `$ORIGIN example.com`.
    private static let zone: Zone = {
        var zone = Zone()
        zone.exchangers("example.com", "mail-a.example.com", "mail-b.example.com")
        zone.host("example.com", "192.0.2.10", "192.0.2.11")
        zone.host("amy.example.com", "192.0.2.65")
        zone.host("bob.example.com", "192.0.2.66")
        zone.host("mail-a.example.com", "192.0.2.129")
        zone.host("mail-b.example.com", "192.0.2.130")
        zone.exchangers("example.org", "mail-c.example.org")
        zone.host("mail-c.example.org", "192.0.2.140")
        return zone
    }()

    private static func check(
        _ zone: Zone,
        _ address: String?,
        of domain: String = "example.com"
    ) throws -> (result: SPFResult, asked: Int) {
        let address = try address.map { try #require(IPAddress($0)) }
        var answers: [DNSQuestion: DNSAnswer] = [:]
        while true {
            var evaluation = SPFEvaluation(DNSTable(answers), address: address)
            let result = evaluation.check(domain)
            if evaluation.missing.isEmpty { return (result, evaluation.asked) }
            for question in evaluation.missing { answers[question] = zone.answer(to: question) }
        }
    }

    @Test(
        "has the results of RFC 7208, appendix A.1",
        arguments: [
            ("v=spf1 +all", ["192.0.2.10", "10.0.0.4"], [String]()),
            ("v=spf1 a -all", ["192.0.2.10", "192.0.2.11"], ["192.0.2.65", "192.0.2.129"]),
            ("v=spf1 a:example.org -all", [], ["192.0.2.10", "192.0.2.140"]),
            ("v=spf1 mx -all", ["192.0.2.129", "192.0.2.130"], ["192.0.2.10"]),
            ("v=spf1 mx:example.org -all", ["192.0.2.140"], ["192.0.2.129"]),
            (
                "v=spf1 mx mx:example.org -all", ["192.0.2.129", "192.0.2.130", "192.0.2.140"],
                ["192.0.2.10"]
            ),
            (
                "v=spf1 mx/30 mx:example.org/30 -all", ["192.0.2.131", "192.0.2.143"],
                ["192.0.2.132", "192.0.2.144"]
            ),
            ("v=spf1 ip4:192.0.2.128/28 -all", ["192.0.2.129", "192.0.2.143"], ["192.0.2.65"]),
        ]
    )
    func appendix(_ record: String, _ passing: [String], _ failing: [String]) throws {
        var zone = Self.zone
        zone.text("example.com", record)
        for address in passing { #expect(try Self.check(zone, address).result == .pass) }
        for address in failing { #expect(try Self.check(zone, address).result == .fail) }
    }

    @Test("of records of one or two terms is that of the terms by themselves, in their order")
    func order() throws {
        let terms: [(text: String, matches: Set<String>)] = [
            ("a", ["192.0.2.10"]), ("a:amy.example.com", ["192.0.2.65"]),
            ("mx", ["192.0.2.129"]), ("ip4:192.0.2.64/26", ["192.0.2.65"]),
            ("include:yes.example", ["192.0.2.10", "192.0.2.65", "192.0.2.129"]),
            ("include:no.example", []), ("include:neutral.example", []),
            ("exists:amy.example.com", ["192.0.2.10", "192.0.2.65", "192.0.2.129"]),
            ("exists:none.example", []), ("ip6:2001:db8::/32", []),
            ("all", ["192.0.2.10", "192.0.2.65", "192.0.2.129"]),
        ]
        let qualifiers: [(text: String, result: SPFResult)] = [
            ("+", .pass), ("", .pass), ("-", .fail), ("~", .softFail), ("?", .neutral),
        ]
        let directives = terms.flatMap { term in
            qualifiers.map { (text: $0.text + term.text, term.matches, $0.result) }
        }
        var zone = Self.zone
        zone.text("yes.example", "v=spf1 +all")
        zone.text("no.example", "v=spf1 -all")
        zone.text("neutral.example", "v=spf1 ?all")
        for first in directives {
            for second in directives {
                zone.text("example.com", "v=spf1 \(first.text) \(second.text)")
                for address in ["192.0.2.10", "192.0.2.65", "192.0.2.129"] {
                    let expected =
                        first.1.contains(address)
                        ? first.2 : second.1.contains(address) ? second.2 : .neutral
                    let found = try Self.check(zone, address).result
                    #expect(found == expected, "\(first.text) \(second.text), \(address)")
                }
            }
        }
    }

    @Test("ends at ten look-ups, of whichever kind, nested or not, and in a circle")
    func lookUps() throws {
        for count in 1...12 {
            let isAllowed = count <= SPFEvaluation.lookUps
            var flat = Self.zone
            let terms = (0..<count).map { ["a", "mx", "exists:amy.example.com", "ptr"][$0 % 4] }
            flat.text("example.com", "v=spf1 \(terms.joined(separator: " ")) -all")
            let found = try Self.check(flat, "203.0.113.9")
            let qualified = try Self.check(flat, nil)
            // `exists` matches every address, so the record as a whole is looked at without one.
            #expect((qualified.result == .permanentError(.tooManyLookUps)) == !isAllowed)
            #expect(count > 2 || found.result == .fail)
            var nested = Zone()
            nested.text("example.com", "v=spf1 include:h1.example -all")
            for number in 1...count {
                nested.text("h\(number).example", "v=spf1 include:h\(number + 1).example -all")
            }
            nested.text("h\(count).example", "v=spf1 ip4:192.0.2.1 -all")
            let result = try Self.check(nested, "192.0.2.1").result
            #expect(result == (isAllowed ? .pass : .permanentError(.tooManyLookUps)))
        }
        var circle = Zone()
        circle.text("example.com", "v=spf1 include:other.example redirect=other.example")
        circle.text("other.example", "v=spf1 include:example.com")
        #expect(
            try Self.check(circle, "192.0.2.1").result == .permanentError(.tooManyLookUps)
        )
        var redirect = Zone()
        redirect.text("example.com", "v=spf1 redirect=example.com")
        #expect(
            try Self.check(redirect, "192.0.2.1").result == .permanentError(.tooManyLookUps)
        )
    }

    @Test("ends at three names that are not there, and at eleven exchangers")
    func voids() throws {
        for count in 1...4 {
            var zone = Zone()
            let terms = (0..<count).map { "a:none\($0).example" }.joined(separator: " ")
            zone.text("example.com", "v=spf1 \(terms) -all")
            let isAllowed = count <= SPFEvaluation.voidLookUps
            #expect(
                try Self.check(zone, "192.0.2.1").result
                    == (isAllowed ? .fail : .permanentError(.tooManyVoidLookUps))
            )
        }
        for count in [10, 11] {
            var zone = Zone()
            zone.text("example.com", "v=spf1 mx -all")
            zone.answers[.exchangers("example.com")] = .exchangers(
                (0..<count).map { MailExchanger(preference: $0, host: "mx\($0).example") }
            )
            let expected: SPFResult =
                count == 10 ? .fail : .permanentError(.tooManyExchangers(of: "example.com"))
            #expect(try Self.check(zone, "192.0.2.1").result == expected)
        }
    }

    @Test("names the record that is several, wrong, or not there, however deep")
    func errors() throws {
        var zone = Zone()
        zone.text("example.com", "v=spf1 include:deep.example -all")
        #expect(
            try Self.check(zone, "192.0.2.1").result
                == .permanentError(.noRecord(of: "deep.example"))
        )
        zone.text("deep.example", "v=spf1 -all", "v=spf1 +all")
        #expect(
            try Self.check(zone, "192.0.2.1").result
                == .permanentError(.several(of: "deep.example"))
        )
        zone.text("deep.example", "v=spf1 ip4")
        #expect(
            try Self.check(zone, "192.0.2.1").result
                == .permanentError(.mistake(.syntax, of: "deep.example"))
        )
        for failure in [DNSFailure.timeout, .server, .unreadable, .tooLarge] {
            zone.answers[.texts("deep.example")] = .failed(failure)
            #expect(
                try Self.check(zone, "192.0.2.1").result == .temporaryError(failure)
            )
        }
        #expect(try Self.check(zone, "192.0.2.1", of: "other.example").result == .none)
    }

    @Test("looks at addresses of version 6 for an address of version 6")
    func six() throws {
        var zone = Zone()
        zone.text("example.com", "v=spf1 a//64 -all")
        zone.host("example.com", "192.0.2.10", "2001:db8:1:2::1")
        #expect(try Self.check(zone, "2001:db8:1:2::ffff").result == .pass)
        #expect(try Self.check(zone, "2001:db8:1:3::1").result == .fail)
    }
}
