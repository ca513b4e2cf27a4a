import Foundation
import OutboxCore

/// Nobody who takes a disk out reads a memo, or finds an address.
struct NothingUnsealed: Checker {
    let name = "nothing is unsealed at rest"

    private let secrets = [WrittenMemo.canary, World.address].map { Data($0.utf8) }

    mutating func problem(with observation: Observation, at time: Milliseconds) -> String? {
        guard case .atRest(let place, let bytes) = observation else { return nil }
        for bytes in bytes where secrets.contains(where: { Data(bytes).range(of: $0) != nil }) {
            return "a memo or an address can be read on the disk of \(place)"
        }
        return nil
    }
}
