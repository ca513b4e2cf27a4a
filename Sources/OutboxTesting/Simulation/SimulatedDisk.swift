public import Outbox
public import OutboxFiles
import Synchronization

/// A disk in memory that knows which part of every file and folder survives a power cut: a file's
/// content at the file's last sync, and a folder's entries at the folder's last sync. A power cut
/// may lose every later change, keep it, or keep a part of it (``CrashStates``).
///
/// ```swift
/// let disk = SimulatedDisk.prepared()
/// let storage = try FileStorage(folder: "/data/store", disk: disk)
/// // ... use it, then, with a seeded source of randomness:
/// disk.cutPower(using: &random)
/// let reopened = try FileStorage(folder: "/data/store", disk: disk)
/// ```
///
/// Syncing a file does not make the entry that names it durable. A rename is two changes, one in
/// each folder, and one of them may survive without the other. No file system promises less.
public final class SimulatedDisk: Sendable {
    struct File: Sendable {
        var bytes: [UInt8] = []
        var durable: [UInt8] = []
    }

    /// A change of a folder: the entry `name` means `node` afterwards, or nothing.
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

    /// The content of a disk. It is a value: a copy shows the disk at one moment.
    public struct Content: Sendable {
        static let root = 0
        var files: [Int: File] = [:]
        var folders: [Int: Folder] = [root: Folder()]
        var nextNode = 1

        /// The content of an empty disk.
        public init() {}

        /// The bytes of every file, once in their present state and once as the worst power cut
        /// would leave them. Includes files without a name.
        public var allBytes: [[UInt8]] {
            files.sorted { $0.key < $1.key }.flatMap { [$0.value.bytes, $0.value.durable] }
        }

        /// The bytes of the file at `path`; `nil` when there is no such file. Bytes that are set,
        /// such as damage, are durable. Setting the bytes of a file that does not exist has no
        /// effect.
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

    /// Makes a disk that holds `content` and has no open files.
    public init(_ content: Content = Content()) {
        state = Mutex(State(content: content))
    }

    /// A disk with nothing but the folder `/data`, which is durable. A store can be made in it.
    public static func prepared() -> SimulatedDisk {
        var content = Content()
        content.folders[1] = Folder()
        content.folders[Content.root] = Folder(entries: ["data": 1], durable: ["data": 1])
        content.nextNode = 2
        return SimulatedDisk(content)
    }

    /// The content of the disk. Open files stay open when the content is replaced.
    public var content: Content {
        get { state.withLock { $0.content } }
        set { state.withLock { $0.content = newValue } }
    }

    /// Cuts the power: the disk takes one of the states in which a power cut may leave it, and no
    /// file stays open.
    ///
    /// - Returns: The damage that the power cut caused.
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

    /// Calls `observer` before each operation that changes or syncs anything, with the disk's
    /// content before that operation.
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
    /// Opens the store in `folder` of a simulated disk, as a process of the simulated machine
    /// would. The parent of `folder` must exist.
    ///
    /// - Throws: ``/Outbox/StorageError``.
    public convenience init(folder: String, disk: SimulatedDisk) throws(StorageError) {
        try self.init(folder: folder, system: disk)
    }
}
