import OutboxCore

/// An identifier in its text form and its bytes, against Swift's own way with strings.
func fuzzIdentifier(_ input: [UInt8]) {
    let model = hexadecimalDigits(ofIdentifier: input)
    let product = OperationID(text: input)
    agree("whether it is an identifier", product != nil, model != nil)
    if let product, let model {
        agree("high half", product.high, UInt64(model.prefix(16), radix: 16)!)
        agree("low half", product.low, UInt64(model.suffix(16), radix: 16)!)
        agree("text", product.text, Array(String(decoding: input, as: UTF8.self).lowercased().utf8))
        agree("from its bytes", OperationID(bytes: product.bytes), product)
    }
    let fromBytes = OperationID(bytes: input)
    agree("whether it is 16 bytes", fromBytes != nil, input.count == 16)
    guard let fromBytes else { return }
    agree("bytes", fromBytes.bytes, input)
    agree("from its text", OperationID(text: fromBytes.text), fromBytes)
    agree("version 7", fromBytes.isVersion7, input[6] / 16 == 7 && input[8] / 64 == 2)
}

/// The 32 digits of a text in groups of 8, 4, 4, 4 and 12; `nil` for any other text.
private func hexadecimalDigits(ofIdentifier text: [UInt8]) -> String? {
    let groups = text.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    let digits = Array("0123456789abcdefABCDEF".utf8)
    guard groups.map(\.count) == [8, 4, 4, 4, 12], groups.joined().allSatisfy(digits.contains)
    else { return nil }
    return String(decoding: groups.joined(), as: UTF8.self)
}
