package import Outbox
package import OutboxCore
import RelayRules

/// The two parts of a store's mail queue, each an outbox with a drain of its own.
package struct RelayQueues<Queue: MailQueue>: Sendable {
    /// The queue of memos' mails.
    package let memos: Outbox<MailShares<Queue>>
    /// The queue of the mails that bring codes, or tell of new devices.
    package let codes: Outbox<MailShares<Queue>>

    /// - Parameters:
    ///   - queue: The storage of both.
    ///   - keys: The keys that seal mails.
    ///   - policy: The waits between attempts to hand a mail over. Its lifetime is left to the handlers,
    ///     because they decide the memo's fate: a queue never gives a mail up by itself.
    ///   - clock: The clock of the queues.
    ///   - log: Called for every transition of a mail.
    package init(
        over queue: Queue,
        keys: some KeyStore,
        policy: RetryPolicy,
        clock: OutboxClock,
        log: @escaping @Sendable (OutboxEvent) -> Void
    ) {
        var policy = policy
        policy.lifetime = nil
        func outbox(_ part: MailPart) -> Outbox<MailShares<Queue>> {
            Outbox(
                storage: MailShares(base: queue, part: part),
                keys: keys,
                policy: policy,
                maximumPayload: MemoLimits.longestMail,
                window: part.window,
                drainExecutor: MailThreads.drain(of: part),
                clock: clock,
                log: log
            )
        }
        memos = outbox(.memos)
        codes = outbox(.codes)
    }

    /// Both parts.
    package var all: [Outbox<MailShares<Queue>>] { [codes, memos] }

    /// The sealer of the store's other bytes.
    package var sealer: Sealer { memos.sealer }

    /// Seals a mail for its part of the queue.
    ///
    /// - Parameter id: A new identifier, from which the mail's has time and randomness.
    package func seal(
        _ mail: QueuedMail,
        as kind: OperationKind,
        _ id: OperationID
    ) throws -> SealedOperation {
        let part = MailPart(of: kind)
        return try queue(of: part).seal(
            kind: kind,
            payload: mail.encoded(),
            id: part.identifier(from: id)
        )
    }

    /// Tells the drains of mails that a durable transaction has queued.
    package func heard(_ writes: [RelayWrite]) {
        var hasRequeued = false
        for write in writes {
            switch write {
            case .queue(let mail): queue(of: MailPart(of: mail.envelope.kind)).inserted(mail)
            case .requeue: hasRequeued = true
            default: break
            }
        }
        if hasRequeued { wake() }
    }

    /// Tells the drains that the queue may have changed.
    package func wake() {
        for queue in all { queue.wake() }
    }

    /// Whether a stored mail can be opened. Blocks the calling thread.
    package func opens(_ mail: OperationID) throws -> Bool {
        do {
            _ = try memos.open(mail)
            return true
        } catch is UnreadableRecord {
            return false
        } catch is OutboxError {
            return false
        }
    }

    private func queue(of part: MailPart) -> Outbox<MailShares<Queue>> {
        switch part {
        case .codes: codes
        case .memos: memos
        }
    }
}
