import HTTPTypes
import Hummingbird
import MemoCore
import OutboxCore
import RelayAPI
import RelayRules
import WireCore

/// Memos over HTTP: two ways to send a memo, its status, and the changes of an account's memos.
struct MemoController<Store: RelayStore>: Sendable {
    let service: MemoService<Store>
    let authenticator: Authenticator<Store>
    let source: RequestSource
    let bodyTime: ExchangeTime
    let work: MemoWork
    let wasted = WastedBodies()

    func addRoutes(to router: Router<RelayContext>) {
        router.on(.putMemo, use: put)
        router.on(.memoStatus, use: status)
        router.on(.memoChanges, use: changes)
        router.on(.sendMemo, use: send)
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
        let length = try request.declaredLength(atMost: RelayLimits.memoBodyLength)
        return try await authenticator.withDevice(of: request, in: context) { device in
            let id = try id()
            return try await accept(request, context, as: id, from: device, length: length)
        }
    }

    /// - Parameter length: The most bytes that the body has.
    private func accept(
        _ request: Request,
        _ context: RelayContext,
        as id: OperationID,
        from device: AuthenticatedDevice,
        length: Int
    ) async throws -> Response {
        try wasted.check(device.id, length: length)
        let networks = source.names(of: request, peer: context.peer)
        context.limits.note(
            try await service.checkLimits(
                of: id,
                from: device,
                networks: networks,
                bodyLength: request.headers[.contentLength] == nil ? 0 : length
            )
        )
        let mailbox = service.secret.mailbox(of: device.address)
        let answer = try await work.withSlot(
            length: length,
            memo: MemosUnderWay.Key(mailbox: mailbox, id: id),
            sender: MemoSlots.Sender(
                mailbox: mailbox,
                site: NetworkName.site(of: networks[0])
            ),
            receive: { [bodyTime, isHere = context.hasWholeBody] arrived in
                try await request.bytes(
                    limit: RelayLimits.memoBodyLength,
                    within: bodyTime,
                    isHere: isHere,
                    arrived: arrived
                )
            },
            accept: { body in
                do {
                    let memo = try body.json(MemoRequest.self)
                    return try await service.accept(memo, as: id, from: device, networks: networks)
                } catch {
                    wasted.count(device.id, length: body.readableBytes, refusedWith: error)
                    throw error
                }
            }
        )
        var response = Response.json(answer.body, status: .accepted)
        if answer.isReplay, let name = HTTPField.Name("\(RelayHeader.idempotentReplayed)") {
            response.headers[name] = "true"
        }
        if !answer.isReplay { context.limits.note(answer.usages) }
        return response
    }

    @Sendable private func status(
        _ request: Request,
        context: RelayContext
    ) async throws -> Response {
        let device = try await authenticator.device(of: request, in: context)
        let status = try await service.status(of: Self.id(in: context), for: device)
        return .json(try RelayJSON.encode(status))
    }

    @Sendable private func changes(
        _ request: Request,
        context: RelayContext
    ) async throws -> Response {
        let device = try await authenticator.device(of: request, in: context)
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
