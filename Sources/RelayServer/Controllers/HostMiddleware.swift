import HTTPTypes
import Hummingbird
import RelayAPI

/// Refuses requests that were meant for another host.
///
/// The page of an attacker can let its own name lead to the relay's address (DNS rebinding): the
/// browser then takes the relay for a part of the attacker's site, and lets the page read its
/// answers. Such a request names the attacker's host.
///
/// Load balancers ask for the relay's health under any name: those answers are for everybody.
struct HostMiddleware: RouterMiddleware {
    let hosts: AdmittedHosts

    func handle(
        _ request: Request,
        context: RelayContext,
        next: (Request, RelayContext) async throws -> Response
    ) async throws -> Response {
        guard !hosts.admits(request.head.authority ?? ""),
            !Endpoint.admitsEveryHost(at: request.uri.path)
        else { return try await next(request, context) }
        return Response(
            status: .misdirectedRequest,
            headers: [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody(
                byteBuffer: ByteBuffer(string: "This relay has another name.\n")
            )
        )
    }
}

/// The hosts that a request may name.
enum AdmittedHosts: Hashable, Sendable {
    /// Every host. A relay that other machines reach, and that is told no URL, cannot know its names.
    case all
    /// The host of the URL at which people reach the relay, and this machine.
    case publicURL(PublicURL)
    /// This machine alone: nobody else reaches the relay.
    case thisMachine

    func admits(_ authority: String) -> Bool {
        switch self {
        case .all: true
        case .publicURL(let url): url.admits(authority)
        case .thisMachine: PublicURL.host(of: authority).isLoopbackHost
        }
    }
}

extension RelayConfiguration {
    /// The hosts that the settings let a request name. A proxy on this machine may keep the host that
    /// its clients have named.
    var admittedHosts: AdmittedHosts {
        if let publicURL { return .publicURL(publicURL) }
        let isBehindProxy = trustedProxies > 0 || isBehindHTTPS
        return host.isLoopbackHost && !isBehindProxy ? .thisMachine : .all
    }
}
