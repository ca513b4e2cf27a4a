import LibC
public import Outbox
import OutboxCore
import Synchronization

/// Stores operations in a folder, one file for each operation.
///
/// ```
/// FOLDER/operations/0193f0c0-…   one operation, named by its identifier
///        temporary/8c5f…         being written; swept when its writer has died
///        changes                 the latest changes, for other processes (ChangeRing)
///        waits                   the waits that are over (WaitEpochs)
///        lock  drain  used       the folder's lock, the drainer's role, the mark of first use
/// ```
///
/// ## Invariants
/// 1. A file appears in `operations` whole: it is written under `temporary`, synced, renamed, and
///    its folder synced before the caller hears of success. It is never written again, only
///    replaced in the same way.
/// 2. A file leaves `operations` only by ``settle(_:)``, by ``delete(_:)`` and when its insert,
///    which then throws, is taken back. Nothing is deleted because it cannot be read, and nothing
///    because of its name.
/// 3. A damaged file stays unchanged in its place. It is counted and listed as quarantined, and
///    does not affect any other entry.
/// 4. A name appears, changes or disappears only under the folder's lock, which no process holds
///    while it waits for a disk, except in ``endWaits(for:)``. So an identifier is taken once, and
///    a change cannot bring back an entry that was deleted meanwhile.
/// 5. Under that lock a change is published before it is made. A process that has read all
///    published changes under the lock knows the content of the folder.
/// 6. The index is only a cache: the storage checks the index's data about an entry against the
///    file when it hands the entry out.
/// 7. The writer of a temporary file holds a lock on it as long as the file has that name. A
///    temporary file that can be locked has no living writer.
/// 8. `changes` exists only after the folders themselves were synced.
///
/// ## Failures
/// | failure | effect |
/// |---|---|
/// | the process, or the power, during insert | whole or not at all; of several operations any part, each whole. Once `insert` has returned: all |
/// | the process while it writes | the next process that opens the folder sweeps the temporary file |
/// | the process between naming a file and syncing the folder | a drainer may already have attempted the operation |
/// | the power during a change | the entry as before or after it |
/// | the power after a removal | the operation may be back, as it was: one attempt more |
/// | no room, or a disk that became read-only | ``/Outbox/StorageError/diskFull``, ``/Outbox/StorageError/readOnly``; the temporary file is gone; removing still works |
/// | writing or syncing | ``/Outbox/StorageError/failed(code:)``, nothing changed. A file whose sync failed is not synced again but thrown away |
/// | naming one of several new files | the same; those before it are taken back |
/// | recording one of several outcomes | the same; those before it stay recorded, and all may be recorded again |
/// | syncing the folder | the same; an insert is taken back, a change stays visible and is to be repeated |
/// | taking an insert back | operations that a drainer has delivered meanwhile were stored: if these are all, `insert` succeeds; else it throws, and succeeds for these if they are inserted again. An operation that a drainer is attempting at that moment, or whose file cannot be removed, may be delivered although `insert` throws: it is never lost, and the other side recognises its repetition by the identifier |
/// | reading one file, or a name that is no text | that entry counts as quarantined until the next drain begins, or a person retries it; the others go on. If the entry had a place in a lane when it could be read, the lane waits: nothing overtakes it. An entry that could not be read from the start belongs to no lane; operations enqueued meanwhile come behind it all the same |
/// | a file longer than any can be (``maximumPayload``) | quarantined, handed out without its bytes |
/// | a head that is damaged or of a newer format | quarantined; ``requeue(_:as:)`` saves the parts that can still be told apart |
/// | a sealed record that is damaged | handed out as it is: its authentication decides; then quarantined |
/// | `changes` damaged or overwritten | the folder is listed again |
/// | `waits` damaged | waits end early |
/// | a process stopped under the lock | others wait ten seconds, then ``/Outbox/StorageError/busy`` |
///
/// ## Costs
/// `insert` syncs each file and, once, the folder; callers on several threads, and the operations
/// of one call, wait for the disk together. It reads no index, except for an operation with an
/// ordering key: its cost does not grow with the number stored. The first call that reads lists the
/// folder and reads the head of every file; from then on the index, about 150 bytes an entry and
/// 100 more for one in a lane, follows the changes of this and other processes.
///
/// Each open store gives entry numbers of its own: in the order of identifiers when it lists the
/// folder, then in the order of arrival. The order in a lane is that of insertion for every store:
/// each file has a number that was greater than all numbers in its lane when it was written ("lane
/// number" in docs/wire-format.md). A build that knew no lanes wrote no number: such files come
/// first in their lane, in the order of identifiers. The front of a lane is in the index, never
/// stored.
public final class FileStorage: OutboxStorage {
    struct State: Sendable {
        /// The index; `nil` until the first read.
        var index: QueueIndex?
        /// Whether the index missed changes, so that the folder must be listed again.
        var isStale = false
        /// The sequence number up to which the index knows all changes.
        var seen: UInt64 = 0
        var epochs = WaitEpochs()
        /// Operations that were delivered, or deleted, before their insert failed together with
        /// that of others. Inserting one of them again succeeds.
        var goneBeforeFailure: Set<OperationID> = []
    }

    /// The longest payload, in bytes: 64 MiB. An outbox may be given a smaller limit of its own.
    ///
    /// A file that is longer than one with such a payload can be was not written by this library.
    /// It is never read, so that a length that a damaged folder makes up costs no memory.
    public static let maximumPayload = 64 << 20

    let paths: FilePaths
    let files: Files
    let ring: ChangeRing
    let lock: OpenFile
    /// The longest time, in milliseconds, for which another process may hold the lock. A process
    /// needs it for microseconds.
    let patience: Int
    let state = Mutex(State())
    /// The calls under way. Every public method runs as one of them.
    let calls = CallsUnderWay()

    /// Opens the store in `folder`. Makes the folder with mode 0700 if it is missing; its parent
    /// must exist.
    ///
    /// Removes temporary files without a living writer. Does not list the operations.
    ///
    /// - Throws: ``/Outbox/StorageError``.
    public convenience init(folder: String) throws(StorageError) {
        try self.init(folder: folder, system: SystemFiles())
    }

    package init(
        folder: String,
        system: any FileSystem,
        patience: Int = 10_000
    ) throws(StorageError) {
        self.patience = patience
        paths = FilePaths(folder: folder)
        files = Files(system: system)
        do {
            try Self.prepare(paths, files)
            lock = try files.open(paths.lock, for: .shared)
        } catch {
            throw StorageError(opening: error)
        }
        do {
            ring = ChangeRing(files: files, file: try files.open(paths.changes, for: .shared))
        } catch {
            files.close(lock)
            throw StorageError(opening: error)
        }
        sweep()
    }

    deinit {
        close()
    }

    /// Closes the files that stay open between calls; see ``/Outbox/OutboxStorage/close()``.
    public func close() {
        calls.close {
            files.close(ring.file)
            files.close(lock)
        }
    }

    public func isUnused() throws -> Bool {
        try calling {
            // A lost mark must not lead to a second key while entries are sealed under the first.
            try !files.exists(paths.used) && operationNames().isEmpty
        }
    }

    public func markUsed() throws {
        try calling {
            files.close(try files.open(paths.used, for: .shared))
            try files.syncFolder(paths.folder)
        }
    }

    /// Finds nothing: in this storage damage always shows in an entry.
    public func damage(checkingUpTo limit: Int) throws -> [StorageDamage] {
        try calling { [] }
    }

    public func claimDrain() throws -> (any DrainClaim)? {
        try calling {
            let claim = FileClaim(file: try files.open(paths.drain, for: .shared), files: files)
            guard try claim.take() else { return nil }
            try withState { try lookAgain(&$0) }
            return claim
        }
    }

    /// Runs the body of a public method. Do not call this inside another public method.
    func calling<Result>(_ body: () throws -> Result) throws -> Result {
        try calls.run { try translating(body) }
    }

    private static func prepare(_ paths: FilePaths, _ files: Files) throws(FileError) {
        for folder in [paths.folder, paths.operations, paths.temporary] {
            try files.makeFolder(folder)
        }
        guard try !files.exists(paths.changes) else { return }
        try files.syncFolder(paths.folder)
        try files.syncFolder(paths.parent)
    }

    /// Removes the temporary files of dead writers. A file that cannot be removed is harmless; the
    /// next process that opens the folder tries again.
    private func sweep() {
        for name in (try? files.names(in: paths.temporary)) ?? [] {
            let path = paths.temporary(String(decoding: name, as: UTF8.self))
            guard let file = try? files.openIfThere(path) else { continue }
            if (try? files.tryLock(file)) == true { _ = try? files.remove(path) }
            files.close(file)
        }
    }
}

/// The drainer's role. The lock goes with the open file.
private final class FileClaim: DrainClaim {
    private let file: OpenFile
    private let files: Files

    init(file: OpenFile, files: Files) {
        self.file = file
        self.files = files
    }

    deinit {
        // A process that another thread is starting has the same file open until it runs its own
        // program, and would keep the lock.
        files.unlock(file)
        files.close(file)
    }

    func take() throws(FileError) -> Bool {
        try files.tryLock(file)
    }
}

/// The paths in a store's folder.
struct FilePaths: Sendable {
    let folder: String

    var operations: String { "\(folder)/operations" }
    var temporary: String { "\(folder)/temporary" }
    var changes: String { "\(folder)/changes" }
    var waits: String { "\(folder)/waits" }
    var lock: String { "\(folder)/lock" }
    var drain: String { "\(folder)/drain" }
    var used: String { "\(folder)/used" }

    var parent: String { "\(folder)/.." }

    /// - Throws: `EILSEQ` for a name that is not text.
    func operation(_ name: FileName) throws(FileError) -> String {
        guard let text = name.text else { throw FileError(code: EILSEQ) }
        return "\(operations)/\(text)"
    }

    func temporary(_ name: String) -> String { "\(temporary)/\(name)" }
}

extension StorageError {
    fileprivate init(opening error: FileError) {
        switch error.code {
        case ENOENT, ENOTDIR, EISDIR, ELOOP, ENAMETOOLONG: self = .cannotOpen
        default: self.init(error)
        }
    }
}

/// Runs `body`, with a ``/Outbox/StorageError`` in place of a ``FileError``.
func translating<Result>(_ body: () throws -> Result) throws -> Result {
    do {
        return try body()
    } catch let error as FileError {
        throw StorageError(error)
    }
}
