/// The name of a value in a cache: a place, such as the kind of the value, and the key within it.
///
/// Neither is sealed: do not put content into a place or a key.
public struct CacheKey: Hashable, Sendable {
    /// The longest place, in UTF-8 bytes.
    public static let maximumPlace = 255
    /// The longest ``bytes``.
    public static let maximumBytes = 1024

    /// The place, 1 to ``maximumPlace`` bytes in UTF-8.
    public let place: String
    /// The key within the place, at most ``maximumBytes`` bytes.
    public let bytes: [UInt8]

    /// Makes the name of a value. A cache refuses a name that is too long.
    public init(place: String, bytes: [UInt8]) {
        self.place = place
        self.bytes = bytes
    }

    /// Whether the lengths are within the limits.
    public var isValid: Bool {
        !place.isEmpty && place.utf8.count <= Self.maximumPlace
            && bytes.count <= Self.maximumBytes
    }
}

/// A number that orders requests and local changes, in all processes that use one cache: each is
/// greater than those that were taken before.
public struct CacheTicket: Hashable, Comparable, Sendable {
    /// The stored number, at least 1.
    public let rawValue: Int64

    /// Makes a ticket of its stored number. Only a cache makes tickets.
    public init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
