import HTTPTypes
import Hummingbird

/// Removes the body from every answer to `HEAD`.
///
/// The client does not read a body, so on a kept connection it would take a body for the beginning
/// of the next answer
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
