@testable import RelayRules
@testable import RelayServer

/// A mail address, against a regular expression of RFC 5322's dot-atom and RFC 1123's host name.
func fuzzAddress(_ input: [UInt8]) {
    guard let text = String(validating: input, as: UTF8.self) else { return }
    let product = MailAddress(text)
    let model = AddressModel(text)
    agree("whether it is an address", product != nil, model != nil)
    agree("local part", product?.localPart, model?.localPart)
    agree("domain", product?.domain, model?.domain.lowercased())
    if let product { agree("from its text", MailAddress(product.text), product) }
}

private struct AddressModel {
    let localPart: String
    let domain: String

    init?(_ text: String) {
        if text.utf8.count > 254 { return nil }
        let atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
        let label = "[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
        let pattern = "(\(atom)(?:\\.\(atom))*)@(\(label)(?:\\.\(label))*)"
        guard let regex = try? Regex(pattern, as: (Substring, Substring, Substring).self),
            let match = try? regex.matchingSemantics(.unicodeScalar).wholeMatch(in: text)
        else { return nil }
        localPart = String(match.1)
        domain = String(match.2)
        let isShort = domain.split(separator: ".").allSatisfy { $0.utf8.count <= 63 }
        if localPart.utf8.count > 64 || !isShort { return nil }
    }
}
