import HTTPTypes
import Hummingbird
import MemoCore
import NIOCore
import OutboxCore
import RelayAPI

extension Request {
    /// Refuses a body whose declared length is over the limit, before anything is read.
    ///
    /// - Parameter limit: In bytes.
    func checkDeclaredLength(_ limit: Int) throws(Refusal) {
        guard let field = headers[.contentLength] else { return }
        guard let length = Int(field), length >= 0 else { throw .malformedRequest }
        guard length <= limit else { throw .tooLarge }
    }

    /// Reads the body and decodes it.
    ///
    /// - Parameters:
    ///   - limit: In bytes. Bytes beyond the limit are not kept.
    ///   - time: The rule for the time of the whole body, so that a slow sender does not hold a
    ///     connection for ever. A body of undeclared length has the time of the longest one.
    /// - Throws: ``Refusal``; the connection's own errors.
    func json<Value: Decodable & Sendable>(
        _: Value.Type,
        limit: Int,
        within time: ExchangeTime
    ) async throws -> Value {
        try checkDeclaredLength(limit)
        let length = headers[.contentLength].flatMap { Int($0) } ?? limit
        let longest = Duration.milliseconds(time.total(for: length).count)
        let body = body
        let bytes = try await withThrowingTaskGroup(of: ByteBuffer.self) { group in
            group.addTask { try await body.collect(upTo: limit) }
            group.addTask {
                try await Task.sleep(for: longest)
                throw Refusal.tooSlow
            }
            defer { group.cancelAll() }
            do {
                guard let bytes = try await group.next() else { throw Refusal.malformedBody }
                return bytes
            } catch is NIOTooManyBytesError {
                throw Refusal.tooLarge
            }
        }
        do {
            return try RelayJSON.decode(Value.self, from: bytes.readableBytesView)
        } catch {
            throw Refusal.malformedBody
        }
    }

    /// The identifier of the memo in `POST /v1/send`.
    func idempotencyKey() throws(Refusal) -> OperationID {
        guard let name = HTTPField.Name(RelayHeader.idempotencyKey) else { throw .internalError }
        let values = headers[values: name]
        guard let value = values.first else { throw .keyMissing }
        guard values.count == 1, let id = IdempotencyKey.parse(value) else { throw .keyMalformed }
        return id
    }
}

/// The value of an `Idempotency-Key` field: a UUID of any version, bare as Stripe and Resend send
/// it, or as the quoted string of draft-ietf-httpapi-idempotency-key-header.
enum IdempotencyKey {
    /// - Parameter value: The field's value; white space around it is allowed.
    /// - Returns: The identifier; `nil` for a value other than one UUID.
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
