import OutboxCore
import SyncCore
import Synchronization

/// The requests of one process, counted for a person.
final class SyncProgress: Sendable {
    /// A sort of request: the failure of one does not hide that of the other.
    enum Sort: Hashable, Sendable {
        case pull, push
    }

    fileprivate struct Seen: Sendable {
        var underWay = 0
        var failures: [Sort: SyncFailure] = [:]
        var latest: Sort?
        var isPulling = false
        var hasPulled = false
        var state = SyncState()
    }

    let states = LatestValue<SyncState>()
    fileprivate let seen = Mutex(Seen())

    /// Notes that a request begins.
    func began() { seen.withLock { $0.underWay += 1 } }

    /// Notes that a request has ended; `nil`: with an answer that is stored.
    func ended(_ sort: Sort, _ failure: SyncFailure?) {
        seen.withLock { seen in
            seen.underWay -= 1
            seen.note(sort, failure)
        }
    }

    /// Notes a failure without a request.
    func failed(_ sort: Sort, _ failure: SyncFailure) {
        seen.withLock { $0.note(sort, failure) }
    }

    /// Notes that a run begins, which has pulled nothing yet.
    func runBegan() { seen.withLock { $0.hasPulled = false } }

    /// Notes that a pull of everything that the server has begins.
    func pullBegan() { seen.withLock { $0.isPulling = true } }

    /// Notes that a pull has ended.
    func pullEnded(_ failure: SyncFailure?) {
        seen.withLock { seen in
            seen.isPulling = false
            if failure == nil { seen.hasPulled = true }
        }
    }

    /// Whether the run has pulled everything once, and no pull is under way.
    var hasPulled: Bool { seen.withLock { $0.hasPulled && !$0.isPulling } }

    func setElsewhere(_ isElsewhere: Bool) { seen.withLock { $0.state.isElsewhere = isElsewhere } }

    /// The state, with numbers of the storage.
    func state<Rules>(counting records: SyncedRecords<Rules>) -> SyncState {
        let counts = try? records.counts()
        let lastPulled = records.snapshot.lastPulled
        return seen.withLock { seen in
            if let counts {
                seen.state.pendingChanges = counts.pending
                seen.state.refusedChanges = counts.refused
            }
            seen.state.lastSynced = lastPulled
            seen.state.isSyncing = seen.underWay > 0
            seen.state.lastError = seen.latest.flatMap { seen.failures[$0] }
            return seen.state
        }
    }
}

extension SyncProgress.Seen {
    fileprivate mutating func note(_ sort: SyncProgress.Sort, _ failure: SyncFailure?) {
        failures[sort] = failure
        if failure != nil {
            latest = sort
        } else if latest == sort {
            latest = failures.keys.first
        }
    }
}
