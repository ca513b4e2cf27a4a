import Foundation
import OfflineFirst
import OutboxCore
import SyncCore
import SyncMessages

/// The server as a device talks to it: three calls over HTTP.
struct GroceryServer: SyncServer {
    let url: URL

    func pull(_ request: PullRequest) async throws -> ServerAnswer<PullAnswer> {
        try await post("pull", request)
    }

    func push(_ request: PushRequest) async throws -> ServerAnswer<PushAnswer> {
        try await post("push", request)
    }

    func answer(to question: AskRequest) async throws -> ServerAnswer<PushAnswer?> {
        try await post("ask", question)
    }

    /// Everything but a whole answer of this app's server is an error: then nobody knows whether the
    /// server has done its work.
    private func post<Content: Codable>(
        _ call: String,
        _ body: some Encodable
    ) async throws -> ServerAnswer<Content> {
        let post = HTTPPost(url.appendingPathComponent(call), try JSONEncoder().encode(body))
        let (status, data) = try await post.send()
        guard status == 200 else {
            throw SyncFailure.server(ReasonCode(utf8: Array("http.\(status)".utf8)))
        }
        let answer = try JSONDecoder().decode(TimedAnswer<Content>.self, from: data)
        return ServerAnswer(
            answer.content,
            serverTime: WallTime(millisecondsSinceEpoch: answer.time)
        )
    }
}

/// An answer with the server's wall clock.
struct TimedAnswer<Content: Codable>: Codable {
    let content: Content
    let time: Int64
}
