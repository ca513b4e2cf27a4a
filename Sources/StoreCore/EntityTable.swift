/// Entities by identifier, with indexes that follow every change. A table is a value; copying it is
/// free.
///
/// ```swift
/// struct State {
///     var memos = EntityTable<Memo, MemoIndexes>()
/// }
/// state.memos.insert(memo)
/// state.memos.update(memo.id) { $0.status = .delivered }
/// ```
///
/// A table is a hash trie. A copy shares all blocks; a later update of either table copies the one
/// path that it changes, so an old state may be kept and compared. A table that shares nothing is
/// updated in place. Writing an entity over an equal one changes nothing and copies nothing.
///
/// The order of iteration is unspecified, and differs from one run of the program to the next. Use
/// an ``OrderedIndex`` for an order.
///
/// Complexities take identifiers whose hashes collide only by chance; *n* is ``count``.
public struct EntityTable<E: Entity, Indexes: EntityIndexes<E>> {
    @usableFromInline var root: EntityNode<E>?

    @usableFromInline var maintained: Indexes

    /// An empty table.
    ///
    /// - Complexity: O(1).
    @inlinable
    public init() {
        root = nil
        maintained = Indexes()
    }

    /// A table of the given entities. Of entities with equal identifiers the last one stays.
    ///
    /// - Complexity: O(n log n).
    @inlinable
    public init(_ entities: some Sequence<E>) {
        self.init()
        for entity in entities { insert(entity) }
    }

    /// The indexes, as current as the entities.
    ///
    /// - Complexity: O(1).
    @inlinable
    public var indexes: Indexes { maintained }

    /// The number of entities.
    ///
    /// - Complexity: O(1).
    @inlinable
    public var count: Int { root?.head.weight ?? 0 }

    /// - Complexity: O(1).
    @inlinable
    public var isEmpty: Bool { root == nil }
}

// A block that two tables share is never written to.
extension EntityTable: @unchecked Sendable where E: Sendable, Indexes: Sendable {}

// MARK: - Single entities

extension EntityTable {
    /// The entity with an identifier; `nil` if the table has no such entity. Writing an entity
    /// inserts or replaces it; writing `nil` removes it.
    ///
    /// - Precondition: A written entity has the identifier `id`.
    /// - Complexity: O(log n); writing also the cost of the indexes.
    @inlinable
    public subscript(id: EntityID<E>) -> E? {
        get {
            find(id, hash: EntityTrie<E>.hash(of: id))
        }
        set {
            guard let newValue else {
                remove(id)
                return
            }
            precondition(newValue.id == id, "An entity is written to its own identifier.")
            insert(newValue)
        }
    }

    /// - Complexity: O(log n).
    @inlinable
    public func contains(_ id: EntityID<E>) -> Bool {
        self[id] != nil
    }

    /// Inserts an entity, replacing the entity with its identifier if there is one.
    ///
    /// - Returns: The replaced entity; `nil` if there was no such entity.
    /// - Complexity: O(log n) and the cost of the indexes.
    @inlinable
    @discardableResult
    public mutating func insert(_ entity: E) -> E? {
        let id = entity.id
        let hash = EntityTrie<E>.hash(of: id)
        if let old = find(id, hash: hash) {
            if old != entity { replace(old, with: entity, id: id, hash: hash) }
            return old
        }
        if root == nil {
            root = .leaf(count: 1, capacity: 1) { $0.initialize(to: entity) }
            maintained.update(EntityChange(old: nil, new: entity))
            assert(maintained.hasForgottenNone)
        } else {
            EntityTrie.insert(entity, id: id, hash: hash, shift: 0, in: &root!)
            maintained.update(EntityChange(old: nil, new: entity))
        }
        return nil
    }

    /// Changes an entity in place.
    ///
    /// An entity that `body` leaves equal is not a change. If `body` throws, the entity is as
    /// before.
    ///
    /// - Precondition: `body` leaves the identifier alone.
    /// - Returns: The result of `body`; `nil`, without calling it, if the table has no such entity.
    /// - Throws: The error of `body`.
    /// - Complexity: O(log n), and the cost of the indexes and of `body`.
    @inlinable
    @discardableResult
    public mutating func update<Result, Failure: Error>(
        _ id: EntityID<E>,
        _ body: (inout E) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        let hash = EntityTrie<E>.hash(of: id)
        guard let old = find(id, hash: hash) else { return nil }
        var new = old
        let result = try body(&new)
        if new != old {
            precondition(new.id == id, "An update never changes the identifier of an entity.")
            replace(old, with: new, id: id, hash: hash)
        }
        return result
    }

    /// Removes an entity.
    ///
    /// - Returns: The entity; `nil` if the table had no such entity.
    /// - Complexity: O(log n) and the cost of the indexes.
    @inlinable
    @discardableResult
    public mutating func remove(_ id: EntityID<E>) -> E? {
        let hash = EntityTrie<E>.hash(of: id)
        guard let old = find(id, hash: hash) else { return nil }
        if count == 1 {
            root = nil
        } else {
            EntityTrie.remove(id, hash: hash, shift: 0, from: &root!)
        }
        maintained.update(EntityChange(old: old, new: nil))
        return old
    }

    /// Removes all entities.
    ///
    /// - Complexity: O(1) if the entities are shared with another table, else O(n).
    @inlinable
    public mutating func removeAll() {
        self = Self()
    }

    // Not inlined: each operation would get a copy of its own, and a program for the web all of
    // them.
    @inlinable
    @inline(never)
    func find(_ id: EntityID<E>, hash: UInt) -> E? {
        guard let root else { return nil }
        return EntityTrie.find(id, hash: hash, under: root)
    }

    @inlinable
    @inline(never)
    mutating func replace(_ old: E, with new: E, id: EntityID<E>, hash: UInt) {
        EntityTrie.replace(with: new, id: id, hash: hash, shift: 0, in: &root!)
        maintained.update(EntityChange(old: old, new: new))
    }
}
