import HTTPTypes
import Hummingbird
import MemoCore

/// One method at one path, with everything that the relay answers there.
///
/// The router, the `Allow` field and the OpenAPI document are made of the same endpoints, so the
/// document has every route, and no other.
struct Endpoint: Sendable {
    /// The answer to a request that is granted.
    struct Success: Sendable {
        let status: HTTPResponse.Status
        /// The component that describes the body; `nil` for no body.
        var schema: String?
        var mediaType = "\(RelayMediaType.json)"
        var headers: [String] = []
    }

    let method: HTTPRequest.Method
    /// The path, with names in braces for its variable segments.
    let path: String
    /// The name of the operation for generated clients.
    let name: String
    let summary: String
    var needsToken = false
    /// The parameters, as components of the document.
    var parameters: [String] = []
    /// The component that describes the request's body; `nil` for no body.
    var requestBody: String?
    let success: Success
    /// The refusals that are this endpoint's own, see ``problems``.
    var ownProblems: Set<ProblemCode> = []
    /// Other statuses with the usual body, and their descriptions.
    var otherStatuses: [(status: HTTPResponse.Status, description: String)] = []

    /// All refusals, in the order of the codes.
    var problems: [ProblemCode] {
        // Any endpoint may be asked too quickly.
        var all = ownProblems.union([.tooManyRequests])
        if needsToken { all.formUnion([.unauthorized, .tokenRevoked, .unavailable]) }
        if requestBody != nil {
            all.formUnion([.malformedBody, .tooSlow, .tooLarge, .unavailable])
        }
        if method != .get { all.insert(.crossOrigin) }
        return ProblemCode.allCases.filter(all.contains)
    }

    /// Whether a refusal may come after a look at a valid token, for want of room or of the account's
    /// allowance.
    var refusesKnownAccounts: Bool {
        needsToken && !ownProblems.isDisjoint(with: [.quotaExceeded, .tooManyRequests])
    }

    var isOfAPI: Bool { path.hasPrefix("\(RelayPath.apiPrefix)") }

    /// Whether a request may name any host.
    var admitsEveryHost: Bool { Self.admitsEveryHost(at: path) }

    /// Whether a request for this path may name any host: a load balancer, which knows no name of
    /// the relay, asks for its health.
    static func admitsEveryHost(at path: String) -> Bool {
        path == "\(RelayPath.health)" || path == "\(RelayPath.readiness)"
    }

    /// The methods that a path has, for the `Allow` field; empty for a path of no endpoint.
    ///
    /// - Parameter path: Read as the router does, without empty segments.
    static func methods(at path: String) -> [HTTPRequest.Method] {
        let segments = path.split(separator: "/")
        let here = all.filter { endpoint in
            let template = endpoint.path.split(separator: "/")
            return template.count == segments.count
                && zip(template, segments).allSatisfy { $0 == $1 || $0.first == "{" }
        }
        // A path of its own is not an identifier.
        let literal = here.filter { !$0.path.contains("{") }
        return (literal.isEmpty ? here : literal).flatMap { endpoint in
            endpoint.method == .get ? [.get, .head] : [endpoint.method]
        }
    }
}

extension Router {
    /// Lets a function answer the requests of an endpoint.
    func on(
        _ endpoint: Endpoint,
        use answer: @Sendable @escaping (Request, Context) async throws -> some ResponseGenerator
    ) {
        on(RouterPath(endpoint.path), method: endpoint.method, use: answer)
    }
}
