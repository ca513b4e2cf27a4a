import Foundation
import Synchronization
import TemporaryFolders
import WatchedVFS

/// A folder in which a test sees what SQLite asks of the files, refuses it or leaves it out, and
/// knows what of them would survive a power cut.
package final class WatchedFolder: Sendable {
    /// The operations that SQLite asks for.
    package enum Request: Hashable, Sendable {
        case open, close, read, write, truncate, sync, length, lock, unlock, delete, access
        case mapSharedMemory, lockSharedMemory, syncFolder

        /// Whether a power cut before it differs from one after it.
        package var changesDisk: Bool {
            switch self {
            case .open, .write, .truncate, .sync, .delete, .syncFolder: true
            default: false
            }
        }

        package var canFail: Bool { self != .close && self != .unlock && self != .syncFolder }
    }

    package enum Answer: Sendable {
        case pass
        /// Of a sync: it is said to have happened, and a power cut tells.
        case leaveOut
        /// With an error code of SQLite. A write has then written its first half.
        case fail(Int32)
        /// With an input and output error, nothing done: who asks is dead.
        case refuse
    }

    package typealias Rule = @Sendable (Request, _ name: String) -> Answer

    package struct CannotWatch: Error {}

    /// The names of files that somebody has open.
    package struct InUse: Error {
        package let names: [String]
    }

    fileprivate struct State: Sendable {
        var disk: RecordedDisk
        var open: [Int32: Int] = [:]
        var rule: Rule?
        var beforeChange: (@Sendable (RecordedDisk) -> Void)?
    }

    private let folder: TemporaryFolder
    /// Without symbolic links, as SQLite names files.
    private let path: String
    private let state: Mutex<State>
    /// Set once, before anybody else has this object.
    private nonisolated(unsafe) var watch: OpaquePointer?

    /// - Parameter contents: The files that are there, durably, by name.
    package init(_ contents: [String: [UInt8]] = [:]) throws {
        folder = try TemporaryFolder(isInMemory: true)
        guard let resolved = realpath(folder.path, nil) else { throw CannotWatch() }
        path = String(cString: resolved)
        free(resolved)
        state = Mutex(State(disk: RecordedDisk(contents)))
        for (name, bytes) in contents { try write(bytes, to: name) }
        let context = Unmanaged.passUnretained(self).toOpaque()
        let begun = watched_folder_begin(
            path,
            { context, operation in
                Unmanaged<WatchedFolder>.fromOpaque(context!).takeUnretainedValue()
                    .answer(operation!.pointee)
            },
            context
        )
        guard let begun else { throw CannotWatch() }
        watch = begun
    }

    deinit {
        if let watch { watched_folder_end(watch) }
    }

    package var disk: RecordedDisk { state.withLock { $0.disk } }

    package func file(_ name: String) -> String { path + "/" + name }

    /// From now on `rule` decides what becomes of each request; without one, all pass.
    package func apply(_ rule: Rule?) {
        state.withLock { $0.rule = rule }
    }

    /// Calls `observer` with the disk as it is before each request that changes or syncs anything.
    package func observe(_ observer: (@Sendable (RecordedDisk) -> Void)?) {
        state.withLock { $0.beforeChange = observer }
    }

    /// Puts other files into the folder's place.
    ///
    /// - Throws: ``InUse`` while one of the files is open: a connection that stays open shares its
    ///   index of the log with the connections to the files that take their place.
    package func replace(with contents: [String: [UInt8]]) throws {
        let names = state.withLock { $0.openNames }
        guard names.isEmpty else { throw InUse(names: names) }
        for name in try FileManager.default.contentsOfDirectory(atPath: path)
        where contents[name] == nil {
            guard unlink(file(name)) == 0 else { throw CannotWatch() }
        }
        for (name, bytes) in contents { try write(bytes, to: name) }
        state.withLock { $0.disk = RecordedDisk(contents) }
    }

    private func write(_ bytes: [UInt8], to name: String) throws {
        let descriptor = open(file(name), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(descriptor) }
        // Cut at the end: ext4 hurries to write what was emptied first.
        guard descriptor >= 0, Foundation.write(descriptor, bytes, bytes.count) == bytes.count,
            ftruncate(descriptor, off_t(bytes.count)) == 0
        else { throw CannotWatch() }
    }

    private func answer(_ operation: watched_operation) -> Int32 {
        // The watched files have paths in this folder.
        let name = String(cString: operation.path + path.utf8.count + 1)
        guard let request = Request(operation.kind) else {
            state.withLock { $0.open[operation.file] = $0.disk.make(name) }
            return Int32(WATCHED_PASS)
        }
        let (rule, observer) = state.withLock { ($0.rule, $0.beforeChange) }
        if request.changesDisk { observer?(disk) }
        let answer = rule?(request, name) ?? .pass
        let areNamesSynced = state.withLock { state in
            state.note(request, name, operation, answer)
            return state.disk.unsyncedNames.isEmpty
        }
        switch answer {
        // Nobody cuts this machine's power. But SQLite syncs the folder with a new file.
        case .pass where request == .sync && areNamesSynced:
            return Int32(WATCHED_LEAVE_OUT)
        case .pass: return Int32(WATCHED_PASS)
        case .leaveOut: return Int32(WATCHED_LEAVE_OUT)
        case .fail(let code): return code
        case .refuse: return Int32(WATCHED_REFUSE)
        }
    }
}

extension WatchedFolder.State {
    fileprivate var openNames: [String] {
        open.values.map { file in
            disk.names.first { $0.value == file }?.key ?? "a file without a name"
        }
    }

    fileprivate mutating func note(
        _ request: WatchedFolder.Request,
        _ name: String,
        _ operation: watched_operation,
        _ answer: WatchedFolder.Answer
    ) {
        let file = open[operation.file]
        switch (request, answer) {
        case (_, .refuse): return
        case (.write, .leaveOut): preconditionFailure("only a sync can be left out")
        case (.write, _):
            guard let file, let bytes = operation.bytes else { return }
            var count = Int(operation.count)
            if case .fail = answer { count /= 2 }
            let written = UnsafeRawBufferPointer(start: bytes, count: count)
            disk.change(file, .write(offset: Int(operation.offset), bytes: Array(written)))
        case (.truncate, .pass):
            if let file { disk.change(file, .truncate(length: Int(operation.offset))) }
        case (.sync, .pass): if let file { disk.sync(file) }
        case (.sync, .fail): if let file { disk.failToSync(file) }
        case (.delete, .pass): disk.remove(name)
        case (.syncFolder, _): disk.syncNames()
        case (.close, _): open[operation.file] = nil
        default: break
        }
    }
}

extension WatchedFolder.Request {
    /// `nil` for what has happened already.
    fileprivate init?(_ kind: watched_kind) {
        switch kind {
        case WATCHED_OPEN: self = .open
        case WATCHED_CLOSE: self = .close
        case WATCHED_READ: self = .read
        case WATCHED_WRITE: self = .write
        case WATCHED_TRUNCATE: self = .truncate
        case WATCHED_SYNC: self = .sync
        case WATCHED_FILE_SIZE: self = .length
        case WATCHED_LOCK: self = .lock
        case WATCHED_UNLOCK: self = .unlock
        case WATCHED_DELETE: self = .delete
        case WATCHED_ACCESS: self = .access
        case WATCHED_SHM_MAP: self = .mapSharedMemory
        case WATCHED_SHM_LOCK: self = .lockSharedMemory
        case WATCHED_SYNC_FOLDER: self = .syncFolder
        default: return nil
        }
    }
}
