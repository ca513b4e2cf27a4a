import HTTPTypes
import Hummingbird
import RelayAPI

/// Refuses changes that the page of another site asks for.
///
/// A browser does not send a token by itself, as it sends a cookie. But a request for a code needs
/// no token, and the page of another site must not make a visitor's browser ask for codes. Browsers
/// name the origin of a request: in `Sec-Fetch-Site` (<https://www.w3.org/TR/fetch-metadata/>),
/// which no proxy changes, to https and to this machine, and otherwise in `Origin`, which is
/// compared with `Host`. A request with neither field does not come from a browser. The browser
/// itself prevents reading: no answer names another origin.
///
/// The check covers every path, because the router accepts several spellings of a path.
/// ``WebMiddleware`` answers texts shared by other apps before this check.
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
