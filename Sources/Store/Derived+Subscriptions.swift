extension Derived: Deliverable {
    /// A store had a commit.
    @usableFromInline
    func deliver(on thread: CurrentThread, upTo goal: UInt64) {
        alone { locked, thread in
            guard !locked.sinks.isEmpty else { return }
            _ = look(&locked)
            tell(&locked, thread)
        }
    }
}

extension Derived {
    /// Calls `handler` with the value as it is, then with each value that differs from the last one,
    /// until the subscription is cancelled or dropped.
    ///
    /// None is out of order, none begins after `cancel()` has returned, and the newest value is
    /// always told in the end. Handlers run one at a time.
    ///
    /// - Parameters:
    ///   - executor: where the handler runs.
    ///   - backlog: what to do with values that come faster than they are handled; `.merged` keeps
    ///     the newest.
    ///   - handler: called with each value.
    /// - Returns: what keeps the handler being called.
    @inlinable
    public func sinkValue(
        on executor: some DeliveryExecutor = .immediate,
        backlog: Backlog = .every,
        _ handler: @escaping @Sendable (Value) -> Void
    ) -> Subscription {
        let inbox = Inbox(executor: executor, merge: Self.merge(for: backlog)) { news in
            handler(Parcel<Value>.open(news))
        }
        attach(inbox)
        return Subscription(inbox) { self.detach(inbox) }
    }

    /// The same, on the main actor.
    public func sinkValue(
        on actor: MainActor,
        backlog: Backlog = .every,
        _ handler: @escaping @MainActor (Value) -> Void
    ) -> Subscription {
        sinkValue(on: .actor(actor), backlog: backlog) { value in
            MainActor.assumeIsolated { handler(value) }
        }
    }

    /// The value as it is, then each that differs from the last one, for one `for await` loop each.
    ///
    /// A loop ends when its task is cancelled. What it has not taken yet waits for it.
    public var values: Updates<Value> { values(backlog: .every) }

    /// The value as it is, then each that differs from the last one.
    ///
    /// - Parameter backlog: what to do with values that come faster than the loop takes them.
    public func values(backlog: Backlog) -> Updates<Value> {
        Updates(open: Parcel.open, merge: Self.merge(for: backlog)) {
            self.attach($0)
        } detach: {
            self.detach($0)
        }
    }

    @inlinable
    static func merge(for backlog: Backlog) -> BacklogQueue.Merge? {
        switch backlog {
        case .every: nil
        case .merged: { _, newer in newer }
        }
    }

    @usableFromInline
    func attach(_ sink: any Sink) {
        alone { locked, thread in
            // Before looking, so that a commit meanwhile is looked at as well.
            if locked.sinks.isEmpty { for source in sources { source.add(self) } }
            let value = look(&locked)
            tell(&locked, thread)
            locked.sinks.append(sink)
            sink.receive(Parcel(value), on: thread)
        }
    }

    @usableFromInline
    func detach(_ sink: any Sink) {
        alone { locked, _ in
            locked.sinks.removeAll { $0 === sink }
            if locked.sinks.isEmpty {
                locked.told = nil
                for source in sources { source.remove(self) }
            }
        }
    }

    private func tell(_ locked: inout Locked, _ thread: CurrentThread) {
        guard locked.revision != locked.told?.revision, let value = locked.value else { return }
        defer { locked.told = (locked.revision, value) }
        guard value != locked.told?.value else { return }
        let news = Parcel(value)
        for sink in locked.sinks { sink.receive(news, on: thread) }
    }
}
