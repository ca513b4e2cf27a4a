import Store
import StoreCore
import Synchronization

/// Checks the deliveries of one subscription.
final class Watcher: Sendable {
    private struct Seen: Sendable {
        var version: UInt64?
        var commits = 0
        var isOver = false
        var count = 0
    }

    private let seen = Kept(Seen())
    private let isInside = Atomic(false)
    private let report: @Sendable (String) -> Void

    init(report: @escaping @Sendable (String) -> Void) {
        self.report = report
    }

    var deliveries: Int { seen.withLock { $0.count } }

    /// The version of the last delivery.
    var version: UInt64? { seen.withLock { $0.version } }

    /// Called when `cancel` has returned.
    func end() {
        if isInside.load(ordering: .acquiring) { report("cancel returned during a delivery") }
        seen.withLock { $0.isOver = true }
    }

    /// - Parameter isMerged: Whether deliveries may stand for several commits.
    func see(_ changes: Changes<World>, isMerged: Bool) {
        alone {
            if !changes.current.isWhole { report("a state was seen in the middle of a commit") }
            if changes.computed.sumOfCells != changes.current.sum
                || changes.previousComputed?.sumOfCells != changes.previous?.sum
            {
                report("a computed property had the value of another state")
            }
            if changes.current.commits != Int(changes.version) { report("a version was skipped") }
            seen.withLock { seen in
                if let last = seen.version {
                    if changes.version <= last { report("an update came twice, or too late") }
                    if !isMerged, changes.version != last + 1 { report("an update was lost") }
                    if changes.previous?.commits != seen.commits { report("a gap in the states") }
                } else if changes.previous != nil {
                    report("the current value did not come first")
                }
                seen.version = changes.version
                seen.commits = changes.current.commits
            }
        }
    }

    /// A value that only grows.
    func see(value: Int) {
        alone {
            seen.withLock { seen in
                if let last = seen.version, UInt64(value) <= last {
                    report("a Derived went back, or told a value twice")
                }
                seen.version = UInt64(value)
            }
        }
    }

    /// The changes of one entity, each beginning where the last one ended.
    func see(_ change: EntityChange<Cell>) {
        alone {
            seen.withLock { seen in
                if seen.version != nil, change.old?.value != seen.commits {
                    report("an entity's change was lost, doubled or put out of order")
                }
                seen.version = 0
                seen.commits = change.new?.value ?? 0
            }
        }
    }

    private func alone(_ body: () -> Void) {
        if isInside.exchange(true, ordering: .acquiringAndReleasing) {
            report("two deliveries of one subscription at the same time")
        }
        if seen.withLock({ $0.isOver }) { report("a delivery after cancel had returned") }
        seen.withLock { $0.count += 1 }
        body()
        isInside.store(false, ordering: .releasing)
    }
}
