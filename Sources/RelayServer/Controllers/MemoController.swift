import HTTPTypes
import Hummingbird
import MemoCore
import OutboxCore
import RelayAPI

/// Memos over HTTP: two ways to send a memo, its status, and the changes of an account's memos.
struct MemoController<Store: RelayStore>: Sendable {
    let service: MemoService<Store>
    let authenticator: Authenticator<Store>
    let source: RequestSource
    let bodyTime: ExchangeTime
    let work = MemoWork()

    func addRoutes(to router: Router<RelayContext>) {
        router.put("\(RelayPath.memos)/:id", use: put)
        router.get("\(RelayPath.memos)/:id", use: status)
        router.get("\(RelayPath.memoChanges)", use: changes)
        router.post("\(RelayPath.send)", use: send)
    }

    @Sendable private func put(_ request: Request, context: RelayContext) async throws -> Response {
        try await accept(request, context) { () throws(Refusal) in try Self.id(in: context) }
    }

    @Sendable private func send(
        _ request: Request,
        context: RelayContext
    ) async throws -> Response {
        try await accept(request, context) { () throws(Refusal) in try request.idempotencyKey() }
    }

    /// Size, authentication and limits, then the rest: the body of a memo that is refused for one of
    /// them is not received.
    private func accept(
        _ request: Request,
        _ context: RelayContext,
        id: () throws(Refusal) -> OperationID
    ) async throws -> Response {
        let limit = RelayLimits.memoBodyLength
        let length = try request.declaredLength(atMost: limit)
        let device = try await authenticator.device(of: request)
        let id = try id()
        try await service.checkLimits(of: id, from: device)
        let answer = try await work.withPlace(
            length: length,
            device: device.id,
            network: source.name(of: request, peer: context.peer),
            receive: { try await request.bytes(limit: limit, within: bodyTime) },
            accept: { try await service.accept($0.json(MemoRequest.self), as: id, from: device) }
        )
        var response = Response.json(answer.body, status: .accepted)
        if answer.isReplay, let name = HTTPField.Name(RelayHeader.idempotentReplayed) {
            response.headers[name] = "true"
        }
        response.describe(answer.usages)
        return response
    }

    @Sendable private func status(
        _ request: Request,
        context: RelayContext
    ) async throws -> Response {
        let device = try await authenticator.device(of: request)
        let status = try await service.status(of: Self.id(in: context), for: device)
        return .json(try RelayJSON.encode(status))
    }

    @Sendable private func changes(
        _ request: Request,
        context: RelayContext
    ) async throws -> Response {
        let device = try await authenticator.device(of: request)
        let cursor = request.uri.queryParameters["after"].map(String.init)
        return .json(
            try RelayJSON.encode(try await service.changes(after: cursor, for: device))
        )
    }

    private static func id(in context: RelayContext) throws(Refusal) -> OperationID {
        guard let text = context.parameters.get("id"), let id = OperationID(text: text.utf8) else {
            throw .keyMalformed
        }
        return id
    }
}
