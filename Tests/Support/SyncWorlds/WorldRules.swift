package import SyncCore

/// The rules of the worlds: one kind for each policy, a group of two fields, and a reference.
package struct WorldRules: SyncRules, Hashable, Sendable {
    /// The kinds, by policy.
    package static let policies: [[UInt8]: ConflictPolicy] = [
        [0]: .serverWins, [1]: .clientWins, [2]: .newerWins, [3]: .manual, [4]: .merge,
    ]
    /// Field `a` stands alone, `g` and `h` are a group, `r` refers to a record of kind 0.
    package static let a: [UInt8] = [0x61]
    package static let b: [UInt8] = [0x62]
    package static let g: [UInt8] = [0x67]
    package static let h: [UInt8] = [0x68]
    package static let r: [UInt8] = [0x72]

    package init() {}

    package static func group(of field: [UInt8]) -> Int? { field == g || field == h ? 1 : nil }

    package func policy(for kind: [UInt8]) -> ConflictPolicy { Self.policies[kind] ?? .serverWins }
    package func group(of field: [UInt8], in kind: [UInt8]) -> Int? { Self.group(of: field) }
    package func reference(of field: [UInt8], in kind: [UInt8]) -> [UInt8]? {
        field == Self.r ? [0] : nil
    }
    /// A merge may make values of more than three bytes, which are not valid.
    package func isValid(_ fields: [Field], in kind: [UInt8]) -> Bool {
        fields.allSatisfy { $0.value.count <= 3 || $0.name == Self.r }
    }
    /// Joins the values of field `a`, and takes this device's other values.
    package func merge(
        _ kind: [UInt8],
        base: [Field],
        mine: [Field],
        theirs: [Field]?
    ) -> [Field]? {
        guard let theirs else { return mine }
        var merged = theirs.filter { their in !mine.contains { $0.name == their.name } }
        for value in mine {
            let their = theirs.first { $0.name == value.name }
            let old = base.first { $0.name == value.name }
            if let their, old == value {
                merged.append(their)
            } else if value.name == Self.a, let their, their != old {
                merged.append(Field(name: value.name, value: their.value + value.value))
            } else {
                merged.append(value)
            }
        }
        return merged
    }
}
