import MemoCore
import OutboxCore

/// The outbox's storage in the browser's IndexedDB.
///
/// Reading and changing need no lock: every change is one transaction that does nothing to a
/// removed operation. Only attempting needs the role of the drainer, see ``Drain``.
struct IndexedDBStorage {
    let host: Host
    let vault: Vault

    /// An entry that a look-up hands out.
    struct Entry {
        let record: Record
        var found: DrainMachine.Found
        /// The opened payload of a readable entry.
        var payload: [UInt8] = []
        /// The damage of an unreadable entry.
        var damage: ReasonCode?
    }

    /// The answer to a look-up: entries in their order, and the due time of the next operation.
    struct Eligible {
        var entries: [Entry] = []
        var nextEligibleAt: WallTime?
    }

    /// The number of waits that are checked for one longer than the policy allows.
    private static let looked: UInt32 = 32

    /// Looks operations up, in one transaction. Waits that became too long because the clock was set
    /// back are cut.
    ///
    /// - Parameters:
    ///   - passesOver: Whether an entry need not be opened.
    ///   - then: Gets `nil` when the database could not be read.
    func eligible(
        limit: Int,
        now: WallTime,
        _ passesOver: @escaping (DrainMachine.HandedOut) -> Bool,
        _ then: @escaping (Eligible?) -> Void
    ) {
        let due = OperationHead.queued(from: now.advanced(by: Milliseconds(1)))
        let (start, end) = OperationHead.bounds(of: .queued)
        var look = Transaction()
        let dueNow = look.findOperations(from: start, to: due, limit: UInt32(limit), bodies: true)
        let next = look.findOperations(from: due, to: end, limit: 1)
        let latest = look.findOperations(from: due, to: end, descending: true, limit: Self.looked)
        host.read(look) { found in
            var mend = Transaction()
            Self.clampWaits(found[latest], now: now, in: &mend)
            guard mend.count == 0 else {
                // The changes affect the answer: look again.
                return host.perform(mend, .relaxed) { answer in
                    guard answer.isDone else { return then(nil) }
                    self.eligible(limit: limit, now: now, passesOver, then)
                }
            }
            var eligible = Eligible()
            for record in found[next] {
                guard case .queued(let envelope)? = OperationHead(decoding: record.head) else {
                    break
                }
                eligible.nextEligibleAt = envelope.nextEligibleAt
            }
            eligible.entries = found[dueNow].map { Self.entry($0, passesOver) }
            open(eligible, then)
        } orElse: {
            then(nil)
        }
    }

    private static func entry(
        _ record: Record,
        _ passesOver: (DrainMachine.HandedOut) -> Bool
    ) -> Entry {
        let handedOut = DrainMachine.HandedOut(record.key)
        var entry = Entry(record: record, found: DrainMachine.Found(handedOut, .unreadable))
        if case .queued(let envelope)? = OperationHead(decoding: record.head),
            envelope.id == handedOut.operation
        {
            entry.found.content = passesOver(handedOut) ? .passedOver : .readable(envelope)
        } else {
            entry.damage = .damagedEnvelope
        }
        return entry
    }

    private func open(_ eligible: Eligible, _ then: @escaping (Eligible?) -> Void) {
        var eligible = eligible
        var readable: [Int] = []
        var sealed: [(binding: SealBinding, bytes: [UInt8])] = []
        for (index, entry) in eligible.entries.enumerated() {
            guard case .readable(let envelope) = entry.found.content else { continue }
            readable.append(index)
            sealed.append((SealBinding(envelope), entry.record.body))
        }
        guard !readable.isEmpty else { return then(eligible) }
        vault.open(sealed) { opened in
            for (index, opened) in zip(readable, opened) {
                eligible.entries[index].take(opened)
            }
            then(eligible)
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

    /// Takes an unreadable entry out of the queue.
    func quarantine(
        _ record: Record,
        _ reason: ReasonCode,
        _ then: @escaping (Bool) -> Void
    ) {
        var write = Transaction()
        write.setHead(.quarantined(reason: reason, head: record.head), of: record)
        consequences(.quarantined(reason), record.key, &write)
        host.perform(write, .relaxed) { then($0.isDone) }
    }

    /// Stores the outcomes of attempts, with their consequences, in one transaction.
    ///
    /// Removal need not be durable at once: a power cut that undoes it causes a repetition, which
    /// the relay recognises.
    func settle(
        _ settlements: [Settlement],
        kind: (OperationID) -> OperationKind?,
        _ then: @escaping (Bool) -> Void
    ) {
        var write = Transaction()
        for settlement in settlements {
            let key = settlement.id.bytes
            switch settlement.transition {
            case .remove:
                write.delete(key, from: .outbox, kind: kind(settlement.id))
                consequences(.accepted, key, &write)
            case .reschedule(let envelope):
                write.setHead(OperationHead.queued(envelope).encoded(), of: key, in: .outbox)
            case .park(let envelope):
                write.setHead(OperationHead.parked(envelope).encoded(), of: key, in: .outbox)
                consequences(.parked(envelope.lastError), key, &write)
            }
        }
        host.perform(write, .relaxed) { then($0.isDone) }
    }

    /// Adds the other changes of an operation's new standing to the transaction that stores it.
    private func consequences(
        _ standing: OperationStanding,
        _ key: [UInt8],
        _ transaction: inout Transaction
    ) {
        transaction.setStatus(after: standing, of: key)
        if standing == .accepted, let whileKey = vault.key {
            transaction.put(RatingRepository.mark(of: key), in: .things, whileKey: whileKey)
        }
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
        let operations = look.findOperations(from: lower, to: upper, limit: Self.page)
        host.read(look) { findings in
            let found = findings[operations]
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
        } orElse: {
            then()
        }
    }
}

extension IndexedDBStorage.Entry {
    fileprivate mutating func take(_ opened: Opened) {
        guard case .readable(let envelope) = found.content else { return }
        switch opened {
        case .done(let payload): self.payload = payload
        case .notNow: found.content = .locked(envelope)
        case .unreadable(let reason):
            found.content = .unreadable
            damage = reason
        }
    }
}

extension SealBinding {
    fileprivate init(_ envelope: Envelope) {
        self.init(id: envelope.id, kind: envelope.kind, createdAt: envelope.createdAt)
    }
}

extension DrainMachine.HandedOut {
    /// The entry under this key: the identifier of its operation. The number is the key's end, which
    /// is random.
    init(_ key: [UInt8]) {
        let operation = OperationID(bytes: key)
        self.init(
            entry: EntryID(rawValue: Int64(truncatingIfNeeded: (operation?.low ?? 0) >> 1)),
            operation: operation
        )
    }
}

extension Transaction {
    /// Finds operations in the order of their heads.
    fileprivate mutating func findOperations(
        from lower: [UInt8],
        to upper: [UInt8],
        descending: Bool = false,
        limit: UInt32,
        bodies: Bool = false
    ) -> Slot<[Record]> {
        find(
            in: .outbox,
            by: .head,
            from: lower,
            to: upper,
            descending: descending,
            limit: limit,
            bodies: bodies
        )
    }
}
