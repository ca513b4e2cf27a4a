import HTTPTypes
import Hummingbird
import MemoTexts

/// The page on which a person who has the mail about a device signs the device out.
///
/// The page's button does it, not the page: programs that look into mails open links.
struct RevocationController<Store: RelayStore>: Sendable {
    let store: Store
    let secret: RelaySecret
    let clock: WallClock

    func addRoutes(to router: Router<RelayContext>) {
        router.on(.revocationPage, use: ask)
        router.on(.revokeByLink, use: revoke)
    }

    @Sendable private func ask(
        _ request: Request,
        context: RelayContext
    ) async throws -> Response {
        guard let right = right(context) else { return invalid(request) }
        let language = right.language
        return page(
            """
            <p>\(language.text(MailText.revokeQuestion))
            \(try await description(of: right))
            <form method="post"><button>\(language.text(MailText.revokeButton))</button></form>
            """,
            in: language
        )
    }

    /// The device by the name and the time that the mail about it has; nothing for a device that is
    /// signed out already.
    private func description(of right: RevocationRight) async throws -> String {
        let devices = try await store.devices(of: right.account)
        guard let device = devices.first(where: { $0.id == right.device }) else { return "" }
        let name = RelayPage.escaped(device.name)
        let time = MailDate.numbers(device.createdAt)
        return "<p class=\"device\"><bdi>\(name)</bdi> <small>\(time)</small>"
    }

    @Sendable private func revoke(
        _ request: Request,
        context: RelayContext
    ) async throws -> Response {
        guard let right = right(context),
            try await store.revoke(right.device, of: right.account, at: clock()) != nil
        else { return invalid(request) }
        let language = right.language
        return page("<p>\(language.text(MailText.revokeDone))", in: language)
    }

    private func right(_ context: RelayContext) -> RevocationRight? {
        context.parameters.get("link").flatMap { RevocationRight($0, secret, at: clock()) }
    }

    /// The page for a link that signs nothing out, in the browser's language.
    private func invalid(_ request: Request) -> Response {
        let language = request.preferredLanguage
        let text = language.text(MailText.revokeInvalid).filled(with: language.pathToDevices)
        return page("<p>\(String(decoding: text, as: UTF8.self))", in: language, status: .gone)
    }

    /// - Parameter content: HTML that is made of the app's own texts.
    private func page(
        _ content: String,
        in language: Language,
        status: HTTPResponse.Status = .ok
    ) -> Response {
        var response = RelayPage(language: language, status: status, content: content).response
        response.headers[.contentSecurityPolicy] =
            "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; "
            + "frame-ancestors 'none'; base-uri 'none'"
        // The link stands in no other request, so that a proxy's log does not have it. With
        // "no-referrer" a browser would not name the origin of the button's request.
        if let name = HTTPField.Name("Referrer-Policy") {
            response.headers[name] = "strict-origin"
        }
        return response
    }
}
