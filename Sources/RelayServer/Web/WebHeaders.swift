import HTTPTypes
import Hummingbird

/// Adds the header fields to every answer that limit a browser to the needs of the web app (P3),
/// except for those that an answer has of its own.
struct WebHeaders: RouterMiddleware {
    /// Whether clients reach the relay by https only. Browsers are then told to insist on https.
    let isBehindHTTPS: Bool

    func handle(
        _ request: Request,
        context: RelayContext,
        next: (Request, RelayContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        for (name, value) in Self.fields where response.headers[name] == nil {
            response.headers[name] = value
        }
        if isBehindHTTPS { response.headers[.strictTransportSecurity] = "max-age=31536000" }
        return response
    }

    /// Everything comes from the relay itself. `'wasm-unsafe-eval'` compiles WebAssembly and
    /// nothing else. A form is never submitted; a share arrives by a navigation of the browser's
    /// own, which no page's policy is asked about. Strings become scripts' addresses only through
    /// the one policy `host`.
    ///
    /// - Parameter styles: Hashes of the styles that stand in the page itself, as
    ///   [CSP](https://www.w3.org/TR/CSP3/#grammardef-hash-source) writes them. No other inline
    ///   style is allowed.
    static func contentSecurityPolicy(styles: [String] = []) -> String {
        [
            "default-src 'none'",
            "script-src 'self' 'wasm-unsafe-eval'",
            "style-src " + (["'self'"] + styles).joined(separator: " "),
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
    }

    private static let permissionsPolicy = [
        "camera", "display-capture", "geolocation", "hid", "microphone", "midi", "payment",
        "serial", "usb",
    ].map { "\($0)=()" }.joined(separator: ", ")

    private static let fields: [(HTTPField.Name, String)] = {
        let fields: [(String, String)] = [
            ("Content-Security-Policy", contentSecurityPolicy()),
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
