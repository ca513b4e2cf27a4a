public import Outbox
public import OutboxCore
import Synchronization

extension FileStorage {
    public func eligible(at now: WallTime, limit: Int) throws -> EligibleRecords {
        try reading { state, index in
            var index = index
            while true {
                let entries = try eligible(at: now, limit: limit, in: index, &state)
                if let entries {
                    let isAll = entries.count < limit
                    let next = isAll ? state.index?.nextDue(after: now) : nil
                    return EligibleRecords(entries: entries, nextEligibleAt: next)
                }
                index = state.index ?? QueueIndex()
            }
        }
    }

    /// - Returns: `nil` when the index had to be corrected, so that a lane may have another front.
    private func eligible(
        at now: WallTime,
        limit: Int,
        in index: QueueIndex,
        _ state: inout State
    ) throws -> [StoredEntry]? {
        var entries: [StoredEntry] = []
        var isCorrected = false
        for due in index.queue.values(after: nil) {
            guard due.time <= now, entries.count < limit else { break }
            let name = FileName.operation(due.id)
            guard let number = index.number(of: name) else { continue }
            if let entry = try current(name, number, .queued, &state) {
                entries.append(entry)
            } else {
                isCorrected = true
            }
        }
        return isCorrected ? nil : entries
    }

    public func entries(
        in state: OperationState,
        after last: EntryID?,
        limit: Int
    ) throws -> [StoredEntry] {
        let listed = state
        return try reading { state, index in
            var entries: [StoredEntry] = []
            for number in index.numbers(in: listed, after: last?.rawValue) {
                guard entries.count < limit else { break }
                guard let name = index.name(of: number) else { continue }
                if let entry = try current(name, number, listed, &state) { entries.append(entry) }
            }
            return entries
        }
    }

    public func entries(
        waitingFor cause: WaitCause,
        beyond moment: WallTime,
        limit: Int
    ) throws -> [StoredEntry] {
        try reading { state, index in
            var entries: [StoredEntry] = []
            for due in index.waits(beyond: moment) {
                guard entries.count < limit else { break }
                let name = FileName.operation(due.id)
                guard let number = index.number(of: name),
                    index.standing(of: number)?.waitCause == cause
                else { continue }
                if let entry = try current(name, number, .queued, &state) { entries.append(entry) }
            }
            return entries
        }
    }

    public func entry(for id: OperationID) throws -> StoredEntry? {
        try reading { state, index in
            let name = FileName.operation(id)
            guard let number = index.number(of: name) else { return nil }
            return try readEntry(
                name,
                number: number,
                heldFor: index.standing(of: number)?.heldFor,
                epochs: state.epochs
            )
        }
    }

    /// The number of entries in each state. O(1) once the folder has been listed.
    public func counts() throws -> OutboxCounts {
        try reading { _, index in
            OutboxCounts(
                queued: index.count(in: .queued),
                parked: index.count(in: .parked),
                quarantined: index.count(in: .quarantined)
            )
        }
    }

    /// Runs `body` on an index that knows the folder's content. `body` gets a copy, which stays as
    /// it is while the state's own index is corrected.
    private func reading<Result>(
        _ body: (inout State, QueueIndex) throws -> Result
    ) throws -> Result {
        try calling {
            try withState { state in
                try refresh(&state)
                return try body(&state, state.index ?? QueueIndex())
            }
        }
    }

    /// Reads an entry. If its state is not `expected` any more, corrects the index and returns
    /// `nil`.
    private func current(
        _ name: FileName,
        _ number: Int64,
        _ expected: OperationState,
        _ state: inout State
    ) throws -> StoredEntry? {
        let reason = state.index?.standing(of: number)?.heldFor
        let entry = try readEntry(name, number: number, heldFor: reason, epochs: state.epochs)
        guard let entry else {
            state.index?.remove(name)
            return nil
        }
        guard entry.state != expected else { return entry }
        // The head may be readable although the rest of the file is not.
        let isUnreadable = entry.envelope.isEmpty && entry.record.isEmpty
        let standing: QueueIndex.Standing =
            isUnreadable
            ? .unreadable(state.index?.standing(of: number))
            : try readStanding(name) ?? .quarantined
        state.index?.set(name, standing)
        return nil
    }

    /// Runs `body` on the state. `Mutex` alone rethrows typed errors only.
    func withState<Result>(_ body: (inout State) throws -> Result) throws -> Result {
        var result: Swift.Result<Result, any Error>?
        state.withLock { state in result = Swift.Result { try translating { try body(&state) } } }
        return try result!.get()
    }
}
