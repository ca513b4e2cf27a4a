public import Observation

/// The state of a value, or of a collection, that a SwiftUI view observes.
///
/// ```swift
/// struct ListView: View {
///     let list: ObservedState<GroceryList>  // lists.observed(7)
///
///     var body: some View {
///         Text(list.state.value?.title ?? "")
///         if list.state.failure != nil { Text("not up to date") }
///     }
/// }
/// ```
///
/// An observer that has read ``state`` is told of each later one, on the main actor. A state that comes
/// while the main actor is busy gives way to the next one. Outside of SwiftUI,
/// `withObservationTracking` and the sequence `Observations` observe it likewise.
@MainActor
public final class ObservedState<Value: Sendable>: Observable {
    private let registrar = ObservationRegistrar()
    private var current = RepositoryState<Value>(known: nil, isRefreshing: false, failure: nil)
    private var task: Task<Void, Never>?

    fileprivate init(_ states: AsyncStream<RepositoryState<Value>>) {
        task = Task { [weak self] in
            for await state in states { self?.show(state) }
        }
    }

    deinit { task?.cancel() }

    /// The latest state; nothing is known until the first one has been read. Reading it inside a view's
    /// `body` observes it.
    ///
    /// - Complexity: O(1).
    public var state: RepositoryState<Value> {
        registrar.access(self, keyPath: \.state)
        return current
    }

    private func show(_ state: RepositoryState<Value>) {
        registrar.withMutation(of: self, keyPath: \.state) { current = state }
    }
}

extension OfflineFirstRepository {
    /// A value for SwiftUI views, on the main actor.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - refreshing: Whether the value is refreshed now.
    /// - Returns: An observable object, which follows the value until the last reference to it is gone.
    @MainActor
    public func observed(_ key: Key, refreshing: Bool = true) -> ObservedState<Value> {
        ObservedState(states(of: key, refreshing: refreshing))
    }

    /// A collection for SwiftUI views, on the main actor.
    ///
    /// - Parameters:
    ///   - name: All values, or a group of a declared index.
    ///   - refreshing: Whether the collection is refreshed now.
    /// - Returns: An observable object, which follows the collection until the last reference to it is
    ///   gone.
    @MainActor
    public func observed(
        _ name: CollectionName,
        refreshing: Bool = true
    ) -> ObservedState<[Item]> {
        ObservedState(states(of: name, refreshing: refreshing))
    }
}
