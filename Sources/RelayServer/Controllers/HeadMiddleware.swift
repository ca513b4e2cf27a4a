import HTTPTypes
import Hummingbird

/// Answers `HEAD` with the fields of the answer alone, whoever made it.
///
/// A client reads no body after them, so on a connection that is kept a body would be taken for the
/// beginning of the next answer
/// ([RFC 9112, section 6.3](https://www.rfc-editor.org/rfc/rfc9112#section-6.3)).
struct HeadMiddleware: RouterMiddleware {
    func handle(
        _ request: Request,
        context: RelayContext,
        next: (Request, RelayContext) async throws -> Response
    ) async throws -> Response {
        let response = try await next(request, context)
        return request.method == .head ? response.createHeadResponse() : response
    }
}
