import Foundation
import OutboxCore

/// Watches a run from outside, for one promise.
protocol Checker {
    /// The promise.
    var name: String { get }

    /// Takes note of an observation.
    ///
    /// - Returns: The broken promise, in words; `nil` when the observation breaks none.
    mutating func problem(with observation: Observation, at time: Milliseconds) -> String?

    /// The promises that are broken at the end of the run, in words.
    func problemsAtEnd() -> [String]
}

extension Checker {
    func problemsAtEnd() -> [String] { [] }
}

/// Every promise.
func allCheckers() -> [any Checker] {
    [
        NothingLost(), NothingDoubled(), OrderKept(), WaitsNotCounted(), NothingUnsealed(),
        IdentifiersKept(), EverythingDrains(), AttemptedAlone(), HistoryAgrees(), TextsKept(),
        ChangesKept(), StampsFollow(), DevicesAgree(),
    ]
}

/// A wait that a server asked for is no failed attempt: an operation never counts more attempts
/// than have failed.
struct WaitsNotCounted: Checker {
    let name = "a wait that a server asked for is not counted as an attempt"

    private var failures: [OperationID: UInt32] = [:]

    mutating func problem(with observation: Observation, at time: Milliseconds) -> String? {
        switch observation {
        case .attemptEnded(let id, .failed):
            failures[id, default: 0] += 1
        case .attempted(let id, let count, _) where count > failures[id, default: 0]:
            return "an operation counts \(count) failures after \(failures[id, default: 0])"
        default: break
        }
        return nil
    }
}

/// A memo keeps the one identifier that it was given, whatever happens: on the wire and in the mail.
struct IdentifiersKept: Checker {
    let name = "an identifier is never made anew"

    private var bodies: [OperationID: [UInt8]] = [:]
    private var ids: [[UInt8]: OperationID] = [:]

    mutating func problem(with observation: Observation, at time: Milliseconds) -> String? {
        guard case .requested(let id, let body) = observation else { return nil }
        if let known = bodies.updateValue(body, forKey: id), known != body {
            return "two memos were sent under one identifier"
        }
        if let known = ids.updateValue(id, forKey: body), known != id {
            return "one memo was sent under two identifiers"
        }
        return nil
    }
}

/// One process of a device at a time attempts a memo.
struct AttemptedAlone: Checker {
    let name = "one process at a time attempts a memo"

    private var attempting: [OperationID: String] = [:]

    mutating func problem(with observation: Observation, at time: Milliseconds) -> String? {
        switch observation {
        case .attempted(let id, _, let process):
            guard let other = attempting.updateValue(process, forKey: id) else { return nil }
            return "\(other) and \(process) attempt a memo at once"
        case .attemptEnded(let id, _), .attemptAbandoned(let id): attempting[id] = nil
        default: break
        }
        return nil
    }
}

/// A person who takes a disk out reads no memo and no setting, and finds no address.
struct NothingUnsealed: Checker {
    let name = "nothing is unsealed at rest"

    private let secrets = [WrittenMemo.canary, SharedEdit.canary, World.address].map {
        Data($0.utf8)
    }

    mutating func problem(with observation: Observation, at time: Milliseconds) -> String? {
        guard case .atRest(let disk, let bytes) = observation else { return nil }
        for bytes in bytes where secrets.contains(where: { Data(bytes).range(of: $0) != nil }) {
            return "a memo, a setting or an address can be read on the disk of \(disk)"
        }
        return nil
    }
}

/// Once faults are over, every queued operation is delivered, in a time that the retry policies
/// bound.
struct EverythingDrains: Checker {
    let name = "everything drains once faults are over"

    mutating func problem(with observation: Observation, at time: Milliseconds) -> String? {
        guard case .rested(let onDevices, let atRelay) = observation, onDevices + atRelay > 0 else {
            return nil
        }
        return "\(onDevices) operations are still queued on devices, \(atRelay) at the relay"
    }
}
