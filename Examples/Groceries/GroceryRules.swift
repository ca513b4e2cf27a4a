import Foundation
import OfflineFirst
import SyncCore

/// The rules for the items of the list. An item has a name, and the number of pieces to buy.
struct GroceryRules: SyncRules {
    /// The strategies for two changes that meet, by the names of the command line.
    static let policies: [String: ConflictPolicy] = [
        "serverWins": .serverWins, "clientWins": .clientWins, "newerWins": .newerWins,
        "manual": .manual, "merge": .merge,
    ]

    let policy: ConflictPolicy

    func policy(for kind: [UInt8]) -> ConflictPolicy { policy }

    /// Two persons who each add to the number of pieces have both added to it.
    func merge(_ kind: [UInt8], base: [Field], mine: [Field], theirs: [Field]?) -> [Field]? {
        // Deleted by the other person: this one chooses.
        guard let theirs else { return nil }
        let fieldNames = Set((mine + theirs).map(\.name))
        return fieldNames.compactMap { name in
            let (old, my, their) = (base[name]?.value, mine[name]?.value, theirs[name]?.value)
            if name == Array("count".utf8) {
                let sum = number(my) + number(their) - number(old)
                return Field("count", "\(max(0, sum))")
            }
            return (my == old ? their : my).map { Field(name: name, value: $0) }
        }
    }

    private func number(_ text: [UInt8]?) -> Int {
        text.flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0
    }
}
