/// A value with an identity that a state keeps many of: a memo, a device, a tag.
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
/// and observers are not notified. So compare every property that an observer may show.
public protocol Entity: Equatable {
    /// The value inside the identifier. Equal values must stay equal, and ordered alike, for ever.
    associatedtype RawID: Hashable & Comparable & Sendable

    /// The entity's identity. It never changes: an entity with another identifier is another
    /// entity.
    var id: EntityID<Self> { get }

    /// Spreads identifiers over the blocks of a table: equal identifiers give equal numbers, other
    /// identifiers mostly different numbers.
    ///
    /// The default is the standard library's seeded hash, which an attacker cannot make collide. A
    /// module for the web, where that hash is a third of the size of a table, can use the random
    /// bits of its identifiers instead.
    static func spread(_ rawID: RawID) -> UInt
}

extension Entity {
    /// The standard library's seeded hash.
    ///
    /// - Complexity: The cost of hashing an identifier.
    @inlinable
    public static func spread(_ rawID: RawID) -> UInt {
        UInt(bitPattern: rawID.hashValue)
    }
}

/// The identifier of an entity of one type. A memo's identifier cannot be taken for a device's.
public struct EntityID<E: Entity>: Hashable, Comparable, Sendable {
    /// The app's own identifier.
    public let rawValue: E.RawID

    /// Makes an identifier of the app's own.
    ///
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
