import HTTPTypes
import Hummingbird
import RelayAPI

/// Lets no other site's page change anything.
///
/// A token is not sent by a browser on its own, as a cookie would be. But a code can be asked for
/// without one, and no page elsewhere shall have its visitors ask for codes. Browsers say where a
/// request comes from: to https and to this machine in `Sec-Fetch-Site`
/// (<https://www.w3.org/TR/fetch-metadata/>), which no proxy changes, and otherwise in `Origin`,
/// which is then compared with `Host`. What has neither comes from no browser. Reading is prevented
/// by the browser itself: no answer names another origin.
///
/// Whatever the path: the router understands more spellings of it than one. What another app shares
/// is answered before, by ``WebMiddleware``.
struct OriginMiddleware: RouterMiddleware {
    func handle(
        _ request: Request,
        context: RelayContext,
        next: (Request, RelayContext) async throws -> Response
    ) async throws -> Response {
        guard request.method == .get || request.method == .head || Self.isOwn(request) else {
            throw Refusal.crossOrigin
        }
        return try await next(request, context)
    }

    private static func isOwn(_ request: Request) -> Bool {
        if let name = HTTPField.Name("Sec-Fetch-Site"), let site = request.headers[name] {
            return site == "same-origin" || site == "none"
        }
        guard let origin = request.headers[.origin] else { return true }
        // The scheme is the proxy's, where there is one, so it is not compared.
        let parts = origin.split(separator: "://", maxSplits: 1)
        return parts.count == 2 && parts[1].lowercased() == request.head.authority?.lowercased()
    }
}
