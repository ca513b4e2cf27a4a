import HTTPTypes
import Hummingbird
import NIOCore
import OutboxCore
import RelayAPI

extension Request {
    /// Refuses a body that says of itself that it is too long, before anything is read.
    func checkDeclaredLength(_ limit: Int) throws(Refusal) {
        guard let field = headers[.contentLength] else { return }
        guard let length = Int(field), length >= 0 else { throw .malformedRequest }
        guard length <= limit else { throw .tooLarge }
    }

    /// Reads the body and decodes it.
    ///
    /// - Parameters:
    ///   - limit: In bytes. Nothing beyond is kept.
    ///   - time: For the whole body, so that a slow sender does not hold a place for ever.
    func json<Value: Decodable & Sendable>(
        _: Value.Type,
        limit: Int,
        within time: Duration = .seconds(120)
    ) async throws -> Value {
        try checkDeclaredLength(limit)
        let body = body
        let bytes = try await withThrowingTaskGroup(of: ByteBuffer.self) { group in
            group.addTask { try await body.collect(upTo: limit) }
            group.addTask {
                try await Task.sleep(for: time)
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

    /// The memo that `POST /v1/send` names.
    func idempotencyKey() throws(Refusal) -> OperationID {
        guard let name = HTTPField.Name(RelayHeader.idempotencyKey) else { throw .internalError }
        let values = headers[values: name]
        guard let value = values.first else { throw .keyMissing }
        guard values.count == 1, let id = IdempotencyKey.parse(value) else { throw .keyMalformed }
        return id
    }

    /// The token of an `Authorization: Bearer` field.
    var bearerToken: DeviceToken? {
        guard let field = headers[.authorization] else { return nil }
        let parts = field.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer", parts[1].utf8.count <= 256
        else { return nil }
        return DeviceToken(text: String(parts[1]))
    }
}
