/// Tells observers of single groups of a table in a ``LocalStore``; made by
/// ``LocalTable/groups(_:)``.
public final class LocalGroups<State, Grouping: IndexGrouping> {
    private let store: LocalStore<State>
    private let routes: LocalGroupRoutes<State, Grouping>

    init(_ store: LocalStore<State>, _ routes: LocalGroupRoutes<State, Grouping>) {
        self.store = store
        self.routes = routes
    }

    /// Calls `handler` at once with the state as it is, and then after every commit by which an
    /// entity came into the group, left it, or changed while in it.
    ///
    /// - Returns: what keeps the observation going; dropping it ends it.
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

/// What a hub and a ``LocalGroups`` share.
final class LocalGroupRoutes<State, Grouping: IndexGrouping> {
    var observers = GroupObservers<Grouping, LocalObserver<Changes<State>>>()

    func takeTouched() -> [LocalObserver<Changes<State>>] {
        var concerned: [LocalObserver<Changes<State>>] = []
        observers.forEachTouched { concerned.append($1) }
        return concerned
    }
}
