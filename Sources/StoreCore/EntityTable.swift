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
            EntityTrie.find(id, hash: EntityTrie<E>.hash(of: id), in: root)
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
    @inline(__always)
    @discardableResult
    public mutating func insert(_ entity: E) -> E? {
        let (old, isChanged) = EntityTrie.put(entity, in: &root)
        if isChanged { maintained.update(EntityChange(old: old, new: entity)) }
        assert(old != nil || count > 1 || maintained.hasForgottenNone)
        return old
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
        guard let old = EntityTrie.find(id, hash: hash, in: root) else { return nil }
        var new = old
        let result = try body(&new)
        if new != old {
            precondition(new.id == id, "An update never changes the identifier of an entity.")
            EntityTrie.replace(with: new, id: id, hash: hash, in: &root)
            maintained.update(EntityChange(old: old, new: new))
        }
        return result
    }

    /// Removes an entity.
    ///
    /// - Returns: The entity; `nil` if the table had no such entity.
    /// - Complexity: O(log n) and the cost of the indexes.
    @inlinable
    @inline(__always)
    @discardableResult
    public mutating func remove(_ id: EntityID<E>) -> E? {
        guard let old = EntityTrie.take(id, from: &root) else { return nil }
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
}
