public import StoreCore

extension Store {
    /// Calls `handler` with the state as it is, then with every commit, until the subscription is
    /// cancelled or dropped.
    ///
    /// The first delivery has no previous state; the second one has the first one's state as its
    /// previous state, and so on without a gap. No update is lost, repeated or put out of order, and
    /// none begins after `cancel()` has returned. Handlers run one at a time. A handler may commit,
    /// to this store too: that is delivered afterwards.
    ///
    /// On `.immediate` the first delivery has happened when this returns, unless it was called
    /// inside a handler or a body: then it happens after that.
    ///
    /// - Parameters:
    ///   - executor: where the handler runs.
    ///   - backlog: what to do with updates that come faster than they are handled.
    ///   - handler: called with each update.
    /// - Returns: what keeps the handler being called.
    @inlinable
    public func sinkState(
        on executor: some DeliveryExecutor = .immediate,
        backlog: Backlog = .every,
        _ handler: @escaping @Sendable (Changes<State>) -> Void
    ) -> Subscription {
        let inbox = Inbox(
            executor: executor,
            merge: Changes<State>.merge(for: backlog)
        ) { news in
            handler(Changes<State>.open(news))
        }
        attach(inbox)
        return Subscription(inbox) { self.detach(inbox) }
    }

    /// The same, on the main actor.
    @inlinable
    public func sinkState(
        on actor: MainActor,
        backlog: Backlog = .every,
        _ handler: @escaping @MainActor (Changes<State>) -> Void
    ) -> Subscription {
        sinkState(on: .actor(actor), backlog: backlog) { changes in
            MainActor.assumeIsolated { handler(changes) }
        }
    }

    /// The state as it is, then every commit, for one `for await` loop each.
    ///
    /// A loop sees what `sinkState` sees, from the moment when it begins. It ends when its task is
    /// cancelled. What it has not taken yet waits for it: see `changes(backlog:)`.
    public var changes: Updates<Changes<State>> { changes(backlog: .every) }

    /// The state as it is, then the commits.
    ///
    /// - Parameter backlog: what to do with commits that come faster than the loop takes them.
    public func changes(backlog: Backlog) -> Updates<Changes<State>> {
        Updates(open: Changes<State>.open, merge: Changes<State>.merge(for: backlog)) {
            self.attach($0)
        } detach: {
            self.detach($0)
        }
    }

    /// One step: whatever is committed after the first element comes after it, without a gap.
    @usableFromInline
    func attach(_ sink: any Sink) {
        alone { locked, thread in
            locked.sinks.append(sink)
            sink.receive(locked.firstChanges, on: thread)
        }
    }

    @usableFromInline
    func detach(_ sink: any Sink) {
        alone { locked, _ in locked.sinks.removeAll { $0 === sink } }
    }
}

extension Store.Locked {
    /// What an observer is handed first.
    @inlinable
    var firstChanges: Changes<State> {
        Changes(previous: nil, current: state, version: version, origin: origin)
    }
}

extension Changes where State: Sendable {
    @inlinable
    static func open(_ news: any News) -> Changes {
        unsafeDowncast(news, to: Changes.self)
    }

    @inlinable
    static func merge(for backlog: Backlog) -> BacklogQueue.Merge? {
        switch backlog {
        case .every: nil
        case .merged:
            { older, newer in
                let older = open(older)
                let newer = open(newer)
                return Changes(
                    previous: older.previous,
                    current: newer.current,
                    version: newer.version,
                    origin: newer.origin
                )
            }
        }
    }
}
