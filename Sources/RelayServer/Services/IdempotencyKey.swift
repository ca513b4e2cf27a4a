import OutboxCore

/// The value of an `Idempotency-Key` field: a UUID of any version, bare as Stripe and Resend send
/// it, or as the quoted string of draft-ietf-httpapi-idempotency-key-header.
enum IdempotencyKey {
    /// - Parameter value: The field's value, white space around it allowed.
    /// - Returns: `nil` for anything else than one UUID.
    static func parse(_ value: String) -> OperationID? {
        let isSpace: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        var text = Array(value.utf8).drop(while: isSpace)
        while let last = text.last, isSpace(last) { text.removeLast() }
        let quote = UInt8(ascii: "\"")
        if text.count >= 2, text.first == quote, text.last == quote {
            text = text.dropFirst().dropLast()
        }
        return OperationID(text: text)
    }
}
