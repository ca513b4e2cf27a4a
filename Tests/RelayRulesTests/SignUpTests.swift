import Testing

@testable import RelayRules

@Suite("The setting of who may sign up")
struct SignUpTests {
    @Test("is open, closed, or a list of mail domains")
    func values() {
        #expect(SignUp("open") == .open)
        #expect(SignUp("closed") == .closed)
        #expect(SignUp("Example.org") == .domains(["example.org"]))
        #expect(
            SignUp("a.example, B.example ,localhost")
                == .domains(["a.example", "b.example", "localhost"])
        )
    }

    @Test(
        "is nothing else, and no word is taken for a domain",
        arguments: [
            "", " ", "close", "Open", "open,closed", "a.example,", ",a.example",
            "a.example,,b.example",
            "a b.example", "@a.example", "x@a.example", "-a.example", "a..example", "a.example\n",
        ]
    )
    func mistakes(text: String) {
        #expect(SignUp(text) == nil)
    }

    @Test("admits the addresses of its domains, in any case, and those of no subdomain")
    func admits() throws {
        let domains = try #require(SignUp("a.example,b.example"))
        for (text, isAdmitted) in [
            ("me@a.example", true), ("Me+x@B.Example", true), ("me@c.a.example", false),
            ("me@example", false), ("a.example@c.example", false),
        ] {
            let address = try #require(MailAddress(text))
            #expect(domains.admits(address) == isAdmitted, "\(text)")
            #expect(SignUp.open.admits(address) && !SignUp.closed.admits(address))
        }
    }
}
