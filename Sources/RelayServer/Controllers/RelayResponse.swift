internal import HTTPTypes
internal import Hummingbird
internal import OutboxCore
internal import RelayAPI

extension Response {
    /// An answer with a JSON body, which nobody on the way may keep.
    static func json(
        _ body: [UInt8],
        status: HTTPResponse.Status = .ok,
        type: String = RelayMediaType.json
    ) -> Response {
        Response(
            status: status,
            headers: [.contentType: type, .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: body))
        )
    }

    /// The problem details of a refusal.
    static func problem(_ refusal: Refusal) throws -> Response {
        var response = Response.json(
            try RelayJSON.encode(refusal.problem),
            status: HTTPResponse.Status(code: refusal.problem.status),
            type: RelayMediaType.problem
        )
        if let wait = refusal.retryAfter {
            response.headers[.retryAfter] = String(max(1, (wait.count + 999) / 1000))
        }
        if refusal.problem.status == 401 {
            response.headers[.wwwAuthenticate] = "Bearer"
        }
        return response
    }
}
