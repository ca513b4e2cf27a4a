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
/// - After `enqueue` returns, the outbox attempts the operation until its handler answers `.done`
///   or parks it, or until a person deletes it. A crash or a power cut at any moment does not
///   change this guarantee.
/// - Two attempts of one operation never run at the same time, in any number of processes.
/// - After a crash or a lost answer, the outbox attempts the operation again under the same
///   identifier. Delivery is exactly once if the other side recognises identifiers, and at least
///   once otherwise.
/// - Payloads are sealed at rest (``Sealer``). Envelopes are not sealed: do not put content into a
///   kind.
///
/// Any thread may use an outbox. Several processes may share one storage; one of them drains. Files
/// stay open until ``close()``, or until the last reference is released. That release may happen
/// some moments after a call has returned.
public final class Outbox<Storage: OutboxStorage>: Sendable {
    /// The storage that holds the operations.
    public let storage: Storage
    /// The sealer of the payloads. It also seals and opens other bytes of the same owner.
    public let sealer: Sealer
    /// The rule that decides when a failed operation is attempted again.
    public let policy: RetryPolicy
    /// The longest payload, in bytes.
    public let maximumPayload: Int

    let window: AttemptWindow
    let drainExecutor: (any TaskExecutor)?
    let lanePolicy: @Sendable (OrderingKey) -> LanePolicy
    let clock: OutboxClock
    let log: @Sendable (OutboxEvent) -> Void
    let drains = RunningDrains()
    let watch: StateWatch
    let committer: GroupCommitter<SealedOperation>

    /// - Parameters:
    ///   - storage: The storage that holds the operations. Several outboxes and processes may share
    ///     one storage.
    ///   - keys: The store of the keys that seal payloads. All outboxes and processes that share
    ///     the storage use the same keys.
    ///   - policy: The rule that decides when a failed operation is attempted again.
    ///   - maximumPayload: The longest payload, in bytes.
    ///   - window: The number of attempts at once, over all lanes and operations in no lane. Each drain
    ///     begins with it.
    ///   - drainExecutor: The threads of the drains of this object: a drain's calls of the storage block
    ///     them, and handlers begin there. `nil`: the threads of Swift's tasks.
    ///   - lanePolicy: A function that returns the policy of a lane. A drain of this object calls
    ///     it when the drain parks or quarantines an operation of that lane.
    ///   - clock: The source of time and of randomness. A test provides its own clock.
    ///   - log: A function that receives every event, on the thread where the event happens.
    public init(
        storage: Storage,
        keys: some KeyStore,
        policy: RetryPolicy = .device,
        maximumPayload: Int = 1 << 20,
        window: AttemptWindow = AttemptWindow(3),
        drainExecutor: (any TaskExecutor)? = nil,
        lanePolicy: @escaping @Sendable (OrderingKey) -> LanePolicy = { _ in .skipAndPark },
        clock: OutboxClock = .system,
        log: @escaping @Sendable (OutboxEvent) -> Void = { _ in }
    ) {
        self.storage = storage
        self.sealer = Sealer(store: keys, storage: storage)
        self.policy = policy
        self.maximumPayload = maximumPayload
        self.window = window
        self.drainExecutor = drainExecutor
        self.lanePolicy = lanePolicy
        self.clock = clock
        let watch = StateWatch()
        self.watch = watch
        self.log = { event in
            log(event)
            watch.saw(event)
        }
        committer = GroupCommitter(label: "outbox.group-commit") { operations, _ in
            try storage.insert(operations)
            return operations.map { _ in .success(()) }
        }
    }

    /// Seals and stores an operation. The operation is durable on return. The call waits for one
    /// disk write.
    ///
    /// This variant is for synchronous code. In asynchronous code, Swift selects the asynchronous
    /// variant.
    ///
    /// - Parameters:
    ///   - kind: The name of the handler, 1 to 255 bytes. Not sealed.
    ///   - payload: Any bytes, at most ``maximumPayload`` of them. The outbox never interprets
    ///     them.
    ///   - id: The identifier by which the other side recognises repetitions. `nil`: the outbox
    ///     makes an identifier.
    ///   - orderingKey: The name of the operation's lane, 1 to 255 bytes. Not sealed. The outbox
    ///     attempts the operation only when every operation that was enqueued earlier in the lane
    ///     is gone, or was skipped under the lane's policy. An `enqueue` that begins after another
    ///     `enqueue` has returned is behind it. Two concurrent calls may come in either order.
    ///     `nil`: the operation waits for no other operation.
    /// - Throws: ``OutboxError``, ``StorageError`` or ``KeyStoreError``. A call that throws stores
    ///   nothing.
    /// - Complexity: O(size of the payload), independent of the number of queued operations, also
    ///   within one lane.
    @discardableResult
    public func enqueue(
        kind: OperationKind,
        payload: [UInt8],
        id: OperationID? = nil,
        orderingKey: OrderingKey? = nil
    ) throws -> OperationID {
        let operation = try seal(kind: kind, payload: payload, id: id, orderingKey: orderingKey)
        try storage.insert([operation])
        inserted(operation)
        return operation.envelope.id
    }

    /// Seals and stores an operation like the synchronous variant. Concurrent callers share disk
    /// writes (group commit).
    @discardableResult
    public func enqueue(
        kind: OperationKind,
        payload: [UInt8],
        id: OperationID? = nil,
        orderingKey: OrderingKey? = nil
    ) async throws -> OperationID {
        let operation = try seal(kind: kind, payload: payload, id: id, orderingKey: orderingKey)
        try await committer.commit(operation)
        inserted(operation)
        return operation.envelope.id
    }

    /// Validates and seals an operation without storing it. The caller inserts the operation in its
    /// own transaction and then calls ``inserted(_:)``.
    public func seal(
        kind: OperationKind,
        payload: [UInt8],
        id: OperationID? = nil,
        orderingKey: OrderingKey? = nil
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
        let id = id ?? OperationID(time: createdAt, random: random.identifier)
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
                nonce: random.nonce
            )
        )
    }

    /// Logs an operation that the caller has inserted durably, and wakes a running
    /// ``drain(_:until:)`` of this object.
    public func inserted(_ operation: SealedOperation) {
        log(OutboxEvent(.enqueued, operation.envelope))
        wake()
    }

    /// Logs that a person made an operation eligible, which the caller has stored durably, and wakes
    /// a running ``drain(_:until:)`` of this object.
    ///
    /// - Parameters:
    ///   - id: The operation; `nil` for all queued and parked operations.
    ///   - kind: The operation's kind; `nil` if it is not known.
    public func requeued(_ id: OperationID?, kind: OperationKind?) {
        log(OutboxEvent(.requeued, id: id, kind: kind))
        wake()
    }

    /// Logs that a person deleted an entry, which the caller has stored durably, and wakes a running
    /// ``drain(_:until:)`` of this object: the operations behind the entry may be eligible.
    ///
    /// - Parameters:
    ///   - id: The operation; `nil` for an entry too damaged to name its operation.
    ///   - kind: The operation's kind; `nil` if it is not known.
    public func deleted(_ id: OperationID?, kind: OperationKind?) {
        log(OutboxEvent(.deleted, id: id, kind: kind))
        wake()
    }

    /// Tells a running ``drain(_:until:)`` of this object that the queue may have changed.
    public func wake() {
        watch.changed()
        drains.tell(.wake)
    }

    /// Tells a running ``drain(_:until:)`` that the network is back. Operations that wait for the
    /// network become eligible at once. An operation that waits because a server asked for the wait
    /// does not.
    public func networkReturned() {
        watch.networkChanged(isOnline: true)
        drains.tell(.networkReturned)
    }

    /// Tells a running ``drain(_:until:)`` how many more operations, of all kinds, the other side
    /// takes before a moment, as it said when it answered the attempt of `operation`. A handler calls
    /// this before it returns. While nothing is left, operations wait where they are: no attempt is
    /// made or counted, and nothing is stored. After the moment one attempt at a time begins, until
    /// an answer allows more.
    ///
    /// The knowledge ends with the drain. A longer wait than the policy's
    /// ``/OutboxCore/RetryPolicy/serverWaitCap`` is cut to it.
    ///
    /// - Parameters:
    ///   - allowance: The number of operations, and the time for which it holds.
    ///   - operation: The operation whose attempt was answered.
    public func allow(_ allowance: AttemptAllowance, after operation: OperationID) {
        drains.tell(.allowed(allowance, after: operation))
    }

    /// Notes that there is no network. Only ``states(patience:recheck:)`` uses this information.
    /// Attempts continue: the system's opinion of the network never prevents an attempt.
    public func networkLost() {
        watch.networkChanged(isOnline: false)
    }
}
