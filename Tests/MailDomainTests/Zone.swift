import MailDomain

/// A DNS of a test: what it does not have is not there.
struct Zone {
    var answers: [DNSQuestion: DNSAnswer] = [:]

    func answer(to question: DNSQuestion) -> DNSAnswer { answers[question] ?? .nothing }

    mutating func text(_ name: String, _ texts: String...) {
        answers[.texts(name)] = .texts(texts.map { Array($0.utf8) })
    }

    mutating func host(_ name: String, _ addresses: String...) {
        let addresses = addresses.compactMap(IPAddress.init)
        let versions: [(Int, DNSQuestion)] = [(4, .ipv4(name)), (6, .ipv6(name))]
        for (version, question) in versions {
            let found = addresses.filter { $0.version == version }
            if !found.isEmpty { answers[question] = .addresses(found) }
        }
    }

    mutating func exchangers(_ name: String, _ hosts: String...) {
        answers[.exchangers(name)] = .exchangers(
            hosts.map { MailExchanger(preference: 10, host: $0) }
        )
    }

    mutating func pointer(_ address: String, _ names: String...) {
        IPAddress(address).map { answers[.names($0)] = .names(names) }
    }

    func findings(_ mail: MailDomain) -> [Finding] {
        DomainInquiry.findings(about: mail) { questions in
            questions.reduce(into: [:]) { $0[$1] = answer(to: $1) }
        }
    }
}
