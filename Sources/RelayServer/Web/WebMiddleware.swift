import HTTPTypes
import Hummingbird
import MemoCore
import MemoTexts

/// Serves the web app's files, the style of the relay's own pages, and a page for unknown paths.
struct WebMiddleware: RouterMiddleware {
    /// `nil` for a relay without a web app.
    let bundle: WebBundle?

    func handle(
        _ request: Request,
        context: RelayContext,
        next: (Request, RelayContext) async throws -> Response
    ) async throws -> Response {
        if request.method == .get || request.method == .head, let file = file(at: request.uri.path)
        {
            return self.response(with: file, to: request)
        }
        if request.method == .post, request.uri.path == "\(RelayPath.share)", bundle != nil {
            return .redirect(to: "\(RelayPath.shareMissed)")
        }
        let response = try await next(request, context)
        return response.status == .notFound && !request.isOfAPI ? notFound(request) : response
    }

    private func response(with file: WebFile, to request: Request) -> Response {
        let accepted = AcceptEncoding(
            request.headers[values: .acceptEncoding].joined(separator: ",")
        )
        guard let chosen = file.representation(for: accepted) else { return notFound(request) }
        var headers: HTTPFields = [
            .eTag: chosen.entityTag,
            .cacheControl: file.isImmutable ? "public, max-age=31536000, immutable" : "no-cache",
        ]
        if file.representations.count > 1 { headers[.vary] = "Accept-Encoding" }
        // A 304 too: its fields replace those that the browser has kept.
        headers[.contentSecurityPolicy] = file.contentSecurityPolicy
        if Self.isKnown(chosen.entityTag, to: request) {
            return Response(status: .notModified, headers: headers)
        }
        headers[.contentType] = file.mediaType
        if chosen.coding != .identity { headers[.contentEncoding] = chosen.coding.rawValue }
        return Response(
            status: .ok,
            headers: headers,
            body: ResponseBody(byteBuffer: chosen.bytes)
        )
    }

    /// The weak comparison of `If-None-Match`
    /// ([RFC 9110, section 13.1.2](https://www.rfc-editor.org/rfc/rfc9110#section-13.1.2)).
    private static func isKnown(_ tag: String, to request: Request) -> Bool {
        request.headers[values: .ifNoneMatch].contains { field in
            field.split(separator: ",").contains { element in
                let known = element.filter { $0 != " " && $0 != "\t" }
                return known == "*" || known == tag || known == "W/" + tag
            }
        }
    }

    private func file(at path: String) -> WebFile? {
        path == RelayPage.stylePath ? RelayPage.style : bundle?.file(at: path)
    }

    /// The page for an unknown address, in the browser's language; it leads to the web app, if the
    /// relay has one.
    private func notFound(_ request: Request) -> Response {
        let language = request.preferredLanguage
        var content = "<p>\(language.text(MailText.unknownAddress))"
        if bundle != nil {
            content +=
                "\n<p><a class=\"action\" href=\"/\">\(language.text(MailText.writeMemo))</a>"
        }
        return RelayPage(language: language, status: .notFound, content: content).response
    }
}
