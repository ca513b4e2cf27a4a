public import ConnectivityCore
public import Outbox
public import OutboxCore
public import SyncCore
import Synchronization

/// Sends the changes of ``SyncedRecords`` and pulls those of other devices.
///
/// ```swift
/// let manager = SyncManager(records, server: GroceryServer())
/// Task { try await manager.run() }                  // until the task is cancelled
/// for await state in manager.states() {
///     print(state.isSyncing, state.pendingChanges, state.lastSynced as Any)
/// }
/// ```
///
/// ## Guarantees
/// - **An error never confirms a change.** Only the server's answer for this change and this attempt does.
///   After a lost answer the server is asked for it before anything is sent again.
/// - **One run at a time**, in this process and in all others that have the database: a second ``run(_:until:)``
///   waits, and takes over when the first one ends or dies.
/// - **A queue cannot wedge.** A refused change keeps back the later changes of its record and those that
///   refer to a record that was not created, and nothing else. A change without its operation, which only a
///   damaged or edited outbox leaves, gets a new one at the next start.
/// - Changes of different records are sent at once, as many as the outbox allows; those of one record in
///   their order. The outbox's policy decides when a failed one is sent again.
///
/// ## Wakes
/// A run sends and pulls at its start; when the network returns; after each change of this process, and of
/// another within ``SyncSettings/recheck``; after ``wake()``; and in the foreground after each
/// ``SyncSettings/foregroundInterval``. A server that asks for a wait gets it.
public final class SyncManager<Rules: SyncRules & Sendable>: Sendable {
    /// The records.
    public let records: SyncedRecords<Rules>
    /// The settings.
    public let settings: SyncSettings

    let server: any SyncServer
    let network: @Sendable () -> AsyncStream<NetworkState>
    let progress: SyncProgress
    let wakes = SyncWakes()

    /// Makes a manager, which does nothing yet.
    ///
    /// - Parameters:
    ///   - records: The records.
    ///   - server: The server.
    ///   - settings: The settings.
    ///   - network: A function that makes the sequence of the network's states, for each run;
    ///     `NetworkMonitor` by default.
    public init(
        _ records: SyncedRecords<Rules>,
        server: some SyncServer,
        settings: SyncSettings = SyncSettings(),
        network: (@Sendable () -> AsyncStream<NetworkState>)? = nil
    ) {
        self.records = records
        self.server = server
        self.settings = settings
        self.network = network ?? Self.systemNetwork
        progress = SyncProgress()
    }

    /// Synchronises until the task is cancelled or, if `end` says so, everything is done. Drains the outbox
    /// meanwhile: no other drain of it can run. While another process has the run, this waits, and shows
    /// what that one stores.
    ///
    /// A task in the background that the system gives half a minute runs until ``SyncEnd/idle``, and is
    /// cancelled when its time is over.
    ///
    /// - Parameters:
    ///   - others: The handlers of the app's other operations in the same outbox.
    ///   - end: The condition under which the run ends.
    /// - Throws: ``SyncFailure/records(_:)`` when the storage was closed, or a newer build has written the
    ///   records. Nothing else ends a run.
    public func run(
        _ others: [OperationKind: OperationHandler] = [:],
        until end: SyncEnd = .cancelled
    ) async throws(SyncFailure) {
        try await runAlone(others, until: end)
    }

    /// Begins a pull now, and sends the changes that wait for the network: a person asked for it. Deletes
    /// nothing, and skips no wait that the server asked for.
    public func wake() {
        records.outbox.networkReturned()
        wakes.hurry()
    }

    /// Pulls everything from the beginning; what the server no longer has goes. No change is given up.
    public func pullEverything() { wakes.pullEverything() }

    /// Tells whether the app is in the foreground, where it pulls also without a reason. It is at first.
    public func setForeground(_ isForeground: Bool) { wakes.setForeground(isForeground) }

    /// The present state.
    ///
    /// - Complexity: O(records with changes), in the storage. If that cannot be read, the numbers are those
    ///   of the last time.
    public var state: SyncState { progress.state(counting: records) }

    /// The states: the present one first, then each later one. A slow consumer misses states in between and
    /// gets the newest. The sequence ends with this object.
    public func states() -> AsyncStream<SyncState> {
        progress.states.stream(beginningWith: { state })
    }
}
