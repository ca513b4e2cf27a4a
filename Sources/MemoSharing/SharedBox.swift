import LibC
import MemoCore
public import MemoCourier
public import MemoKit
public import MemoSyncCore
import OfflineFirst
import Outbox
public import OutboxCore
import OutboxSQLite
import SQLite
import SyncCore
import WireCore

/// The settings, devices and statuses of memos that all devices of the person who is signed in share.
///
/// ```swift
/// let shared = try SharedBox(box: box, client: client)
/// let end = await shared.sync()
/// ```
///
/// ## Guarantees
/// - What a person has changed on this device is kept, sealed, until the relay has confirmed it or the
///   person gives it up: over restarts, crashes and signing out.
/// - Sending a memo neither opens nor reads these records. The settings that sending uses stand in the box;
///   each synchronisation brings both together, see ``sync(within:)``.
/// - Any process may open the records of a folder; one at a time talks to the relay.
public final class SharedBox: Sendable {
    /// The box of the device.
    public let box: MemoBox

    let records: SyncedRecords<SharedRules>
    let tables: SharedTables
    let owner: SharedOwner
    private let server: RelaySyncServer
    private let settings: SyncSettings

    /// Opens the records of the account that is signed in, and makes their database if it is missing.
    ///
    /// - Parameters:
    ///   - box: The box.
    ///   - client: The client that talks to the relay.
    /// - Throws: `MemoError`; ``/MemoKit/MemoError/noAccount`` where nobody is signed in.
    public convenience init(box: MemoBox, client: RelayClient) throws(MemoError) {
        guard let account = try box.account() else { throw .noAccount }
        try self.init(box: box, client: client, owner: SharedOwner(account))
    }

    init(
        box: MemoBox,
        client: RelayClient,
        owner: SharedOwner,
        settings: SyncSettings = SyncSettings()
    ) throws(MemoError) {
        self.box = box
        self.owner = owner
        do {
            let outbox = try Self.outbox(of: owner, in: box)
            tables = SharedTables(sealer: outbox.sealer)
            records = try SyncedRecords(in: outbox, rules: SharedRules(), named: "shared")
        } catch {
            throw Self.error(error, box)
        }
        server = RelaySyncServer(box: box, client: client, owner: owner)
        self.settings = settings
    }

    /// The database of an account: the first one that is the account's, or that nobody has yet.
    private static func outbox(
        of owner: SharedOwner,
        in box: MemoBox
    ) throws -> Outbox<SQLiteStorage> {
        var number = 1
        while true {
            let outbox = try box.outbox(at: box.folder.sharedRecords(number)) { _ in }
            let tables = SharedTables(sealer: outbox.sealer)
            let sealed = try tables.sealed(owner)
            let found = try outbox.storage.write { connection in
                try tables.prepare(connection)
                try tables.setOwner(sealed, in: connection)
                return try tables.owner(in: connection)
            }
            if found == owner { return outbox }
            number += 1
        }
    }

    /// Closes the records' files.
    public func close() async { await records.outbox.close() }

    static func error(_ error: any Error, _ box: MemoBox) -> MemoError {
        switch error {
        case let error as MemoError: error
        case SyncError.storage(let error): MemoError(error, folder: box.folder)
        case SyncError.keys(let error): MemoError(error, folder: box.folder)
        case SyncError.newerFormat: .databaseTooNew(box.folder.sharedRecords(1))
        default: MemoError(error, folder: box.folder)
        }
    }

    func translating<Result>(_ body: () throws -> Result) throws(MemoError) -> Result {
        do {
            return try body()
        } catch {
            throw Self.error(error, box)
        }
    }

    // MARK: Looking

    /// The number of changes of this device that the relay has not confirmed, of which some may wait for a
    /// person.
    public func pendingChanges() throws(MemoError) -> Int {
        try translating { try records.counts().pending }
    }

    /// The time of the last complete reading, by the relay's clock; `nil` before the first one.
    public var lastSynced: WallTime? { records.snapshot.lastPulled }

    /// The devices of the person, without those that this device has signed out: the newest first.
    public var devices: [SharedDevice] {
        records.snapshot.records(of: SharedKind.device.bytes)
            .compactMap { SharedDevice($0.key, $0.fields) }
            .sorted { ($1.createdAt, $0.id.description) < ($0.createdAt, $1.id.description) }
    }

    /// The device of an identifier, or of the beginning of one.
    ///
    /// - Throws: ``/MemoKit/MemoError/unknownDevice`` and ``/MemoKit/MemoError/ambiguousIdentifier``, for a
    ///   text that names no device, or several.
    public func device(named text: String) throws(MemoError) -> SharedDevice {
        let found = devices.filter { $0.id.starts(with: text.utf8) }
        guard !text.isEmpty, let device = found.first else { throw .unknownDevice }
        guard found.count == 1 else { throw .ambiguousIdentifier }
        return device
    }

    /// The relay's name of this device; `nil` before it has answered this object.
    public var thisDevice: [UInt8]? { server.asker.name }

    // MARK: Changing

    /// Signs a device of the person out: it is gone from ``devices`` at once, and the relay is told by the
    /// next ``sync(within:)``.
    ///
    /// - Throws: ``/MemoKit/MemoError/unknownDevice`` for a device that is not in ``devices``.
    public func revoke(_ device: SharedDevice) throws(MemoError) {
        do {
            try records.delete(.device(device.id))
        } catch SyncError.edit(.noSuchRecord) {
            throw .unknownDevice
        } catch {
            throw Self.error(error, box)
        }
    }

    /// Signs a device of the person out, as `revoke(_:)` of a device does.
    ///
    /// - Parameter id: The relay's opaque name of the device.
    /// - Throws: ``/MemoKit/MemoError/unknownDevice`` for a device that is not in ``devices``.
    public func revoke(_ id: [UInt8]) throws(MemoError) {
        guard let device = devices.first(where: { $0.id == id }) else { throw .unknownDevice }
        try revoke(device)
    }

    /// Gives up all changes that the relay has not confirmed, and everything that this device knows of the
    /// records: closes them, and removes their files. The account's own records are as they are.
    ///
    /// - Throws: `MemoError` for a file that cannot be removed.
    public func discard() async throws(MemoError) {
        let path = records.outbox.storage.path
        await close()
        // The database goes last: as long as it is there, another call finishes the work.
        for ending in ["-wal", "-shm", "-sync", "-drain", "-sync.shared", ""] {
            guard unlink(path + ending) == 0 || errno == ENOENT else {
                throw .folderUnusable(box.folder.path, code: errno)
            }
        }
    }

    // MARK: Synchronising

    /// The end of one synchronisation.
    public enum End: Hashable, Sendable {
        /// Everything is confirmed and read.
        case done
        /// A call failed: what is not confirmed stays, and is sent by the next synchronisation.
        case failed(ReasonCode)
        /// The time was over.
        case timedOut
    }

    /// Brings the settings of this device and the records together, sends what is not confirmed, and reads
    /// what the relay has, once. Stores the view that `memo` shows.
    ///
    /// - Parameter patience: The longest time.
    /// - Throws: `MemoError` when the box or the records cannot be used.
    public func sync(within patience: Milliseconds = .seconds(30)) async throws(MemoError) -> End {
        var end = End.done
        // What the first reading brings may lead to another change of this device, which is then sent.
        for _ in 0..<3 {
            _ = try reconcile()
            end = await exchange(within: patience)
            guard try reconcile(), end == .done else { break }
        }
        try publish()
        return end
    }

    /// Sends and reads once, and brings nothing together.
    func exchange(within patience: Milliseconds) async -> End {
        // One that has failed once tells of its failure until it succeeds. `sync(within:)` decides when to
        // begin, not the network.
        let manager = SyncManager(
            records,
            server: server,
            settings: settings,
            network: { AsyncStream { _ in } }
        )
        manager.wake()
        return await withTaskGroup(of: End?.self) { tasks in
            tasks.addTask {
                do throws(SyncFailure) {
                    try await manager.run(until: .idle)
                    return Task.isCancelled ? nil : .done
                } catch {
                    return .failed(error.reason)
                }
            }
            tasks.addTask {
                for await state in manager.states() {
                    if let error = state.lastError { return .failed(error.reason) }
                }
                return nil
            }
            tasks.addTask {
                await OutboxClock.system.sleep(patience)
                return Task.isCancelled ? nil : .timedOut
            }
            var end: End?
            while end == nil, let next = await tasks.next() { end = next }
            tasks.cancelAll()
            return end ?? .timedOut
        }
    }
}

extension SyncFailure {
    /// The type of the failure, for a log and a script.
    var reason: ReasonCode {
        switch self {
        case .offline: .unreachable
        case .timedOut: "network.timed-out"
        case .busy: "relay.http.429"
        case .server(let code): code
        case .failed, .stalled: .notOurAnswer
        case .records: "records.not-stored"
        }
    }
}
