import Foundation
import OfflineFirst
import OutboxCore
import SyncCore

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The server as a device talks to it: three calls over HTTP.
struct GroceryServer: SyncServer {
    let url: URL

    func pull(_ request: PullRequest) async throws -> ServerAnswer<PullAnswer> {
        let body = PullBody(cursor: request.cursor.map { Data($0) })
        let answer: TimedBody<PageBody> = try await post("pull", body)
        let rows = try answer.content.rows.map { try $0.row() }
        let cursor = Array(answer.content.cursor)
        return ServerAnswer(
            .page(rows, cursor: cursor, hasMore: answer.content.hasMore),
            serverTime: WallTime(millisecondsSinceEpoch: answer.time)
        )
    }

    func push(_ request: PushRequest) async throws -> ServerAnswer<PushAnswer> {
        let answer: TimedBody<AnswerBody> = try await post("push", PushBody(request))
        return ServerAnswer(
            try answer.content.answer(),
            serverTime: WallTime(millisecondsSinceEpoch: answer.time)
        )
    }

    func answer(to question: AskRequest) async throws -> ServerAnswer<PushAnswer?> {
        let answer: TimedBody<AnswerBody?> = try await post("ask", QuestionBody(question))
        return ServerAnswer(
            try answer.content?.answer(),
            serverTime: WallTime(millisecondsSinceEpoch: answer.time)
        )
    }

    /// Everything but a whole answer of this app's server is an error: then nobody knows whether the
    /// server has done its work.
    private func post<Answer: Decodable>(
        _ call: String,
        _ body: some Encodable
    ) async throws -> Answer {
        var request = URLRequest(url: url.appendingPathComponent(call))
        request.httpMethod = "POST"
        request.httpBody = try JSONEncoder().encode(body)
        let (data, response): (Data, URLResponse)
        do {
            (data, response) = try await URLSession.shared.data(for: request)
        } catch is URLError {
            throw SyncFailure.offline
        }
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        guard status == 200 else {
            throw SyncFailure.server(ReasonCode(utf8: Array("http.\(status)".utf8)))
        }
        return try JSONDecoder().decode(Answer.self, from: data)
    }
}
