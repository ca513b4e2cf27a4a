import HTTPTypes
import Hummingbird
import MemoCore
import OutboxCore
import RelayAPI
import WireCore

extension Response {
    /// An answer with a JSON body that no cache may keep.
    static func json(
        _ body: [UInt8],
        status: HTTPResponse.Status = .ok,
        type: StaticString = RelayMediaType.json
    ) -> Response {
        Response(
            status: status,
            headers: [.contentType: "\(type)", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: body))
        )
    }

    /// The problem details of a refusal.
    static func problem(_ refusal: Refusal) throws -> Response {
        var response = Response.json(
            try RelayJSON.encode(refusal.problem),
            status: refusal.problem.code.httpStatus,
            type: RelayMediaType.problem
        )
        if let wait = refusal.retryAfter {
            response.headers[.retryAfter] = String(RetryAfter.seconds(of: wait))
        }
        if refusal.problem.code == .methodNotAllowed {
            response.headers[.allow] = refusal.allowedMethods.joined(separator: ", ")
        }
        if refusal.problem.status == 401 {
            response.headers[.wwwAuthenticate] = "\(RelayHeader.bearer)"
        }
        return response
    }
}
