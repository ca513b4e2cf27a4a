/// Something with an identity, of which a state keeps many: a memo, a device, a tag.
///
/// ```swift
/// struct Memo: Entity {
///     let id: EntityID<Memo>
///     var text: [UInt8]
///     typealias RawID = UInt64
/// }
/// ```
///
/// Equality decides what counts as a change: writing an entity over an equal one is not a change,
/// and nobody hears of it. So compare every property that anybody may want to see.
public protocol Entity: Equatable {
    /// What the identifier is made of. Equal values must stay equal, and ordered alike, for ever.
    associatedtype RawID: Hashable & Comparable & Sendable

    /// Who this is. It never changes; an entity with another identifier is another entity.
    var id: EntityID<Self> { get }

    /// Spreads identifiers over the blocks of a table: equal ones give equal numbers, others mostly
    /// different ones.
    ///
    /// Unless an entity says otherwise it is the standard library's seeded hash, which nobody can
    /// make collide on purpose. A module for the web, where that hash is a third of the size of a
    /// table, does with the random bits of its identifiers.
    static func spread(_ rawID: RawID) -> UInt
}

extension Entity {
    /// - Complexity: that of hashing an identifier.
    @inlinable
    public static func spread(_ rawID: RawID) -> UInt {
        UInt(bitPattern: rawID.hashValue)
    }
}

/// The identifier of an entity of one type: that of a memo cannot be taken for that of a device.
public struct EntityID<E: Entity>: Hashable, Comparable, Sendable {
    /// What the app calls the entity by.
    public let rawValue: E.RawID

    /// - Complexity: O(1).
    @inlinable
    public init(_ rawValue: E.RawID) {
        self.rawValue = rawValue
    }

    @inlinable
    public static func == (left: Self, right: Self) -> Bool {
        left.rawValue == right.rawValue
    }

    @inlinable
    public static func < (left: Self, right: Self) -> Bool {
        left.rawValue < right.rawValue
    }

    @inlinable
    public func hash(into hasher: inout Hasher) {
        rawValue.hash(into: &hasher)
    }
}
