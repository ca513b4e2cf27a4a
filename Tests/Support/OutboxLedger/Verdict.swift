package import Outbox
package import OutboxCore

/// The faults of a store, as counted against a ``Ledger``. All zero when all is well.
package struct Verdict: Hashable, Sendable, CustomStringConvertible {
    /// Promised, and not there.
    package var lost = 0
    /// There in another standing than promised; removed for good and back; out of its lane's order.
    package var misplaced = 0
    /// There under a right name with a wrong payload, or not to be opened.
    package var damaged = 0
    /// Never enqueued.
    package var unknown = 0
    /// Inserted together, and not all of them there.
    package var halves = 0

    package init() {}

    package var isClean: Bool { self == Verdict() }

    package var description: String {
        """
        lost \(lost), misplaced \(misplaced), damaged \(damaged), unknown \(unknown), \
        halves \(halves)
        """
    }

    package static func += (left: inout Verdict, right: Verdict) {
        left.lost += right.lost
        left.misplaced += right.misplaced
        left.damaged += right.damaged
        left.unknown += right.unknown
        left.halves += right.halves
    }
}

extension Ledger.Promise {
    package func standings(afterPowerCut: Bool) -> Set<Standing> {
        afterPowerCut ? standingsAfterPowerCut : standings
    }
}

/// Looks at everything in a store and compares it with what was promised.
///
/// - Parameters:
///   - now: The current time. An operation that is due by then is eligible.
///   - excused: Operations that a test has damaged: any standing will do but absence.
package func inspect(
    _ outbox: Outbox<some OutboxStorage>,
    _ promises: Ledger.Promises,
    at now: WallTime,
    afterPowerCut: Bool = false,
    excused: Set<OperationID> = []
) throws -> Verdict {
    var verdict = Verdict()
    var found: [OperationID: Standing] = [:]
    let eligible = try outbox.storage.eligible(at: now, limit: 1000).entries
    let eligibleIDs = Set(eligible.compactMap(\.operationID))
    for state in OperationState.allCases {
        for entry in try outbox.storage.entries(in: state, after: nil, limit: 1000) {
            guard let id = entry.operationID, promises[id] != nil else {
                verdict.unknown += 1
                continue
            }
            switch state {
            case .queued: found[id] = eligibleIDs.contains(id) ? .eligible : .waiting
            case .parked: found[id] = .parked
            case .quarantined: found[id] = .quarantined
            }
        }
    }
    let present = promises.batch.count { found[$0] != nil }
    if present > 0, present < promises.batch.count { verdict.halves += 1 }
    for lane in promises.lanes.values {
        let queued = lane.compactMap { found[$0] }.filter { $0 == .eligible || $0 == .waiting }
        if queued.dropFirst().contains(.eligible) { verdict.misplaced += 1 }
    }
    for (id, promise) in promises.operations {
        let standing = found[id] ?? .absent
        let allowed = promise.standings(afterPowerCut: afterPowerCut)
        if excused.contains(id) {
            if standing == .absent, !allowed.contains(.absent) { verdict.lost += 1 }
            continue
        }
        if !allowed.contains(standing) {
            if standing == .absent { verdict.lost += 1 } else { verdict.misplaced += 1 }
        }
        if standing != .absent, (try? outbox.open(id).payload) != promise.payload {
            verdict.damaged += 1
        }
    }
    return verdict
}
