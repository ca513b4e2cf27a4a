import Hummingbird
import NIOCore

/// The event by which a request's reader asks the connection for the body.
struct BodyRequested: Sendable {}

/// A request's body that the connection receives only once it is read.
///
/// ``ConnectionGuard`` receives nothing after a request's header until this sequence asks for it.
/// So a request that is refused before its body is read costs no memory for the body, however many
/// there are.
struct RequestedBody: AsyncSequence, Sendable {
    let body: RequestBody
    let connection: any Channel

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(body: body.makeAsyncIterator(), connection: connection)
    }

    struct AsyncIterator: AsyncIteratorProtocol {
        private var body: RequestBody.AsyncIterator
        private let connection: any Channel
        private var isRequested = false

        init(body: RequestBody.AsyncIterator, connection: any Channel) {
            self.body = body
            self.connection = connection
        }

        mutating func next() async throws -> ByteBuffer? {
            if !isRequested {
                isRequested = true
                connection.triggerUserOutboundEvent(BodyRequested(), promise: nil)
            }
            return try await body.next()
        }
    }
}
