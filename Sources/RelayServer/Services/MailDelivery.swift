package import Logging
package import Outbox
package import OutboxCore
import RelayAPI

/// Attempts to hand queued mails to the transport, and records their outcomes.
package struct MailDelivery<Store: MemoStore, Transport: MailTransport>: Sendable {
    let store: Store
    let transport: Transport
    let expiry: MailExpiry
    let rules: VerificationRules
    let clock: WallClock
    let logger: Logger

    package init(
        store: Store,
        transport: Transport,
        expiry: MailExpiry,
        rules: VerificationRules,
        clock: @escaping WallClock,
        logger: Logger
    ) {
        self.store = store
        self.transport = transport
        self.expiry = expiry
        self.rules = rules
        self.clock = clock
        self.logger = logger
    }

    /// The handlers for draining the queue.
    package var handlers: [OperationKind: OperationHandler] {
        [.memoMail: deliverMemo, .verificationMail: deliverVerification]
    }

    @Sendable private func deliverMemo(_ operation: OutboxOperation) async
        -> DeliveryMachine.Outcome
    {
        guard let mail = QueuedMail(decoding: operation.payload) else {
            return await finish(operation, .refused, "mail.malformed", .park("mail.malformed"))
        }
        switch await transport.deliver(mail) {
        case .accepted:
            return await finish(operation, .delivered, nil, .done)
        case .refused(let reason):
            return await finish(operation, .bounced, reason, .park(reason))
        case .tryLater(let reason), .unknown(let reason):
            let age = clock().since(operation.createdAt)
            if expiry.isReached(after: operation.attemptCount, age: age), !Task.isCancelled {
                return await finish(operation, .expired, reason, .park(.expired))
            }
            log("mail not delivered yet", operation, reason)
            return .retry(reason)
        }
    }

    /// The mail of an expired code is dropped: the person asks for another code.
    @Sendable private func deliverVerification(
        _ operation: OutboxOperation
    ) async -> DeliveryMachine.Outcome {
        guard let mail = QueuedMail(decoding: operation.payload),
            clock().since(operation.createdAt) < rules.codeLifetime,
            !expiry.haveWaits(after: operation.attemptCount, reached: rules.codeLifetime)
        else { return .done }
        switch await transport.deliver(mail) {
        case .accepted:
            return .done
        case .refused(let reason):
            log("verification mail refused", operation, reason)
            return .done
        case .tryLater(let reason), .unknown(let reason):
            log("verification mail not delivered yet", operation, reason)
            return .retry(reason)
        }
    }

    /// Records the memo's fate before the operation leaves the queue. If recording fails, the mail
    /// is handed over again under the same `Message-ID`.
    private func finish(
        _ operation: OutboxOperation,
        _ status: DeliveryStatus,
        _ reason: ReasonCode?,
        _ outcome: DeliveryMachine.Outcome
    ) async -> DeliveryMachine.Outcome {
        do {
            try await store.recordFate(of: operation.id, status, reason: reason, at: clock())
        } catch {
            log("status not stored", operation, "relay.store")
            return .retry("relay.store")
        }
        logger.info(
            "mail finished",
            metadata: ["operation": "\(operation.id)", "status": "\(status.rawValue)"]
        )
        return outcome
    }

    private func log(_ message: Logger.Message, _ operation: OutboxOperation, _ reason: ReasonCode)
    {
        logger.warning(
            message,
            metadata: [
                "operation": "\(operation.id)", "kind": "\(operation.kind)",
                "attempt": "\(operation.attemptCount + 1)", "reason": "\(reason)",
            ]
        )
    }
}

extension OperationKind {
    /// A memo's mail: a ``QueuedMail``.
    package static let memoMail: OperationKind = "mail"
    /// A verification code's mail: a ``QueuedMail``.
    package static let verificationMail: OperationKind = "mail.verification"
}
