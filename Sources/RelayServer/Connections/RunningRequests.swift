import Synchronization

/// The number of requests that have a task.
final class RunningRequests: Sendable {
    private let count = Atomic(0)

    var isEmpty: Bool { count.load(ordering: .acquiring) == 0 }

    func begun() {
        count.add(1, ordering: .relaxed)
    }

    func ended() {
        count.subtract(1, ordering: .releasing)
    }
}
