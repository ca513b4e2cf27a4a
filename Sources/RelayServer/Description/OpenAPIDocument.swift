import HTTPTypes
import MemoCore
import WireCore

/// The description of the relay's API for programs
/// ([OpenAPI 3.1](https://spec.openapis.org/oas/v3.1.1.html)), made of ``Endpoint/all``.
enum OpenAPIDocument {
    /// The document as it is served.
    static let bytes = root.json.encoded()

    static let root: DocumentNode = [
        "openapi": "3.1.1",
        "info": [
            "title": "Simple Memo relay",
            "version": "1",
            "license": ["name": "Apache-2.0", "identifier": "Apache-2.0"],
            "description": """
            Send a memo; it is in your inbox. Every path with GET also has HEAD. Other methods \
            get 405, and unknown paths get 404, as problem details (RFC 9457). A network that \
            asks for anything too quickly gets 429. Clients skip members that they do not know.
            """,
        ],
        "paths": paths,
        "components": [
            "securitySchemes": [
                "token": [
                    "type": "http",
                    "scheme": .text("\(RelayHeader.bearer)".lowercased()),
                    "description": .text("The token that \(Endpoint.confirmCode.path) grants."),
                ]
            ],
            "parameters": OpenAPISchemas.parameters,
            "headers": OpenAPISchemas.headers,
            "schemas": OpenAPISchemas.schemas,
        ],
    ]

    private static var paths: DocumentNode {
        var paths: [String] = []
        for endpoint in Endpoint.all where !paths.contains(endpoint.path) {
            paths.append(endpoint.path)
        }
        return .object(
            paths.map { path in
                let here = Endpoint.all.filter { $0.path == path }
                return (
                    path, .object(here.map { ($0.method.rawValue.lowercased(), operation($0)) })
                )
            }
        )
    }

    private static func operation(_ endpoint: Endpoint) -> DocumentNode {
        var members: [(String, DocumentNode)] = [
            ("operationId", .text(endpoint.name)),
            ("summary", .text(endpoint.summary)),
            ("security", endpoint.needsToken ? .list([["token": []] as DocumentNode]) : []),
        ]
        if !endpoint.parameters.isEmpty {
            let parameters = endpoint.parameters.map {
                DocumentNode.reference("parameters/\($0)")
            }
            members.append(("parameters", .list(parameters)))
        }
        if let body = endpoint.requestBody {
            let content = content("\(RelayMediaType.json)", .reference("schemas/\(body)"))
            members.append(("requestBody", ["required": true, "content": content]))
        }
        members.append(("responses", .object(responses(of: endpoint))))
        return .object(members)
    }

    private static func responses(of endpoint: Endpoint) -> [(String, DocumentNode)] {
        var responses = [("\(endpoint.success.status.code)", success(of: endpoint))]
        var statuses: [Int] = []
        for code in endpoint.problems where !statuses.contains(code.status) {
            statuses.append(code.status)
        }
        for status in statuses {
            let codes = endpoint.problems.filter { $0.status == status }
            responses.append(("\(status)", problem(status, codes, of: endpoint)))
        }
        for (status, description) in endpoint.otherStatuses {
            let headers = limitHeaders(of: endpoint, status.code)
            responses.append(("\(status.code)", answer(description, endpoint.success, headers)))
        }
        if !endpoint.admitsEveryHost {
            responses.append(("421", misdirected(endpoint)))
        }
        return responses
    }

    private static func success(of endpoint: Endpoint) -> DocumentNode {
        answer(
            "The request is granted.",
            endpoint.success,
            endpoint.success.headers + limitHeaders(of: endpoint, endpoint.success.status.code)
        )
    }

    private static func answer(
        _ description: String,
        _ success: Endpoint.Success,
        _ headers: [String]
    ) -> DocumentNode {
        var members: [(String, DocumentNode)] = [("description", .text(description))]
        if !headers.isEmpty { members.append(("headers", references(to: headers))) }
        if let schema = success.schema {
            members.append(
                ("content", content(success.mediaType, .reference("schemas/\(schema)")))
            )
        }
        return .object(members)
    }

    private static func problem(
        _ status: Int,
        _ codes: [ProblemCode],
        of endpoint: Endpoint
    ) -> DocumentNode {
        var headers = limitHeaders(of: endpoint, status)
        if status == 401 { headers.append("WWW-Authenticate") }
        if [409, 429, 503].contains(status) { headers.append("\(RelayHeader.retryAfter)") }
        let names = codes.map { DocumentNode.text($0.name) }
        let schema: DocumentNode = [
            "allOf": [
                .reference("schemas/Problem"),
                [
                    "properties": [
                        "status": ["const": .number(status)],
                        "code": ["enum": .list(names)],
                        "retryable": [
                            "const": DocumentNode(
                                json: .bool(codes.allSatisfy(\.isRetryable))
                            )
                        ],
                    ]
                ],
            ]
        ]
        var members: [(String, DocumentNode)] = [
            ("description", .text(codes.map { "`\($0.name)`" }.joined(separator: ", ")))
        ]
        if !headers.isEmpty { members.append(("headers", references(to: headers))) }
        members.append(("content", content("\(RelayMediaType.problem)", schema)))
        return .object(members)
    }

    /// A request for another host, see ``HostMiddleware``: no answer of the API.
    private static func misdirected(_ endpoint: Endpoint) -> DocumentNode {
        var members: [(String, DocumentNode)] = [("description", "The relay has another name.")]
        let headers = limitHeaders(of: endpoint, 421)
        if !headers.isEmpty { members.append(("headers", references(to: headers))) }
        members.append(("content", content("text/plain; charset=utf-8", ["type": "string"])))
        return .object(members)
    }

    /// The use of the limits is told where the request's token was looked at, and is valid.
    private static func limitHeaders(of endpoint: Endpoint, _ status: Int) -> [String] {
        guard endpoint.isOfAPI else { return [] }
        let isWithoutAccount =
            !endpoint.needsToken || status == 401
            || status == 403 && !endpoint.ownProblems.contains(.codeRejected)
            || [429, 503].contains(status) && !endpoint.refusesKnownAccounts
        return ["\(RelayHeader.rateLimitPolicy)", "\(RelayHeader.relayTime)"]
            + (isWithoutAccount ? [] : ["\(RelayHeader.rateLimit)"])
    }

    private static func references(to headers: [String]) -> DocumentNode {
        .object(headers.map { ($0, .reference("headers/\($0)")) })
    }

    private static func content(_ type: String, _ schema: DocumentNode) -> DocumentNode {
        .object([(type, ["schema": schema] as DocumentNode)])
    }
}
