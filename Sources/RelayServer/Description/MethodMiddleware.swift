import HTTPTypes
import Hummingbird

/// Tells the methods that a path has to whoever asks by another one, instead of denying the path
/// ([RFC 9110, section 15.5.6](https://www.rfc-editor.org/rfc/rfc9110#section-15.5.6)).
struct MethodMiddleware: RouterMiddleware {
    func handle(
        _ request: Request,
        context: RelayContext,
        next: (Request, RelayContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as HTTPError where error.status == .notFound {
            let methods = Endpoint.methods(at: request.uri.path)
            guard !methods.isEmpty else { throw error }
            throw Refusal.methodNotAllowed(methods.map(\.rawValue))
        }
    }
}
