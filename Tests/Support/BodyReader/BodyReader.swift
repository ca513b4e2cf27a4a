import Hummingbird
import Logging

/// The limit of every relay over this HTTP server: a handler that only reads the body.
///
/// usage: BodyReader PORT
@main
enum BodyReader {
    static func main() async throws {
        guard CommandLine.arguments.count == 2, let port = Int(CommandLine.arguments[1]) else {
            fatalError("usage: BodyReader PORT")
        }
        let router = Router()
        router.put("/v1/memos/:id") { request, _ in
            _ = try await request.body.collect(upTo: 1 << 21)
            return HTTPResponse.Status.accepted
        }
        let application = Application(
            router: router,
            configuration: .init(address: .hostname("127.0.0.1", port: port)),
            logger: Logger(label: "body-reader", factory: { _ in SwiftLogNoOpLogHandler() })
        )
        try await application.runService()
    }
}
