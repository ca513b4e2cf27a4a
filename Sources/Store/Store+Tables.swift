public import StoreCore

extension Store {
    /// Calls `handler` with each change of one entity of a table, and with no other change.
    ///
    /// ```swift
    /// let subscription = store.sinkEntity(\.memos, id) { change in row.show(change.new) }
    /// ```
    ///
    /// If the table has the entity, the first delivery is an insertion of the entity as it is.
    /// Otherwise there is no delivery before the entity is inserted. Then follows every commit that
    /// made the entity unequal to the one before. Order, cancellation and executors are as in
    /// `sinkState`.
    ///
    /// - Parameters:
    ///   - path: The table.
    ///   - id: The entity, whether the table has it or not.
    ///   - executor: Where the handler runs.
    ///   - backlog: How changes wait that come faster than the handler takes them.
    ///   - handler: Called with each change of the entity.
    /// - Returns: The subscription. Keep it for as long as the handler is to be called.
    /// - Complexity: A commit takes the difference of the table once, in the time that its changes
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
            _ = self.alone { locked, _ in
                hub.remove(token, for: id)
                return locked.removeEmptyHubs()
            }
        }
    }

    /// Calls `handler` on the main actor with each change of one entity of a table. Order and
    /// cancellation are as with any other executor.
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

    /// Calls `handler` with the current state, then with each commit that touched one group of a
    /// table: an entity came into the group, left it, or changed within it.
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
    ///   - path: The table.
    ///   - index: The index of the table that makes the group.
    ///   - group: The group, whether it has entities or not.
    ///   - executor: Where the handler runs.
    ///   - backlog: How commits wait that come faster than the handler takes them.
    ///   - handler: Called with each commit that touched the group.
    /// - Returns: The subscription. Keep it for as long as the handler is to be called.
    /// - Complexity: As for `sinkEntity`.
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
            inbox.receive(locked.firstChanges(), on: thread)
            return (hub, grouping, grouping.add(inbox, for: group))
        }
        return Subscription(inbox) {
            _ = self.alone { locked, _ in
                grouping.remove(token, for: group)
                hub.removeEmptyGroupings()
                return locked.removeEmptyHubs()
            }
        }
    }

    /// Calls `handler` on the main actor with the current state, then with each commit that touched
    /// one group of a table. Order and cancellation are as with any other executor.
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
        if let known = locked.hub(at: path) as? TableHub<E> { return known }
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
        locked.add(sink)
        return hub
    }
}
