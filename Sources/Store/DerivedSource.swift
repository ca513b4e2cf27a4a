/// A store, as the `Derived` values that stand on it see it.
protocol DerivedSource: AnyObject, Sendable {
    var clock: CommitClock { get }
    func checkNotInside(_ thread: CurrentThread)
    /// Has `dependent` deliver after each commit.
    func add(_ dependent: any Deliverable)
    func remove(_ dependent: any Deliverable)
}

extension Store: DerivedSource {
    func add(_ dependent: any Deliverable) {
        alone { locked, _ in locked.dependents.append(dependent) }
    }

    func remove(_ dependent: any Deliverable) {
        alone { locked, _ in locked.dependents.removeAll { $0 === dependent } }
    }
}
