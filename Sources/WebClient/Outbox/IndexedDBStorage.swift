import MemoCore
import OutboxCore

/// The outbox's storage in the browser's IndexedDB.
///
/// Reading and changing need no lock: every change is one transaction that does nothing to a
/// removed operation. Only attempting needs the role of the drainer, see ``Drain``.
struct IndexedDBStorage {
    let host: Host
    let vault: Vault

    /// Eligible operations that are not in flight, with their payloads, and the due time of the
    /// next operation.
    struct Eligible {
        var operations: [(envelope: Envelope, payload: [UInt8])] = []
        var nextEligibleAt: WallTime?
    }

    /// Adds the other changes of an operation's new standing to the transaction that stores it.
    typealias Consequences = (OperationStanding, _ key: [UInt8], inout Transaction) -> Void

    /// The number of waits that are checked for one longer than the policy allows.
    private static let looked: UInt32 = 32

    /// Looks operations up. Entries that cannot be read are put into quarantine, and entries that
    /// cannot be opened now wait. Waits that became too long because the clock was set back are cut.
    ///
    /// - Parameter then: Gets `nil` when the database could not be read.
    func eligible(
        limit: Int,
        besides inFlight: [OperationID],
        now: WallTime,
        _ consequences: @escaping Consequences,
        _ then: @escaping (Eligible?) -> Void
    ) {
        let due = now.advanced(by: Milliseconds(1))
        let (start, end) = OperationHead.bounds(of: .queued)
        var look = Transaction()
        look.find(
            in: .outbox,
            by: .head,
            from: start,
            to: OperationHead.queued(from: due),
            limit: UInt32(limit + inFlight.count),
            bodies: false
        )
        look.find(
            in: .outbox,
            by: .head,
            from: OperationHead.queued(from: due),
            to: end,
            limit: 1,
            bodies: false
        )
        look.find(
            in: .outbox,
            by: .head,
            from: OperationHead.queued(from: due),
            to: end,
            descending: true,
            limit: Self.looked,
            bodies: false
        )
        host.read(look) { found in
            guard let found else { return then(nil) }
            var mend = Transaction()
            Self.clampWaits(found[2], now: now, in: &mend)
            var ready: [Envelope] = []
            for record in found[0] {
                guard case .queued(let envelope)? = OperationHead(decoding: record.head),
                    envelope.id.bytes == record.key
                else {
                    Self.quarantine(record, .damagedEnvelope, consequences, in: &mend)
                    continue
                }
                if ready.count < limit, !inFlight.contains(envelope.id) { ready.append(envelope) }
            }
            // The changes affect the answer: look again.
            if mend.count > 0 {
                return host.perform(mend, .relaxed) { answer in
                    guard answer.isDone else { return then(nil) }
                    eligible(limit: limit, besides: inFlight, now: now, consequences, then)
                }
            }
            var next: WallTime?
            if case .queued(let envelope)? = found[1].first.flatMap({
                OperationHead(decoding: $0.head)
            }) {
                next = envelope.nextEligibleAt
            }
            open(ready, next, now, consequences, then) {
                eligible(limit: limit, besides: inFlight, now: now, consequences, then)
            }
        }
    }

    private func open(
        _ envelopes: [Envelope],
        _ next: WallTime?,
        _ now: WallTime,
        _ consequences: @escaping Consequences,
        _ then: @escaping (Eligible?) -> Void,
        again: @escaping () -> Void
    ) {
        guard !envelopes.isEmpty else { return then(Eligible(nextEligibleAt: next)) }
        var read = Transaction()
        for envelope in envelopes { read.get(envelope.id.bytes, from: .outbox) }
        host.read(read) { found in
            guard let found else { return then(nil) }
            // A person may have deleted an operation meanwhile.
            let records = envelopes.indices.compactMap { index in
                found[index].first.map { (envelope: envelopes[index], record: $0) }
            }
            let sealed = records.map {
                (
                    binding: SealBinding(
                        id: $0.envelope.id,
                        kind: $0.envelope.kind,
                        createdAt: $0.envelope.createdAt
                    ), bytes: $0.record.body
                )
            }
            vault.open(sealed) { opened in
                var eligible = Eligible(nextEligibleAt: next)
                var mend = Transaction()
                for index in records.indices {
                    switch opened[index] {
                    case .done(let payload):
                        eligible.operations.append((records[index].envelope, payload))
                    case .unreadable(let reason):
                        Self.quarantine(records[index].record, reason, consequences, in: &mend)
                    case .notNow: Self.postpone(records[index], now, in: &mend)
                    }
                }
                guard mend.count > 0 else { return then(eligible) }
                host.perform(mend, .relaxed) { answer in
                    answer.isDone ? again() : then(nil)
                }
            }
        }
    }

    private static func clampWaits(
        _ records: [Record],
        now: WallTime,
        in transaction: inout Transaction
    ) {
        for record in records {
            guard case .queued(let envelope)? = OperationHead(decoding: record.head),
                let clamped = envelope.clampingWait(to: .device, now: now)
            else { continue }
            transaction.setHead(.queued(clamped), of: record)
        }
    }

    /// How long an operation waits whose key is missing for now.
    private static let keyWait = Milliseconds(60_000)

    /// Lets an operation that cannot be opened now wait, so that the others have their turn.
    private static func postpone(
        _ operation: (envelope: Envelope, record: Record),
        _ now: WallTime,
        in transaction: inout Transaction
    ) {
        var envelope = operation.envelope
        envelope.nextEligibleAt = now.advanced(by: keyWait)
        envelope.waitCause = .backoff
        transaction.setHead(.queued(envelope), of: operation.record)
    }

    private static func quarantine(
        _ record: Record,
        _ reason: ReasonCode,
        _ consequences: Consequences,
        in transaction: inout Transaction
    ) {
        transaction.setHead(.quarantined(reason: reason, head: record.head), of: record)
        consequences(.quarantined(reason), record.key, &transaction)
    }

    /// Stores the outcome of an attempt, with its consequences, in one transaction.
    ///
    /// Removal need not be durable at once: a power cut that undoes it causes a repetition, which
    /// the relay recognises.
    func settle(
        _ envelope: Envelope,
        _ transition: DeliveryMachine.Transition,
        _ consequences: Consequences,
        _ then: @escaping (Bool) -> Void
    ) {
        let key = envelope.id.bytes
        var write = Transaction()
        switch transition {
        case .remove:
            write.delete(key, from: .outbox, kind: envelope.kind)
            consequences(.accepted, key, &write)
        case .reschedule(let envelope):
            write.setHead(OperationHead.queued(envelope).encoded(), of: key, in: .outbox)
        case .park(let envelope):
            write.setHead(OperationHead.parked(envelope).encoded(), of: key, in: .outbox)
            consequences(.parked(envelope.lastError), key, &write)
        }
        host.perform(write, .relaxed) { then($0.isDone) }
    }

    /// Ends the waits of queued operations that wait for `cause`; for `nil`, all waits.
    func endWaits(for cause: WaitCause?, now: WallTime, _ then: @escaping () -> Void) {
        let (_, end) = OperationHead.bounds(of: .queued)
        change(from: OperationHead.queued(from: now), to: end, then) { head in
            guard case .queued(let envelope) = head, cause == nil || envelope.waitCause == cause
            else { return nil }
            return .queued(envelope.madeEligible())
        }
    }

    /// Requeues the operations that were parked for `reason`.
    func requeueParked(for reason: ReasonCode, _ then: @escaping () -> Void) {
        let (start, end) = OperationHead.bounds(of: .parked)
        change(from: start, to: end, then) { head in
            guard case .parked(let envelope) = head, envelope.lastError == reason else {
                return nil
            }
            return .queued(envelope.madeEligible())
        }
    }

    private static let page: UInt32 = 256

    /// Rewrites the heads in a range, page by page.
    private func change(
        from lower: [UInt8],
        to upper: [UInt8],
        _ then: @escaping () -> Void,
        _ changed: @escaping (OperationHead) -> OperationHead?
    ) {
        var look = Transaction()
        look.find(
            in: .outbox,
            by: .head,
            from: lower,
            to: upper,
            limit: Self.page,
            bodies: false
        )
        host.read(look) { findings in
            guard let found = findings?[0] else { return then() }
            var write = Transaction()
            for record in found {
                guard let head = OperationHead(decoding: record.head), let new = changed(head)
                else { continue }
                write.setHead(new, of: record)
            }
            let next = { () -> Void in
                guard found.count == Int(Self.page), let last = found.last else { return then() }
                change(from: last.head + [0], to: upper, then, changed)
            }
            guard write.count > 0 else { return next() }
            host.perform(write, .relaxed) { _ in next() }
        }
    }
}
