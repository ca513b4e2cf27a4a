public import StoreCore

/// A table with observed entities or groups, as its store sees it.
@usableFromInline
final class TableSink: Sink {
    let path: any AnyKeyPath & Sendable
    /// The `TableHub` of the table.
    let hub: any AnyObject & Sendable
    private let tell: @Sendable (any News, CurrentThread) -> Void
    private let hasNoObservers: @Sendable () -> Bool

    @usableFromInline
    init(
        _ path: any AnyKeyPath & Sendable,
        hub: any AnyObject & Sendable,
        hasNoObservers: @escaping @Sendable () -> Bool,
        tell: @escaping @Sendable (any News, CurrentThread) -> Void
    ) {
        self.path = path
        self.hub = hub
        self.hasNoObservers = hasNoObservers
        self.tell = tell
    }

    var isEmpty: Bool { hasNoObservers() }

    @usableFromInline
    func receive(_ news: any News, on thread: CurrentThread) {
        tell(news, thread)
    }
}

/// The observers of one table's entities and groups. Each change goes to its own observers alone.
///
/// Used under the lock of its store.
@usableFromInline
final class TableHub<E: Entity & Sendable>: Sendable {
    @usableFromInline typealias Observers = EntityObservers<E, Inbox>

    @usableFromInline
    struct Locked: Sendable {
        @usableFromInline var entities = Observers()
        /// One for each grouping with observed groups.
        @usableFromInline var groupings: [ObservedGrouping<E>] = []

        @inlinable
        init() {}
    }

    @usableFromInline let lock = OwnedLock(Locked())

    @inlinable
    init() {}

    @inlinable
    var isEmpty: Bool {
        lock.withLock(on: CurrentThread()) { $0.entities.isEmpty && $0.groupings.isEmpty }
    }

    /// - Parameters:
    ///   - news: The commit, for the observers of groups.
    ///   - difference: Calls its argument with each change of the table.
    @inlinable
    func tell(
        _ news: any News,
        on thread: CurrentThread,
        difference: ((EntityChange<E>) -> Void) -> Void
    ) {
        lock.withLock(on: thread) { locked in
            difference { change in
                locked.entities.forEach(of: change) { inbox in
                    inbox.receive(Parcel(change), on: thread)
                }
                for grouping in locked.groupings { grouping.record(change, thread) }
            }
            for grouping in locked.groupings { grouping.tell(news, thread) }
        }
    }

    @inlinable
    func add(_ inbox: Inbox, for id: EntityID<E>) -> Observers.Token {
        lock.withLock(on: CurrentThread()) { $0.entities.add(inbox, for: id) }
    }

    @inlinable
    func remove(_ token: Observers.Token, for id: EntityID<E>) {
        lock.withLock(on: CurrentThread()) { $0.entities.remove(token, for: id) }
    }

    @inlinable
    func grouping<Grouping: IndexGrouping<E>>(
        of _: Grouping.Type
    ) -> GroupingHub<Grouping> where Grouping.Group: Sendable {
        lock.withLock(on: CurrentThread()) { locked in
            for known in locked.groupings {
                if let known = known.hub as? GroupingHub<Grouping> { return known }
            }
            let hub = GroupingHub<Grouping>()
            locked.groupings.append(ObservedGrouping(hub))
            return hub
        }
    }

    @inlinable
    func removeEmptyGroupings() {
        lock.withLock(on: CurrentThread()) { $0.groupings.removeAll { $0.isEmpty() } }
    }
}

/// A grouping with observed groups, as its table sees it.
@usableFromInline
struct ObservedGrouping<E: Entity & Sendable>: Sendable {
    /// A `GroupingHub`.
    @usableFromInline let hub: any AnyObject & Sendable
    @usableFromInline let isEmpty: @Sendable () -> Bool
    @usableFromInline let record: @Sendable (EntityChange<E>, CurrentThread) -> Void
    @usableFromInline let tell: @Sendable (any News, CurrentThread) -> Void

    @inlinable
    init<Grouping: IndexGrouping<E>>(_ hub: GroupingHub<Grouping>) {
        self.hub = hub
        isEmpty = { hub.isEmpty }
        record = { hub.record($0, on: $1) }
        tell = { hub.tell($0, on: $1) }
    }
}

/// The observers of the groups of one grouping.
@usableFromInline
final class GroupingHub<Grouping: IndexGrouping>: Sendable where Grouping.Group: Sendable {
    @usableFromInline typealias Observers = GroupObservers<Grouping, Inbox>
    @usableFromInline typealias Token = ObserverRoutes<Grouping.Group, Inbox>.Token

    @usableFromInline let lock = OwnedLock(Observers())

    @inlinable
    init() {}

    @inlinable
    var isEmpty: Bool {
        lock.withLock(on: CurrentThread()) { $0.routes.isEmpty }
    }

    @inlinable
    func record(_ change: EntityChange<Grouping.Entity>, on thread: CurrentThread) {
        lock.withLock(on: thread) { $0.record(change) }
    }

    @inlinable
    func tell(_ news: any News, on thread: CurrentThread) {
        lock.withLock(on: thread) { observers in
            observers.forEachTouched { _, inbox in inbox.receive(news, on: thread) }
        }
    }

    @inlinable
    func add(_ inbox: Inbox, for group: Grouping.Group) -> Token {
        lock.withLock(on: CurrentThread()) { $0.routes.add(inbox, for: group) }
    }

    @inlinable
    func remove(_ token: Token, for group: Grouping.Group) {
        lock.withLock(on: CurrentThread()) { $0.routes.remove(token, for: group) }
    }
}
