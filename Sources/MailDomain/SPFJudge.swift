/// Judges the SPF record of a domain for the addresses that send.
struct SPFJudge {
    let domain: String
    let addresses: [IPAddress]

    /// The findings, final where nothing is added to `missing`.
    func findings(_ table: DNSTable, _ missing: inout Set<DNSQuestion>) -> [Finding] {
        var table = table
        let found = table.texts(of: domain, SPFRecord.isSPF)
        var whole = SPFEvaluation(table, address: nil)
        let result = whole.check(domain)
        let checks = addresses.map { address in
            var evaluation = SPFEvaluation(table, address: address)
            let result = evaluation.check(domain)
            missing.formUnion(evaluation.missing)
            return (address: address, result: result)
        }
        missing.formUnion(whole.missing)
        let text: [UInt8]
        switch found {
        case nil: return []
        case .failure(let failure):
            return [unanswered(.spf, "the SPF record of \(domain)", failure)]
        case .success(let texts):
            guard let first = texts.first else { return [none] }
            text = first
        }
        let shown = RecordText.shown(text)
        switch result {
        case .permanentError(let error):
            return [finding(error, found: shown)]
        case .temporaryError(let failure):
            return [unanswered(.spf, "a part of the SPF record of \(domain)", failure)]
        case .pass, .fail, .softFail, .neutral, .none: break
        }
        return checks.map { finding($0.address, $0.result, text, whole.asked) }
            + remarks(text, whole, found: shown)
    }

    // MARK: The record

    private var none: Finding {
        Finding(
            .spf,
            .wrong,
            "\(domain) has no SPF record: mailboxes cannot tell your mails from forged ones.",
            record: addresses.isEmpty ? nil : line(addresses.map(Self.mechanism) + ["-all"])
        )
    }

    private func line(_ terms: [String]) -> String {
        RecordText.line(domain, txt: (["v=spf1"] + terms).joined(separator: " "))
    }

    private static func mechanism(_ address: IPAddress) -> String {
        "ip\(address.version):\(address)"
    }

    private func finding(_ error: SPFError, found: String) -> Finding {
        switch error {
        case .mistake(.macro, let name):
            Finding(
                .spf,
                .unknown,
                "The SPF record of \(name) has a macro (%{…}), whose meaning depends on the mail.",
                found: found
            )
        case .mistake(.syntax, let name):
            wrong("The SPF record of \(name) has a mistake in its form.", found)
        case .mistake(.unknownMechanism, let name):
            wrong("The SPF record of \(name) has a mechanism that SPF does not know.", found)
        case .several(let name): wrong("\(name) has several SPF records: keep one.", found)
        case .tooManyLookUps:
            wrong(
                "The SPF record needs more than \(SPFEvaluation.lookUps) look-ups: receivers stop "
                    + "there. Name addresses (ip4, ip6) in place of names.",
                found
            )
        case .tooManyVoidLookUps:
            wrong(
                "More than \(SPFEvaluation.voidLookUps) names of the SPF record are not there: "
                    + "receivers stop there. Remove them.",
                found
            )
        case .tooManyExchangers(let name):
            wrong(
                "The SPF record names the mail exchangers of \(name), which has more than "
                    + "\(SPFEvaluation.exchangers).",
                found
            )
        case .noRecord(let name):
            wrong("The SPF record names that of \(name), which has none.", found)
        }
    }

    private func wrong(_ sentence: String, _ found: String) -> Finding {
        Finding(
            .spf,
            .wrong,
            "\(sentence) Receivers take the domain for one without SPF.",
            found: found,
            record: addresses.isEmpty ? nil : line(addresses.map(Self.mechanism) + ["-all"])
        )
    }

    // MARK: An address

    private func finding(
        _ address: IPAddress,
        _ result: SPFResult,
        _ text: [UInt8],
        _ asked: Int
    ) -> Finding {
        let found = RecordText.shown(text)
        switch result {
        case .pass:
            let sentence =
                "\(address) may send for \(domain) (\(asked) of \(SPFEvaluation.lookUps) look-ups)."
            return Finding(.spf, .fine, sentence, found: found)
        case .permanentError(let error): return finding(error, found: found)
        case .temporaryError(let failure):
            return unanswered(.spf, "a part of the SPF record of \(domain)", failure)
        case .fail, .softFail, .neutral, .none:
            return Finding(
                .spf,
                .wrong,
                "The SPF record does not let \(address) send for \(domain).",
                found: found,
                record: extended(text)
            )
        }
    }

    /// The record with the addresses before its other terms. A record that is no printable text is
    /// written anew.
    private func extended(_ text: [UInt8]) -> String {
        let isPlain = text.allSatisfy { (0x20...0x7E).contains($0) }
        let terms =
            isPlain ? String(decoding: text, as: UTF8.self).split(separator: " ").dropFirst() : []
        let new = addresses.map(Self.mechanism).filter { !terms.contains(Substring($0)) }
        return line(new + (terms.isEmpty ? ["-all"] : terms.map(String.init)))
    }

    // MARK: Remarks

    private func remarks(
        _ text: [UInt8],
        _ whole: SPFEvaluation,
        found: String
    ) -> [Finding] {
        var remarks: [Finding] = []
        if let record = try? SPFRecord(text) {
            let all = record.directives.first { $0.mechanism == .all }
            switch all?.qualifier {
            case .pass:
                let sentence = "The SPF record lets every machine send for \(domain) (+all)."
                remarks.append(Finding(.spf, .wrong, sentence, found: found))
            case .neutral:
                let sentence = "The SPF record says nothing about other machines: end it with -all."
                remarks.append(Finding(.spf, .advice, sentence, found: found))
            case nil where record.redirect == nil:
                let sentence = "The SPF record says nothing about other machines: end it with -all."
                remarks.append(Finding(.spf, .advice, sentence, found: found))
            case .fail, .softFail, nil: break
            }
        }
        if whole.hasPointers {
            let sentence = "The SPF record has the mechanism ptr, which receivers may pass over."
            remarks.append(Finding(.spf, .advice, sentence, found: found))
        }
        if addresses.isEmpty, remarks.isEmpty {
            let sentence =
                "\(domain) has an SPF record (\(whole.asked) of \(SPFEvaluation.lookUps) look-ups). "
                + "Whether it names the mail server: say --mail or --address."
            remarks.append(Finding(.spf, .advice, sentence, found: found))
        }
        return remarks
    }
}
