public import OutboxCore

/// Write now, deliver later: operations that survive a crash until the other side has them.
///
/// ```swift
/// let outbox = Outbox(storage: try SQLiteStorage(path: path), keys: FileKeyStore(path: keyPath))
/// try await outbox.enqueue(kind: "note", payload: bytes)  // on the disk when this returns
/// try await outbox.drain(["note": { await send($0) }])    // until the task is cancelled
/// ```
///
/// ## Guarantees
/// - An operation whose `enqueue` returned is attempted until its handler answers `.done`, a person
///   deletes it, or the handler parks it; a crash or a power cut at any moment does not change
///   that.
/// - One operation is never attempted twice at once, from however many processes.
/// - After a crash, or a lost answer, an operation is attempted again under the same identifier:
///   delivery is exactly once when the other side recognises identifiers, else at least once.
/// - Payloads are sealed at rest (``Sealer``). Envelopes are not: do not put content into a kind.
///
/// Safe to use from any thread; several processes may share one storage, of which one drains. Files
/// stay open until ``close()``, or until the last reference is gone, which may be some moments
/// after a call has returned.
public final class Outbox<Storage: OutboxStorage>: Sendable {
    /// Holds the operations.
    public let storage: Storage
    /// Seals and opens other bytes of the same owner under the same key.
    public let sealer: Sealer
    /// When a failed operation is attempted again.
    public let policy: RetryPolicy
    /// The longest payload, in bytes.
    public let maximumPayload: Int

    let maximumInFlight: Int
    let lanePolicy: @Sendable (OrderingKey) -> LanePolicy
    let clock: OutboxClock
    let log: @Sendable (OutboxEvent) -> Void
    let drains = RunningDrains()
    let watch: StateWatch
    let committer: GroupCommitter<Storage>

    /// - Parameters:
    ///   - storage: Holds the operations. Outboxes, and processes, may share one.
    ///   - keys: The keys that payloads are sealed under; the same for all outboxes and processes
    ///     that share the storage.
    ///   - policy: When a failed operation is attempted again.
    ///   - maximumPayload: The longest payload, in bytes.
    ///   - maximumInFlight: The greatest number of attempts at once, at least 1, over all lanes and
    ///     operations in no lane.
    ///   - lanePolicy: Says, for a lane, whether its next operation is attempted when one of its
    ///     operations is parked or quarantined by a drain of this object.
    ///   - clock: Time and randomness; a test brings its own.
    ///   - log: Called for every transition, on whatever thread it happened.
    public init(
        storage: Storage,
        keys: some KeyStore,
        policy: RetryPolicy = .device,
        maximumPayload: Int = 1 << 20,
        maximumInFlight: Int = 3,
        lanePolicy: @escaping @Sendable (OrderingKey) -> LanePolicy = { _ in .skipAndPark },
        clock: OutboxClock = .system,
        log: @escaping @Sendable (OutboxEvent) -> Void = { _ in }
    ) {
        self.storage = storage
        self.sealer = Sealer(store: keys, storage: storage)
        self.policy = policy
        self.maximumPayload = maximumPayload
        self.maximumInFlight = maximumInFlight
        self.lanePolicy = lanePolicy
        self.clock = clock
        let watch = StateWatch()
        self.watch = watch
        self.log = { event in
            log(event)
            watch.saw(event)
        }
        committer = GroupCommitter(storage: storage)
    }

    /// Seals and stores an operation; durable on return. Waits for one disk write.
    ///
    /// For code that is not asynchronous; where there is `await`, Swift picks the other variant.
    ///
    /// - Parameters:
    ///   - kind: The name of the handler, 1 to 255 bytes. Not sealed.
    ///   - payload: Any bytes, up to ``maximumPayload``. The outbox never looks into them.
    ///   - id: Made here unless given; the other side recognises repeats by it.
    ///   - orderingKey: The operation's lane, 1 to 255 bytes, not sealed: it is attempted only when
    ///     all that were enqueued in the lane before it are gone, or were passed over under the
    ///     lane's policy. An enqueue that began after another one returned is behind it; of two at
    ///     once any may be first. `nil`: it waits for no other.
    /// - Throws: ``OutboxError``, ``StorageError`` or ``KeyStoreError``; nothing is stored then.
    /// - Complexity: O(size of the payload), independent of the number queued, in its lane as well.
    @discardableResult
    public func enqueue(
        kind: OperationKind,
        payload: [UInt8],
        id: OperationID? = nil,
        orderingKey: OrderingKey? = nil
    ) throws -> OperationID {
        let operation = try sealed(kind: kind, payload: payload, id: id, orderingKey: orderingKey)
        try storage.insert([operation])
        inserted(operation)
        return operation.envelope.id
    }

    /// Like the synchronous variant, but concurrent callers share disk writes (group commit).
    @discardableResult
    public func enqueue(
        kind: OperationKind,
        payload: [UInt8],
        id: OperationID? = nil,
        orderingKey: OrderingKey? = nil
    ) async throws -> OperationID {
        let operation = try sealed(kind: kind, payload: payload, id: id, orderingKey: orderingKey)
        try await committer.insert(operation)
        inserted(operation)
        return operation.envelope.id
    }

    /// Validates and seals an operation without storing it, for a caller that inserts it in a
    /// transaction of its own and then calls ``inserted(_:)``.
    public func seal(
        kind: OperationKind,
        payload: [UInt8],
        id: OperationID? = nil,
        orderingKey: OrderingKey? = nil
    ) throws -> SealedOperation {
        try sealed(kind: kind, payload: payload, id: id, orderingKey: orderingKey).repeatable
    }

    private func sealed(
        kind: OperationKind,
        payload: [UInt8],
        id given: OperationID?,
        orderingKey: OrderingKey?
    ) throws -> SealedOperation {
        guard payload.count <= maximumPayload else {
            throw OutboxError.payloadTooLong(limit: maximumPayload)
        }
        let longest = Envelope.maximumNameLength
        guard !kind.utf8.isEmpty, kind.utf8.count <= longest,
            orderingKey.map({ !$0.bytes.isEmpty && $0.bytes.count <= longest }) ?? true
        else { throw OutboxError.invalidName }
        let createdAt = clock.wallTime()
        let random = OperationRandomness()
        let id = given ?? OperationID(time: createdAt, random: random.identifier)
        let envelope = Envelope(
            id: id,
            kind: kind,
            createdAt: createdAt,
            orderingKey: orderingKey
        )
        return SealedOperation(
            envelope: envelope,
            record: try sealer.seal(
                payload,
                id: id,
                kind: kind,
                createdAt: createdAt,
                nonce: random.nonce()
            ),
            hasNewIdentifier: given == nil
        )
    }

    /// Logs an operation that the caller has inserted, and durably so, and wakes a running
    /// ``drain(_:until:)`` of this object.
    public func inserted(_ operation: SealedOperation) {
        log(OutboxEvent(.enqueued, operation.envelope))
        wake()
    }

    /// Tells a running ``drain(_:until:)`` of this object that the queue may have changed.
    public func wake() {
        watch.changed()
        drains.tell(.wake)
    }

    /// Tells a running ``drain(_:until:)`` that the network is back: what waited for it is eligible
    /// at once. What waits because a server asked for it is not.
    public func networkReturned() {
        watch.networkChanged(isOnline: true)
        drains.tell(.networkReturned)
    }

    /// Notes, for ``states(patience:recheck:)`` alone, that there is no network. Attempts go on:
    /// what the system thinks of the network never keeps an operation from being tried.
    public func networkLost() {
        watch.networkChanged(isOnline: false)
    }
}
