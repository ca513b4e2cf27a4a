/// A rule for a change that meets another change of the same record.
///
/// Two changes meet if the server has taken the other one first, and the person who made this one had
/// not seen it: the server says so by the row's version. They are compared by *unit*: a field, or a
/// declared group of fields, or the whole record for a deletion. Units that only one of them touches
/// never meet, under any policy.
///
/// | policy | an edit of a unit is lost only if |
/// |---|---|
/// | ``serverWins`` | the server took an unseen change of the unit first; the loss is told |
/// | ``clientWins`` | a later push overwrites it |
/// | ``newerWins`` | an unseen change of the unit has a later stamp; the loss is told |
/// | ``manual`` | a person chooses the other version |
/// | ``merge`` | the app's merge leaves the server's value in its place; the loss is told |
public enum ConflictPolicy: Hashable, Sendable {
    /// The change that reached the server first stays.
    case serverWins
    /// The change that reaches the server last stays.
    case clientWins
    /// The change with the later stamp stays.
    case newerWins
    /// Both versions are kept, and a person chooses.
    case manual
    /// The app merges them. A result that is not valid is not stored: a person chooses.
    case merge
}

/// An app's rules for its records. All of them must depend on their arguments alone.
public protocol SyncRules {
    /// Whether devices create records, whose identifiers are temporary until the server gives its own.
    ///
    /// An app whose records all have names from elsewhere answers `false`, and never calls
    /// ``SyncMachine/create(_:_:now:)``: a program as small as a web app's then has no code for them.
    static var hasCreations: Bool { get }

    /// Whether ``SyncMachine/shown`` is kept.
    ///
    /// An app that asks for records by their names, and observes none of them, answers `false`: the table
    /// is then empty, and a program has no code for it.
    static var keepsShown: Bool { get }

    /// The policy for the records of a kind. Also called for kinds that the app does not know.
    func policy(for kind: [UInt8]) -> ConflictPolicy

    /// The group of a field; `nil` for a field that stands alone. The fields of a group are decided
    /// together, and pushed together.
    func group(of field: [UInt8], in kind: [UInt8]) -> Int?

    /// The kind of the record whose identifier is the value of a field; `nil` for a field that refers
    /// to no record. A temporary identifier in such a field is replaced when the server has given its
    /// own, and the change waits for that.
    func reference(of field: [UInt8], in kind: [UInt8]) -> [UInt8]?

    /// Whether a record may have these fields. Asked before an edit is taken, and before the result
    /// of a merge is stored.
    func isValid(_ fields: [Field], in kind: [UInt8]) -> Bool

    /// Merges two versions of a record, for ``ConflictPolicy/merge``.
    ///
    /// - Parameters:
    ///   - kind: The kind of the record.
    ///   - base: The fields that the person saw.
    ///   - mine: The fields with the person's change.
    ///   - theirs: The server's fields; `nil` if the record was deleted there.
    /// - Returns: All fields of the merged record; `nil` to leave the choice to a person.
    func merge(
        _ kind: [UInt8],
        base: [Field],
        mine: [Field],
        theirs: [Field]?
    ) -> [Field]?
}

extension SyncRules {
    /// Devices create records.
    public static var hasCreations: Bool { true }

    /// The shown records are kept.
    public static var keepsShown: Bool { true }

    /// No groups.
    public func group(of field: [UInt8], in kind: [UInt8]) -> Int? { nil }

    /// No references.
    public func reference(of field: [UInt8], in kind: [UInt8]) -> [UInt8]? { nil }

    /// Everything is valid.
    public func isValid(_ fields: [Field], in kind: [UInt8]) -> Bool { true }

    /// Leaves every choice to a person.
    public func merge(
        _ kind: [UInt8],
        base: [Field],
        mine: [Field],
        theirs: [Field]?
    ) -> [Field]? { nil }
}
