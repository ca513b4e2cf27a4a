public import StoreCore

extension Store {
    /// Calls `handler` with what happens to one entity of a table, and with nothing else.
    ///
    /// ```swift
    /// let subscription = store.sinkEntity(\.memos, id) { change in row.show(change.new) }
    /// ```
    ///
    /// If the table has the entity, the first delivery is its insertion, as it is now; otherwise
    /// there is none until it comes. Then follows every commit after which the entity is another one
    /// than before. Order, cancellation and executors are as in `sinkState`.
    ///
    /// - Parameters:
    ///   - path: the table.
    ///   - id: the entity, whether the table has it or not.
    ///   - executor: where the handler runs.
    ///   - backlog: what to do with changes that come faster than they are handled.
    ///   - handler: called with each change of the entity.
    /// - Returns: what keeps the handler being called.
    /// - Complexity: a commit takes the difference of the table once, in the time that its changes
    ///   cost, whatever the number of subscriptions to other entities.
    @inlinable
    public func sinkEntity<E: Entity & Sendable, Indexes: EntityIndexes<E> & Sendable>(
        _ path: any KeyPath<State, EntityTable<E, Indexes>> & Sendable,
        _ id: EntityID<E>,
        on executor: some DeliveryExecutor = .immediate,
        backlog: Backlog = .every,
        _ handler: @escaping @Sendable (EntityChange<E>) -> Void
    ) -> Subscription {
        let inbox = Inbox(executor: executor, merge: EntityChange<E>.merge(for: backlog)) { news in
            handler(Parcel<EntityChange<E>>.open(news))
        }
        let (hub, token) = alone { locked, thread in
            let hub = tableHub(path, in: &locked)
            if let entity = locked.state[keyPath: path][id] {
                inbox.receive(Parcel(EntityChange.inserted(entity)), on: thread)
            }
            return (hub, hub.add(inbox, for: id))
        }
        return Subscription(inbox) {
            self.alone { locked, _ in
                hub.remove(token, for: id)
                self.removeEmptyHubs(&locked)
            }
        }
    }

    /// The same, on the main actor.
    @inlinable
    public func sinkEntity<E: Entity & Sendable, Indexes: EntityIndexes<E> & Sendable>(
        _ path: any KeyPath<State, EntityTable<E, Indexes>> & Sendable,
        _ id: EntityID<E>,
        on actor: MainActor,
        backlog: Backlog = .every,
        _ handler: @escaping @MainActor (EntityChange<E>) -> Void
    ) -> Subscription {
        sinkEntity(path, id, on: .actor(actor), backlog: backlog) { change in
            MainActor.assumeIsolated { handler(change) }
        }
    }

    /// Calls `handler` with the state as it is, then with each commit that touched one group of a
    /// table: an entity came into it, left it, or changed while in it.
    ///
    /// ```swift
    /// let subscription = store.sinkGroup(\.memos, \.byStatus, .waiting) { changes in
    ///     list.show(changes.memos.indexes.byStatus[.waiting])
    /// }
    /// ```
    ///
    /// Order, cancellation and executors are as in `sinkState`.
    ///
    /// - Parameters:
    ///   - path: the table.
    ///   - index: the index of the table that makes the group.
    ///   - group: the group, whether it has entities or not.
    ///   - executor: where the handler runs.
    ///   - backlog: what to do with commits that come faster than they are handled.
    ///   - handler: called with each commit that touched the group.
    /// - Returns: what keeps the handler being called.
    /// - Complexity: as for `sinkEntity`.
    @inlinable
    public func sinkGroup<E, Indexes: EntityIndexes<E> & Sendable, Grouping: IndexGrouping<E>>(
        _ path: any KeyPath<State, EntityTable<E, Indexes>> & Sendable,
        _ index: KeyPath<Indexes, GroupedIndex<Grouping>>,
        _ group: Grouping.Group,
        on executor: some DeliveryExecutor = .immediate,
        backlog: Backlog = .every,
        _ handler: @escaping @Sendable (Changes<State>) -> Void
    ) -> Subscription where E: Entity & Sendable, Grouping.Group: Sendable {
        let inbox = Inbox(executor: executor, merge: Changes<State>.merge(for: backlog)) { news in
            handler(Changes<State>.open(news))
        }
        let (hub, grouping, token) = alone { locked, thread in
            let hub = tableHub(path, in: &locked)
            let grouping = hub.grouping(of: Grouping.self)
            inbox.receive(locked.firstChanges, on: thread)
            return (hub, grouping, grouping.add(inbox, for: group))
        }
        return Subscription(inbox) {
            self.alone { locked, _ in
                grouping.remove(token, for: group)
                hub.removeEmptyGroupings()
                self.removeEmptyHubs(&locked)
            }
        }
    }

    /// The same, on the main actor.
    @inlinable
    public func sinkGroup<E, Indexes: EntityIndexes<E> & Sendable, Grouping: IndexGrouping<E>>(
        _ path: any KeyPath<State, EntityTable<E, Indexes>> & Sendable,
        _ index: KeyPath<Indexes, GroupedIndex<Grouping>>,
        _ group: Grouping.Group,
        on actor: MainActor,
        backlog: Backlog = .every,
        _ handler: @escaping @MainActor (Changes<State>) -> Void
    ) -> Subscription where E: Entity & Sendable, Grouping.Group: Sendable {
        sinkGroup(path, index, group, on: .actor(actor), backlog: backlog) { changes in
            MainActor.assumeIsolated { handler(changes) }
        }
    }

    /// The hub that takes the difference of the table once for each commit.
    @inlinable
    func tableHub<E: Entity & Sendable, Indexes: EntityIndexes<E> & Sendable>(
        _ path: any KeyPath<State, EntityTable<E, Indexes>> & Sendable,
        in locked: inout Locked
    ) -> TableHub<E> {
        if let known = knownHub(path, in: locked) as? TableHub<E> { return known }
        let hub = TableHub<E>()
        let sink = TableSink(path, hub: hub) {
            hub.isEmpty
        } tell: { news, thread in
            let changes = Changes<State>.open(news)
            guard let previous = changes.previous else { return }
            hub.tell(news, on: thread) { body in
                changes.current[keyPath: path].changes(since: previous[keyPath: path], body)
            }
        }
        locked.hubs.append(sink)
        locked.sinks.append(sink)
        return hub
    }

    @usableFromInline
    func knownHub(_ path: any AnyKeyPath & Sendable, in locked: Locked) -> AnyObject? {
        locked.hubs.first { $0.path == path }?.hub
    }

    @usableFromInline
    func removeEmptyHubs(_ locked: inout Locked) {
        let empty = locked.hubs.filter(\.isEmpty)
        guard !empty.isEmpty else { return }
        locked.hubs.removeAll { hub in empty.contains { $0 === hub } }
        locked.sinks.removeAll { sink in empty.contains { $0 === sink } }
    }
}

extension EntityChange where E: Sendable {
    @inlinable
    static func merge(for backlog: Backlog) -> BacklogQueue.Merge? {
        switch backlog {
        case .every: nil
        case .merged:
            { older, newer in
                switch (Parcel<Self>.open(older).old, Parcel<Self>.open(newer).new) {
                case (let old?, let new?): Parcel(Self.updated(from: old, to: new))
                case (nil, let new?): Parcel(Self.inserted(new))
                case (let old?, nil): Parcel(Self.removed(old))
                case (nil, nil): nil
                }
            }
        }
    }
}
