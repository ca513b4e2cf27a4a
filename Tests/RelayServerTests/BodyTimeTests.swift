import HTTPTypes
import Hummingbird
import NIOCore
import OutboxCore
import RelayAPI
import Testing
import WireCore

@testable import RelayServer

@Suite("The time in which a body arrives")
struct BodyTimeTests {
    private let text = String(repeating: "x", count: 100_000)
    /// Long enough for an hour, at a byte a millisecond.
    private let longText = String(repeating: "x", count: 3_600_000)

    /// A request whose body comes in two parts, 300 ms apart.
    private func request(_ text: String, declaresLength: Bool) throws -> Request {
        let body = ByteBuffer(bytes: try RelayJSON.encode(MemoRequest(text: text)))
        var fields = HTTPFields()
        if declaresLength { fields[.contentLength] = "\(body.readableBytes)" }
        let chunks = AsyncStream<ByteBuffer> { chunks in
            Task {
                var rest = body
                chunks.yield(rest.readSlice(length: 50_000) ?? ByteBuffer())
                try await Task.sleep(for: .milliseconds(300))
                chunks.yield(rest)
                chunks.finish()
            }
        }
        return Request(
            head: HTTPRequest(
                method: .put,
                scheme: "http",
                authority: "localhost",
                path: "/",
                headerFields: fields
            ),
            body: RequestBody(asyncSequence: chunks)
        )
    }

    @Test("grows with its length", arguments: [true, false])
    func slowUplink(declaresLength: Bool) async throws {
        let memo = try await request(longText, declaresLength: declaresLength).json(
            MemoRequest.self,
            limit: 4_000_000,
            within: ExchangeTime(base: Milliseconds(30), slowestUplink: 1)
        )
        #expect(memo.text == longText)
    }

    @Test("is bounded: a slower body is refused")
    func tooSlow() async throws {
        let request = try request(text, declaresLength: true)
        await #expect(throws: Refusal.tooSlow) {
            try await request.json(
                MemoRequest.self,
                limit: 200_000,
                within: ExchangeTime(base: Milliseconds(30), slowestUplink: 10_000)
            )
        }
    }
}
