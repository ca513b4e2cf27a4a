/// Notifies observers of single entities and of single groups of one table in a ``LocalStore``.
///
/// The table's difference is taken once for each commit, whatever the number of observers, and
/// notifies only the observers of changed entities and groups. Keep the `LocalTable` as long as its
/// observers: without it they are not notified.
///
/// ```swift
/// let memos = LocalTable(of: store) { $0.memos }
/// let byStatus = memos.groups(ByStatus.self)
/// let row = memos.observe(memo.id) { change in draw(change.new) }
/// let badge = byStatus.observe(.failed) { changes in drawBadge(changes.current) }
/// ```
public final class LocalTable<State, E: Entity, Indexes: EntityIndexes<E>> {
    private let store: LocalStore<State>
    private let table: (State) -> EntityTable<E, Indexes>
    private let hub = LocalHub<State, E>()
    private let subscription: LocalSubscription

    /// - Parameters:
    ///   - store: The store whose state has the table. The `LocalTable` keeps it alive.
    ///   - table: Selects the table; called twice for each commit.
    /// - Complexity: O(1).
    public init(
        of store: LocalStore<State>,
        _ table: @escaping (State) -> EntityTable<E, Indexes>
    ) {
        self.store = store
        self.table = table
        // The store refers to the hub alone, which refers to neither.
        subscription = store.observe { [hub] changes in
            guard let previous = changes.previous, hub.isObserved else { return }
            hub.deliver(changes) { table(changes.current).changes(since: table(previous), $0) }
        }
    }

    /// Calls `handler` at once with the insertion of the entity, if the table has it, then after
    /// every commit that inserts, changes or removes it.
    ///
    /// - Returns: The subscription. Dropping it ends the observation.
    /// - Complexity: O(log n).
    public func observe(
        _ id: EntityID<E>,
        _ handler: @escaping (EntityChange<E>) -> Void
    ) -> LocalSubscription {
        let observer = LocalObserver(after: store.version, handler)
        let token = hub.entities.add(observer, for: id)
        store.introduce { changes in
            if let entity = table(changes.current)[id] { handler(.inserted(entity)) }
        }
        return LocalSubscription { [hub] in
            observer.cancel()
            hub.entities.remove(token, for: id)
        }
    }

    /// The groups of one grouping, for observation. Each call makes another `LocalGroups`: call
    /// this once and keep the result.
    ///
    /// - Complexity: O(1).
    public func groups<Grouping: IndexGrouping<E>>(
        _: Grouping.Type
    ) -> LocalGroups<State, Grouping> {
        let routes = LocalGroupRoutes<State, Grouping>()
        hub.groups.append(
            LocalHub.Groups(
                record: { routes.observers.record($0) },
                touched: { routes.takeTouched() }
            )
        )
        return LocalGroups(store, routes)
    }
}

/// The observers of a table, found by the changed entities.
///
/// Observers are collected before the first is told, since a handler may add and cancel others.
final class LocalHub<State, E: Entity> {
    /// A grouping, whose type the hub does not know.
    struct Groups {
        let record: (EntityChange<E>) -> Void
        let touched: () -> [LocalObserver<Changes<State>>]
    }

    var entities = EntityObservers<E, LocalObserver<EntityChange<E>>>()
    var groups: [Groups] = []

    var isObserved: Bool { !entities.isEmpty || !groups.isEmpty }

    func deliver(
        _ changes: Changes<State>,
        difference: ((EntityChange<E>) -> Void) -> Void
    ) {
        var concerned: [(LocalObserver<EntityChange<E>>, EntityChange<E>)] = []
        difference { change in
            entities.forEach(of: change) { concerned.append(($0, change)) }
            for groups in groups { groups.record(change) }
        }
        for (observer, change) in concerned { observer.tell(change, of: changes.version) }
        for groups in groups {
            for observer in groups.touched() { observer.tell(changes, of: changes.version) }
        }
    }
}
