import HTTPTypes
import Hummingbird
import Logging
import OutboxCore
import RelayAPI
import RelayRules
import WireCore

/// Takes the events of the provider Resend, which tell that a mail has bounced.
///
/// Resend repeats an event until an answer is 2xx, for hours
/// (<https://resend.com/docs/webhooks/retries-and-replays>), and may bring it twice, late, or before
/// it has answered the request of the mail.
struct ResendController<Store: MemoStore>: Sendable {
    let store: Store
    let secret: RelaySecret
    /// `nil` for a relay that takes no events: the resource is not there.
    let webhookSecret: ResendWebhookSecret?
    let bodyTime: ExchangeTime
    let clock: WallClock
    let logger: Logger

    func addRoutes(to router: Router<RelayContext>) {
        router.on(.resendEvent, use: take)
    }

    @Sendable private func take(
        _ request: Request,
        context: RelayContext
    ) async throws -> Response {
        guard let webhookSecret else { throw Refusal.notFound }
        let signature = ResendSignature(
            id: field(ResendSignature.idField, of: request),
            timestamp: field(ResendSignature.timestampField, of: request),
            signature: field(ResendSignature.signatureField, of: request),
            at: clock()
        )
        guard let signature else { throw Refusal.notSigned }
        let body = try await request.bytes(
            limit: ResendEvent.longestBody,
            within: bodyTime,
            isHere: context.hasWholeBody
        ).readableBytesView
        guard webhookSecret.signed(body, as: signature) else { throw Refusal.notSigned }
        guard let event = ResendEvent(body) else { throw Refusal.malformedBody }
        // The account may send other mails, and tell other events: Resend shall not repeat those.
        if let fate = event.fate, let mail = event.tag.flatMap({ operation(ofTag: $0) }) {
            try await record(MailBounce(of: mail, fate, at: clock()))
        }
        return Response(status: .noContent)
    }

    private func record(_ bounce: MailBounce) async throws {
        switch try await store.record(bounce) {
        case .recorded:
            logger.info(
                "mail bounced",
                metadata: [
                    "operation": "\(bounce.mail)", "status": "\(bounce.fate.status.rawValue)",
                ]
            )
        case .undecided: throw Refusal.eventTooEarly
        case .settledBefore, .noMemo: break
        }
    }

    private func operation(ofTag tag: String) -> OperationID? {
        secret.operation(ofBounceTag: Array(tag.utf8))
    }

    /// - Returns: `nil` for a field that is not there once.
    private func field(_ name: String, of request: Request) -> String? {
        guard let name = HTTPField.Name(name) else { return nil }
        let values = request.headers[values: name]
        return values.count == 1 ? values[0] : nil
    }
}
