public import Connectivity
public import ConnectivityCore
public import Observation
import SyncCore

/// The newest value of a sequence, on the main actor, that a SwiftUI view observes: the state of a
/// ``SyncManager``, the snapshot of ``SyncedRecords``, or the state of the network.
///
/// ```swift
/// struct SyncMark: View {
///     let sync: ObservedValue<SyncState>  // manager.observed()
///
///     var body: some View {
///         if sync.value.pendingChanges > 0 { Text("\(sync.value.pendingChanges) to send") }
///     }
/// }
/// ```
///
/// An observer that has read ``value`` is told of each later one, on the main actor. A value that comes
/// while the main actor is busy gives way to the next one. Outside of SwiftUI, `withObservationTracking` and
/// the sequence `Observations` observe it likewise.
@MainActor
public final class ObservedValue<Value: Sendable>: Observable {
    private let registrar = ObservationRegistrar()
    private var current: Value
    private var task: Task<Void, Never>?

    init(_ first: Value, _ values: some AsyncSequence<Value, Never> & Sendable) {
        current = first
        task = Task { [weak self] in
            for await value in values { self?.show(value) }
        }
    }

    deinit { task?.cancel() }

    /// The newest value. Reading it inside a view's `body` observes it.
    ///
    /// - Complexity: O(1).
    public var value: Value {
        registrar.access(self, keyPath: \.value)
        return current
    }

    private func show(_ value: Value) {
        registrar.withMutation(of: self, keyPath: \.value) { current = value }
    }
}

extension SyncManager {
    /// The state for views, on the main actor.
    ///
    /// - Returns: An observable object, which follows the state until the last reference to it is gone.
    @MainActor
    public func observed() -> ObservedValue<SyncState> { ObservedValue(state, states()) }
}

extension SyncedRecords {
    /// The records for views, on the main actor.
    ///
    /// - Returns: An observable object, which follows the records until the last reference to it is gone.
    @MainActor
    public func observed() -> ObservedValue<SyncSnapshot> {
        ObservedValue(snapshot, snapshots())
    }
}

extension NetworkMonitor {
    /// The state of the network for views, on the main actor: connected, until the system has told it.
    ///
    /// - Returns: An observable object, which follows the network until the last reference to it is gone.
    @MainActor
    public func observed() -> ObservedValue<NetworkState> {
        ObservedValue(NetworkState(isConnected: true, arrivals: 0), self)
    }
}
