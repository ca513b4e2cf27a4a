public import Outbox
public import OutboxFiles
import Synchronization

/// A disk in memory that knows, of every file and folder, what would survive a power cut: a file's
/// content as of its last sync, a folder's entries as of its own. Everything later may be lost,
/// kept, or kept in part (``CrashStates``).
///
/// ```swift
/// let disk = SimulatedDisk.prepared()
/// let storage = try FileStorage(folder: "/data/store", disk: disk)
/// // ... use it, then, with a seeded source of randomness:
/// disk.cutPower(using: &random)
/// let reopened = try FileStorage(folder: "/data/store", disk: disk)
/// ```
///
/// Syncing a file says nothing about the entry that names it, and a rename is two changes, one of
/// each folder, that need not survive together: the least that any file system promises.
public final class SimulatedDisk: Sendable {
    struct File: Sendable {
        var bytes: [UInt8] = []
        var durable: [UInt8] = []
    }

    /// The entry `name` came to mean `node`, or nothing.
    struct EntryChange: Sendable {
        let name: String
        let node: Int?
    }

    struct Folder: Sendable {
        var entries: [String: Int] = [:]
        var durable: [String: Int] = [:]
        var unsynced: [EntryChange] = []

        mutating func change(_ name: String, to node: Int?) {
            entries[name] = node
            unsynced.append(EntryChange(name: name, node: node))
        }
    }

    /// All that is on the disk. A value: a copy is a picture of a moment.
    public struct Content: Sendable {
        static let root = 0
        var files: [Int: File] = [:]
        var folders: [Int: Folder] = [root: Folder()]
        var nextNode = 1

        /// A disk with nothing on it.
        public init() {}

        /// The bytes of every file, as they are and as they are after the worst of power cuts, also
        /// of files that are not named any more.
        public var allBytes: [[UInt8]] {
            files.sorted { $0.key < $1.key }.flatMap { [$0.value.bytes, $0.value.durable] }
        }

        /// The bytes of the file at `path`, durable ones when they are set: damage, for one. `nil`
        /// when there is no such file; setting is then without effect.
        public subscript(path: String) -> [UInt8]? {
            get { node(at: path).flatMap { files[$0]?.bytes } }
            set {
                guard let newValue, let node = node(at: path), files[node] != nil else { return }
                files[node] = File(bytes: newValue, durable: newValue)
            }
        }
    }

    struct State: Sendable {
        var content: Content
        var open: [Int32: Int] = [:]
        var nextNumber: Int32 = 3
        var randomWords: UInt64 = 0
        var holders: [Int: Int32] = [:]
        var beforeChange: (@Sendable (Content) -> Void)?
    }

    let state: Mutex<State>

    /// A disk that holds `content`, without open files.
    public init(_ content: Content = Content()) {
        state = Mutex(State(content: content))
    }

    /// A disk with nothing but the folder `/data`, in which a store is to be, and which is there
    /// for good.
    public static func prepared() -> SimulatedDisk {
        var content = Content()
        content.folders[1] = Folder()
        content.folders[Content.root] = Folder(entries: ["data": 1], durable: ["data": 1])
        content.nextNode = 2
        return SimulatedDisk(content)
    }

    /// All that is on the disk. Open files stay open when it is replaced.
    public var content: Content {
        get { state.withLock { $0.content } }
        set { state.withLock { $0.content = newValue } }
    }

    /// Leaves any of the states that the disk may be in after a power cut now, and no file open.
    ///
    /// - Returns: What was lost.
    @discardableResult
    public func cutPower(using random: inout some RandomNumberGenerator) -> PowerCutDamage {
        let before = content
        let content = CrashStates(before).any(using: &random)
        state.withLock { state in
            state.content = content
            state.open = [:]
            state.holders = [:]
        }
        return PowerCutDamage(from: before, to: content)
    }

    /// Calls `observer` with the disk as it is before each operation that changes or syncs
    /// anything.
    public func observe(_ observer: (@Sendable (Content) -> Void)?) {
        state.withLock { $0.beforeChange = observer }
    }
}

extension SimulatedDisk.Content {
    func node(at path: String) -> Int? {
        var trail = [Self.root]
        for part in path.split(separator: "/") {
            if part == ".." {
                if trail.count > 1 { trail.removeLast() }
            } else {
                guard let node = folders[trail[trail.count - 1]]?.entries[String(part)] else {
                    return nil
                }
                trail.append(node)
            }
        }
        return trail[trail.count - 1]
    }
}

extension FileStorage {
    /// Opens the store in `folder` of a simulated disk, as a process of the machine would; its
    /// parent must exist.
    ///
    /// - Throws: ``/Outbox/StorageError``.
    public convenience init(folder: String, disk: SimulatedDisk) throws(StorageError) {
        try self.init(folder: folder, system: disk)
    }
}
