import HTTPTypes
import Hummingbird

/// Puts on every answer what keeps a browser from doing more with it than the web app needs (P3).
struct WebHeaders: RouterMiddleware {
    /// Whether people reach the relay by https only, so that their browsers may be told to insist.
    let isBehindHTTPS: Bool

    func handle(
        _ request: Request,
        context: RelayContext,
        next: (Request, RelayContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        for (name, value) in Self.fields { response.headers[name] = value }
        if isBehindHTTPS { response.headers[.strictTransportSecurity] = "max-age=31536000" }
        return response
    }

    /// Everything comes from the relay itself. `'wasm-unsafe-eval'` compiles WebAssembly and
    /// nothing else. A form is never submitted; a share arrives by a navigation of the browser's
    /// own, which no page's policy is asked about. Strings become scripts' addresses only through
    /// the one policy `host`.
    private static let contentSecurityPolicy = [
        "default-src 'none'",
        "script-src 'self' 'wasm-unsafe-eval'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "worker-src 'self'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types host",
    ].joined(separator: "; ")

    private static let permissionsPolicy = [
        "camera", "display-capture", "geolocation", "hid", "microphone", "midi", "payment",
        "serial", "usb",
    ].map { "\($0)=()" }.joined(separator: ", ")

    private static let fields: [(HTTPField.Name, String)] = {
        let fields: [(String, String)] = [
            ("Content-Security-Policy", contentSecurityPolicy),
            ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Permissions-Policy", permissionsPolicy),
            ("Referrer-Policy", "no-referrer"),
            ("X-Content-Type-Options", "nosniff"),
            ("X-Frame-Options", "DENY"),
        ]
        return fields.compactMap { name, value in HTTPField.Name(name).map { ($0, value) } }
    }()
}
