import MemoCore
import OutboxCore
import WireCore

/// The body of a history entry: a memo's text, sealed once with the request that the relay gets.
///
/// The sealed request with ``version`` as its first byte, then the length of the text. The text is the
/// beginning of the request's text, which may end with a signature. Earlier builds sealed the text by
/// itself: such a body begins with ``OutboxCore/SealedRecord/version``.
enum HistoryText {
    private static let version: UInt8 = 2
    /// The number of bytes of the text's length.
    private static let end = 8

    /// - Parameters:
    ///   - length: The length of the text, without a signature.
    ///   - request: The sealed request.
    static func encoded(length: Int, request: [UInt8]) -> [UInt8] {
        var body = request
        body[0] = version
        return body + bigEndian(UInt64(length))
    }

    /// The sealed bytes in a body, with the identity that they are bound to.
    fileprivate static func sealed(
        in body: [UInt8],
        of id: OperationID
    ) -> (binding: SealBinding, bytes: [UInt8]) {
        var bytes = body
        let isRequest = body.first == version && body.count > end
        if isRequest {
            bytes = Array(body[..<(body.count - end)])
            bytes[0] = SealedRecord.version
        }
        let kind: OperationKind = isRequest ? .memo : .history
        return (SealBinding(id: id, kind: kind, createdAt: id.time), bytes)
    }

    /// The text in the opened bytes of a body.
    fileprivate static func text(in opened: [UInt8], of body: [UInt8]) -> [UInt8]? {
        guard body.first == version else { return opened }
        guard let mailed = JSON(decoding: opened)?[string: "text"] else { return nil }
        let length = number(bigEndian: body[(body.count - end)...])
        return Array(mailed[..<Int(min(length, UInt64(mailed.count)))])
    }
}

extension Vault {
    /// Opens the texts of history entries. `nil` stands for a text that cannot be read.
    func openTexts(
        _ entries: [(id: OperationID, body: [UInt8])],
        _ then: @escaping ([[UInt8]?]) -> Void
    ) {
        open(entries.map { HistoryText.sealed(in: $0.body, of: $0.id) }) { opened in
            then(
                entries.indices.map { index in
                    opened[index].bytes.flatMap {
                        HistoryText.text(in: $0, of: entries[index].body)
                    }
                }
            )
        }
    }
}
