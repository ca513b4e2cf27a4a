package import Logging
package import Outbox
package import OutboxCore
import RelayAPI
package import RelayRules

/// Attempts to hand queued mails to the transport, and decides their fates. The store of the queue
/// records a fate together with the outcome of the attempt (``MemoFate``).
package struct MailDelivery<Transport: MailTransport>: Sendable {
    let transport: Transport
    /// The way by which bounces come back; `nil` for none.
    let bounces: BounceRoute?
    let expiry: MailExpiry
    let rules: VerificationRules
    let activity: MailActivity
    /// Notes a movement in the store.
    let noteMovement: @Sendable (WallTime) async throws -> Void
    let clock: WallClock
    let logger: Logger

    package init(
        transport: Transport,
        bounces: BounceRoute? = nil,
        expiry: MailExpiry,
        rules: VerificationRules,
        activity: MailActivity,
        noteMovement: @escaping @Sendable (WallTime) async throws -> Void = { _ in },
        clock: @escaping WallClock,
        logger: Logger
    ) {
        self.activity = activity
        self.noteMovement = noteMovement
        self.transport = transport
        self.bounces = bounces
        self.expiry = expiry
        self.rules = rules
        self.clock = clock
        self.logger = logger
    }

    /// The handlers for draining the queue.
    package var handlers: [OperationKind: OperationHandler] {
        [
            .memoMail: deliverMemo, .verificationMail: deliverVerification,
            .deviceMail: deliverAnnouncement,
        ]
    }

    @Sendable private func deliverMemo(_ operation: OutboxOperation) async
        -> DeliveryMachine.Outcome
    {
        guard let mail = QueuedMail(decoding: operation.payload) else {
            return finish(operation, nil, .malformed)
        }
        let uncertainty = uncertainty(of: operation)
        if let reason = uncertainty, mayArriveTwice(operation) {
            return finish(operation, mail.memo, .expired(Self.undecided(reason)))
        }
        let marked = bounces?.marked(mail, of: operation.id) ?? mail
        switch await handOver(marked, of: operation, .memo) {
        case .accepted:
            return finish(operation, mail.memo, .delivered)
        case .refused(let reason):
            return finish(operation, mail.memo, .bounced(reason))
        case .tryLater(let reason), .unknown(let reason):
            if isExpired(operation) {
                return finish(operation, mail.memo, .expired(reason))
            }
            log("mail not delivered yet", operation, reason, memo: mail.memo)
            return .retry(lasting(reason, after: uncertainty))
        case .settling(let reason, let wait):
            guard !isExpired(operation) else { return finish(operation, mail.memo, .delivered) }
            log("mail is there, and is looked after", operation, reason, memo: mail.memo)
            return wait.map { .retryAfter($0, reason) } ?? .retry(reason)
        }
    }

    /// The mail of a code waits for as long as its long code can be used. After that the mail is
    /// dropped, and logged: the person asks for another code.
    @Sendable private func deliverVerification(
        _ operation: OutboxOperation
    ) async -> DeliveryMachine.Outcome {
        guard let mail = QueuedMail(decoding: operation.payload),
            clock().since(operation.createdAt) < rules.longCodeLifetime,
            !expiry.haveWaits(after: operation.attemptCount, reached: rules.longCodeLifetime)
        else {
            log("code expired before its mail was taken", operation, .expired)
            return .done
        }
        switch await handOver(mail, of: operation, .code) {
        case .accepted:
            return .done
        case .refused(let reason):
            log("verification mail refused", operation, reason)
            return .done
        // A second copy of a code's mail does no harm.
        case .settling:
            return .done
        case .tryLater(let reason), .unknown(let reason):
            log("verification mail not delivered yet", operation, reason)
            return .retry(lasting(reason, after: uncertainty(of: operation)))
        }
    }

    /// The mail about a new device waits as long as a memo's mail. Nobody asks what became of it, so
    /// one that is refused or expires is dropped, and logged.
    @Sendable private func deliverAnnouncement(
        _ operation: OutboxOperation
    ) async -> DeliveryMachine.Outcome {
        guard let mail = QueuedMail(decoding: operation.payload) else {
            log("mail about a device cannot be read", operation, "mail.malformed")
            return .done
        }
        let uncertainty = uncertainty(of: operation)
        if let reason = uncertainty, mayArriveTwice(operation) {
            log("mail about a device expired", operation, Self.undecided(reason))
            return .done
        }
        switch await handOver(mail, of: operation, .device) {
        case .accepted:
            return .done
        case .refused(let reason):
            log("mail about a device refused", operation, reason)
            return .done
        case .tryLater(let reason), .unknown(let reason):
            if isExpired(operation) {
                log("mail about a device expired", operation, reason)
                return .done
            }
            log("mail about a device not delivered yet", operation, reason)
            return .retry(lasting(reason, after: uncertainty))
        case .settling(let reason, let wait):
            guard !isExpired(operation) else { return .done }
            return wait.map { .retryAfter($0, reason) } ?? .retry(reason)
        }
    }

    private func isExpired(_ operation: OutboxOperation) -> Bool {
        let age = clock().since(operation.createdAt)
        return expiry.isReached(after: operation.attemptCount, age: age) && !Task.isCancelled
    }

    /// The reason that stays the mail's last failure: an uncertainty of an earlier attempt, unless
    /// this attempt has left one of its own.
    private func lasting(_ reason: ReasonCode, after uncertainty: ReasonCode?) -> ReasonCode {
        transport.isUnknown(reason) ? reason : uncertainty ?? reason
    }

    /// The reason for which it is unknown whether an earlier attempt has handed the mail over; `nil`
    /// for a mail that nobody has. The reason stays the mail's last failure until the mail is taken
    /// or refused, because no later failure says that nobody has the mail.
    private func uncertainty(of operation: OutboxOperation) -> ReasonCode? {
        operation.lastError.flatMap { transport.isUnknown($0) ? $0 : nil }
    }

    /// Whether the other side may no longer recognise a repetition of the mail. Measured from the
    /// mail's beginning, because the time of its first attempt is not stored, and by the waits, too:
    /// a clock set back makes no mail arrive twice.
    private func mayArriveTwice(_ operation: OutboxOperation) -> Bool {
        guard let window = transport.repetitionWindow else { return false }
        return clock().since(operation.createdAt) >= window
            || expiry.haveWaits(after: operation.attemptCount, reached: window)
    }

    /// The reason of a mail that waits for the operator: only a person can find out whether it
    /// arrived.
    private static func undecided(_ reason: ReasonCode) -> ReasonCode {
        ReasonCode(utf8: Array("unknown.".utf8) + reason.utf8)
    }

    private func handOver(
        _ mail: QueuedMail,
        of operation: OutboxOperation,
        _ kind: MailActivity.Attempt.Mail
    ) async -> MailOutcome {
        activity.began(at: clock())
        var mail = mail
        mail.earlier = QueuedMail.EarlierAttempts(
            queuedAt: operation.createdAt,
            lastFailure: operation.lastError
        )
        let outcome = await transport.deliver(mail)
        let now = clock()
        // A store that cannot note the movement says so when the outcome is recorded.
        if activity.ended(kind, outcome, at: now) { try? await noteMovement(now) }
        return outcome
    }

    private func finish(
        _ operation: OutboxOperation,
        _ memo: OperationID?,
        _ fate: MemoFate
    ) -> DeliveryMachine.Outcome {
        var metadata = metadata(of: operation, memo)
        metadata["status"] = "\(fate.status.rawValue)"
        metadata["reason"] = fate.reason.map { "\($0)" }
        logger.info("mail finished", metadata: metadata)
        return fate.outcome
    }

    private func log(
        _ message: Logger.Message,
        _ operation: OutboxOperation,
        _ reason: ReasonCode,
        memo: OperationID? = nil
    ) {
        var metadata = metadata(of: operation, memo)
        metadata["kind"] = "\(operation.kind)"
        metadata["attempt"] = "\(operation.attemptCount + 1)"
        metadata["reason"] = "\(reason)"
        logger.warning(message, metadata: metadata)
    }

    /// The identifiers: the one of the queue, and the one of the memo, which its sender knows.
    private func metadata(
        of operation: OutboxOperation,
        _ memo: OperationID?
    ) -> Logger.Metadata {
        var metadata: Logger.Metadata = ["operation": "\(operation.id)"]
        metadata["memo"] = memo.map { "\($0)" }
        return metadata
    }
}
