import OutboxCore

/// The memos of one lane are attempted one at a time, and accepted in the order in which they were
/// sent. A memo that waits for a person lets the others pass, or not, as its lane's policy says.
///
/// A memo whose file a process could not read since its start belongs to no lane in that process,
/// as `FileStorage` says: the lane is unknown, and a disk that never reads the file again must not
/// hold up all lanes. Once a process knows the memo, nothing overtakes it any more.
struct OrderKept: Checker {
    let name = "the order in a lane is kept"

    private struct Entry {
        let memo: WrittenMemo
        /// Memos of the lane that were safe before this one was sent.
        let earlier: [OperationID]
        var isAcknowledged = false
        var isAccepted = false
        /// The person decides about the memo, or has: it has no place in the order any more.
        var isParked = false
        var mayBeOutOfOrder = false
    }

    private var entries: [OperationID: Entry] = [:]
    private var inFlight: [Lane: OperationID] = [:]
    private var files: [String: Files] = [:]

    /// A process's knowledge of the memos' files.
    private struct Files {
        var known: Set<OperationID> = []
        var unreadable: Set<OperationID> = []
    }

    private struct Lane: Hashable {
        let device: Int
        let lane: Int
    }

    mutating func problem(with observation: Observation, at time: Milliseconds) -> String? {
        switch observation {
        case .sendPressed(let memo):
            guard let id = memo.id, let lane = Self.lane(of: memo) else { return nil }
            let earlier = entries.filter {
                Self.lane(of: $0.value.memo) == lane && $0.value.isAcknowledged
            }
            entries[id] = Entry(memo: memo, earlier: earlier.keys.sorted())
        case .acknowledged(let memo):
            if let id = memo.id { entries[id]?.isAcknowledged = true }
        case .processStarted(let process): files[process] = Files()
        case .fileRead(let id, let isRead, let process):
            if isRead {
                files[process]?.known.insert(id)
                files[process]?.unreadable.remove(id)
            } else if files[process]?.known.contains(id) == false {
                files[process]?.unreadable.insert(id)
            }
        case .attempted(let id, _, let process): return attempt(of: id, by: process)
        case .attemptEnded(let id, let end):
            if end == .refused { entries[id]?.isParked = true }
            leave(id)
        case .attemptAbandoned(let id): leave(id)
        case .accepted(let id): entries[id]?.isAccepted = true
        case .parked(let id): entries[id]?.isParked = true
        case .deleting(let id), .retrying(let id):
            entries[id]?.isParked = false
            entries[id]?.mayBeOutOfOrder = true
        default: break
        }
        return nil
    }

    private mutating func leave(_ id: OperationID) {
        if let lane = entries[id].flatMap({ Self.lane(of: $0.memo) }) { inFlight[lane] = nil }
    }

    private mutating func attempt(of id: OperationID, by process: String) -> String? {
        guard let entry = entries[id], let lane = Self.lane(of: entry.memo) else { return nil }
        if inFlight.updateValue(id, forKey: lane) != nil {
            return "two memos of a lane are attempted at once"
        }
        entries[id]?.isParked = false
        let blocks = entry.memo.lanePolicy == .blockLane
        for other in entry.earlier {
            guard let earlier = entries[other], !earlier.isAccepted, !earlier.mayBeOutOfOrder else {
                continue
            }
            if earlier.isParked, !blocks { continue }
            if files[process]?.unreadable.contains(other) == true { continue }
            return """
                memo \(entry.memo.number) is attempted before memo \(earlier.memo.number), \
                which \(earlier.isParked ? "blocks the lane" : "was sent earlier")
                """
        }
        return nil
    }

    private static func lane(of memo: WrittenMemo) -> Lane? {
        memo.lane.map { Lane(device: memo.device, lane: $0) }
    }
}
