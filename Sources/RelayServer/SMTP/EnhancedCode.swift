/// The subject and the detail of an enhanced status code
/// ([RFC 3463](https://www.rfc-editor.org/rfc/rfc3463#section-2)), such as 1 and 2 of `5.1.2`.
struct EnhancedCode: Hashable, Sendable {
    let subject: Int
    let detail: Int

    /// - Parameter line: A line of a reply, such as `550 5.7.1 refused`.
    /// - Returns: `nil` for a line without such a code, or with one of another class than the reply's.
    /// - Complexity: O(1): no more than the line's first 32 bytes are read.
    init?(ofLine line: some Sequence<UInt8>) {
        let text = String(decoding: Array(line.prefix(32)), as: UTF8.self)
        let code = text.dropFirst(4).prefix(while: { $0.isNumber || $0 == "." })
            .split(separator: ".", omittingEmptySubsequences: false)
        guard code.count == 3, code[0].first == text.first, let subject = Int(code[1]),
            let detail = Int(code[2]), subject <= 999, detail <= 999
        else { return nil }
        self.subject = subject
        self.detail = detail
    }
}
