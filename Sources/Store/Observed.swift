public import Observation

/// A value of a store that a SwiftUI view observes: the view is drawn anew when the value that the
/// view has read changes, and at no other commit.
///
/// ```swift
/// struct Sign: View {
///     let isOpen: Observed<Bool>  // store.observed(\.isOpen)
///
///     var body: some View { Text(isOpen.value ? "open" : "closed") }
/// }
/// ```
///
/// Guarantees:
/// - ``value`` is the value after the latest commit, also inside the action that made the commit.
/// - An observer that has read ``value`` is told of the next change, on the main actor, soon after
///   the commit. Changes that come before the observer reads again are told once.
/// - A commit that leaves the value equal tells no observer.
///
/// Limit: an observer is told after the change, while observers of a class with `@Observable` are told
/// before it.
///
/// Outside of SwiftUI, `withObservationTracking` and the sequence `Observations` observe it likewise.
@MainActor
public final class Observed<Value: Sendable>: Observable {
    private let read: () -> Value
    private let registrar = ObservationRegistrar()
    private var subscription: Subscription?
    /// Whether somebody may have read the value since observers were told.
    private var isRead = false

    fileprivate init(
        _ read: @escaping () -> Value,
        _ subscribe: (@escaping @MainActor () -> Void) -> Subscription
    ) {
        self.read = read
        subscription = subscribe { [weak self] in self?.tell() }
    }

    /// The value after the latest commit. Reading it inside a view's `body` observes it.
    ///
    /// - Complexity: That of reading the ``Derived`` or the table.
    public var value: Value {
        registrar.access(self, keyPath: \.value)
        isRead = true
        return read()
    }

    private func tell() {
        guard isRead else { return }
        isRead = false
        registrar.withMutation(of: self, keyPath: \.value) {}
    }
}

extension Derived {
    /// The value for SwiftUI views, on the main actor.
    ///
    /// - Returns: An observable object. It keeps the derivation alive, and observes it until the last
    ///   reference to the object is gone.
    @MainActor
    public func observed() -> Observed<Value> {
        Observed {
            self.value
        } _: { tell in
            self.sinkValue(on: MainActor.shared, backlog: .merged) { _ in tell() }
        }
    }
}

extension Store {
    /// A part of the state for SwiftUI views, on the main actor: `store.observed(\.title)`.
    ///
    /// - Parameter path: The part. It is read under the store's lock, so it must be cheap.
    /// - Returns: As of ``Derived/observed()``.
    @MainActor
    public func observed<Value: Equatable & Sendable>(
        _ path: any KeyPath<State, Value> & Sendable
    ) -> Observed<Value> {
        derived(path).observed()
    }

    /// One entity of a table for SwiftUI views, on the main actor: the row of a list.
    ///
    /// - Parameters:
    ///   - path: The table.
    ///   - id: The entity, whether the table has it or not.
    /// - Returns: An observable object, whose value is `nil` while the table does not have the entity.
    /// - Complexity: As of `sinkEntity`: a commit costs nothing for the entities that it leaves alone.
    @MainActor
    public func observedEntity<E: Entity & Sendable, Indexes: EntityIndexes<E> & Sendable>(
        _ path: any KeyPath<State, EntityTable<E, Indexes>> & Sendable,
        _ id: EntityID<E>
    ) -> Observed<E?> {
        Observed {
            self.read { $0[keyPath: path][id] }
        } _: { tell in
            self.sinkEntity(path, id, on: MainActor.shared, backlog: .merged) { _ in tell() }
        }
    }
}
