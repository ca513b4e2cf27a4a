/// Notifies observers of single groups of a table in a ``LocalStore``. ``LocalTable/groups(_:)``
/// makes one.
public final class LocalGroups<State, Grouping: IndexGrouping> {
    private let store: LocalStore<State>
    private let routes: LocalGroupRoutes<State, Grouping>

    init(_ store: LocalStore<State>, _ routes: LocalGroupRoutes<State, Grouping>) {
        self.store = store
        self.routes = routes
    }

    /// Calls `handler` at once with the current state, then after every commit that touched a
    /// group: an entity came into the group, left it, or changed within it.
    ///
    /// - Returns: The subscription. Dropping it ends the observation.
    /// - Complexity: O(1).
    public func observe(
        _ group: Grouping.Group,
        _ handler: @escaping (Changes<State>) -> Void
    ) -> LocalSubscription {
        let observer = LocalObserver(after: store.version, handler)
        let token = routes.observers.routes.add(observer, for: group)
        store.introduce { handler($0) }
        return LocalSubscription { [routes] in
            observer.cancel()
            routes.observers.routes.remove(token, for: group)
        }
    }
}

/// The observers that a hub and a ``LocalGroups`` share.
final class LocalGroupRoutes<State, Grouping: IndexGrouping> {
    var observers = GroupObservers<Grouping, LocalObserver<Changes<State>>>()

    func takeTouched() -> [LocalObserver<Changes<State>>] {
        var concerned: [LocalObserver<Changes<State>>] = []
        observers.forEachTouched { concerned.append($1) }
        return concerned
    }
}
