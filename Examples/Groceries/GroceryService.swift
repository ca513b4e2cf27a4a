import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Outbox
import OutboxCore
import SyncCore
import SyncMessages

/// The server as a program: three calls over HTTP.
struct GroceryService {
    private static let longestBody = 1 << 20
    let store: GroceryStore

    /// Serves until the process is ended, in whatever way.
    ///
    /// - Parameter listening: A function that is called once devices can come.
    func run(
        host: String,
        port: Int,
        listening: @escaping @Sendable () -> Void
    ) async throws {
        let router = Router()
        router.post("pull") { [store] request, _ in
            let pull = try await Self.read(PullRequest.self, request)
            return try Self.answer(try await store.pull(after: pull.cursor))
        }
        router.post("push") { [store] request, _ in
            let push = try await Self.read(PushRequest.self, request)
            return try Self.answer(try await store.push(push, now: OutboxClock.system.wallTime()))
        }
        router.post("ask") { [store] request, _ in
            let question = try await Self.read(AskRequest.self, request)
            return try Self.answer(try await store.answer(to: question))
        }
        let application = Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname(host, port: port)),
            onServerRunning: { _ in listening() },
            logger: Logger(label: "groceries", factory: { _ in SwiftLogNoOpLogHandler() })
        )
        try await application.runService()
    }

    private static func read<Body: Decodable>(
        _ type: Body.Type,
        _ request: Request
    ) async throws -> Body {
        let buffer = try await request.body.collect(upTo: longestBody)
        do {
            return try JSONDecoder().decode(type, from: Data(buffer.readableBytesView))
        } catch {
            throw HTTPError(.badRequest)
        }
    }

    private static func answer(_ content: some Codable) throws -> Response {
        let time = OutboxClock.system.wallTime().millisecondsSinceEpoch
        let data = try JSONEncoder().encode(TimedAnswer(content: content, time: time))
        return Response(
            status: .ok,
            headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: data))
        )
    }
}
