import Dispatch
import HTTPTypes
import Hummingbird
import MemoCore
import NIOCore
import OutboxCore
import RelayAPI
import WireCore

extension Request {
    /// Whether the path is one of the API. Reads the path as the router does, without empty
    /// segments.
    var isOfAPI: Bool {
        uri.path.split(separator: "/").first.map { "/\($0)/" } == "\(RelayPath.apiPrefix)"
    }

    /// The declared length of the body, before anything is read.
    ///
    /// - Parameter limit: In bytes; also the answer for a body of undeclared length.
    /// - Throws: ``Refusal/tooLarge`` for a longer body.
    func declaredLength(atMost limit: Int) throws(Refusal) -> Int {
        guard let field = headers[.contentLength] else { return limit }
        guard let length = Int(field), length >= 0 else { throw .malformedRequest }
        guard length <= limit else { throw .tooLarge }
        return length
    }

    /// Reads the body and decodes it, as ``bytes(limit:within:)`` and `ByteBuffer.json` do.
    @inline(never)
    func json<Value: Decodable>(
        _ type: Value.Type,
        limit: Int,
        within time: ExchangeTime,
        isHere: Bool = false
    ) async throws -> Value {
        try await bytes(limit: limit, within: time, isHere: isHere).json(type)
    }

    /// Reads the body.
    ///
    /// - Parameters:
    ///   - limit: In bytes. Bytes beyond the limit are not kept.
    ///   - time: The rule for the time of the whole body, so that a slow sender does not hold a
    ///     connection for ever. A body of undeclared length has the time of the longest one.
    ///   - isHere: Whether the whole body has arrived: it takes no time.
    ///   - arrived: Called with the length of each part as it arrives.
    /// - Throws: ``Refusal``; the connection's own errors.
    func bytes(
        limit: Int,
        within time: ExchangeTime,
        isHere: Bool = false,
        arrived: @escaping @Sendable (Int) -> Void = { _ in }
    ) async throws -> ByteBuffer {
        let length = try declaredLength(atMost: limit)
        if isHere { return try await Self.collect(body, limit: limit, arrived) }
        let longest = Duration.milliseconds(time.total(for: length).count)
        let body = body
        return try await withThrowingTaskGroup(of: ByteBuffer.self) { group in
            group.addTask { try await Self.collect(body, limit: limit, arrived) }
            group.addTask {
                await Self.wait(for: longest)
                throw Refusal.tooSlow
            }
            defer { group.cancelAll() }
            guard let bytes = try await group.next() else { throw Refusal.malformedBody }
            return bytes
        }
    }

    /// A body as a whole. Throws when its task is cancelled: a part is no body.
    private static func collect(
        _ body: RequestBody,
        limit: Int,
        _ arrived: @Sendable (Int) -> Void
    ) async throws -> ByteBuffer {
        var bytes = ByteBuffer()
        for try await part in body {
            arrived(part.readableBytes)
            guard bytes.readableBytes + part.readableBytes <= limit else {
                throw Refusal.tooLarge
            }
            bytes.writeImmutableBuffer(part)
        }
        try Task.checkCancellation()
        return bytes
    }

    /// Returns when the time has passed, or when the task is cancelled. Leaves nothing behind: a
    /// `Task.sleep` that is cancelled keeps its memory until its time has passed, and strangers
    /// send bodies by the thousand.
    private static func wait(for time: Duration) async {
        // Any thread may cancel a source.
        nonisolated(unsafe) let timer = DispatchSource.makeTimerSource()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                timer.setEventHandler { timer.cancel() }
                timer.setCancelHandler { continuation.resume() }
                timer.schedule(deadline: .now() + .milliseconds(Int(time / .milliseconds(1))))
                timer.activate()
            }
        } onCancel: {
            timer.cancel()
        }
    }

    /// The identifier of the memo in `POST /v1/send`.
    func idempotencyKey() throws(Refusal) -> OperationID {
        guard let name = HTTPField.Name("\(RelayHeader.idempotencyKey)") else {
            throw .internalError
        }
        let values = headers[values: name]
        guard let value = values.first else { throw .keyMissing }
        guard values.count == 1, let id = IdempotencyKey.parse(value) else { throw .keyMalformed }
        return id
    }
}

extension ByteBuffer {
    /// The value of a body's JSON.
    ///
    /// - Throws: ``Refusal/malformedBody``.
    // Swift 6.3.1 crashes in a release build when this is inlined.
    @inline(never)
    func json<Value: Decodable>(_: Value.Type) throws(Refusal) -> Value {
        do {
            return try RelayJSON.decode(Value.self, from: readableBytesView)
        } catch {
            throw .malformedBody
        }
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
