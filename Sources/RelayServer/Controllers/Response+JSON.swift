import HTTPTypes
import Hummingbird
import OutboxCore
import RelayAPI

extension Response {
    /// An answer with a JSON body that no cache may keep.
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
            response.headers[.retryAfter] = String(seconds(wait))
        }
        response.describe(refusal.usages)
        if refusal.problem.status == 401 {
            response.headers[.wwwAuthenticate] = "Bearer"
        }
        return response
    }

    /// Adds the fields about a device's limits
    /// (draft-ietf-httpapi-ratelimit-headers-10).
    mutating func describe(_ usages: [LimitUsage]) {
        guard !usages.isEmpty, let policy = HTTPField.Name(RelayHeader.rateLimitPolicy),
            let state = HTTPField.Name(RelayHeader.rateLimit)
        else { return }
        headers[policy] =
            usages.map { usage in
                let limit = usage.limit
                return "\"\(limit.name)\";q=\(limit.count);w=\(limit.window.count / 1000)"
            }.joined(separator: ", ")
        headers[state] =
            usages.map { usage in
                "\"\(usage.limit.name)\";r=\(usage.remaining);t=\(Self.seconds(usage.reset))"
            }.joined(separator: ", ")
    }

    /// The wait in whole seconds, rounded up, at least one.
    private static func seconds(_ wait: Milliseconds) -> Int64 {
        max(1, (wait.count + 999) / 1000)
    }
}
