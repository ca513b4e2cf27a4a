/// The files of one folder, and what of them would survive a power cut: a file's bytes as of its
/// last sync, the names as of the folder's. Everything later may be lost, kept, or kept in part
/// (``PowerCut``). A value: a copy is a picture of a moment.
package struct RecordedDisk: Sendable {
    package enum Change: Hashable, Sendable {
        case write(offset: Int, bytes: [UInt8])
        case truncate(length: Int)

        package func apply(to file: inout [UInt8]) {
            switch self {
            case .write(let offset, let bytes):
                let end = offset + bytes.count
                if end > file.count { file += [UInt8](repeating: 0, count: end - file.count) }
                file.withUnsafeMutableBytes {
                    UnsafeMutableRawBufferPointer(rebasing: $0[offset..<end]).copyBytes(from: bytes)
                }
            case .truncate(let length):
                if length < file.count { file.removeLast(file.count - length) }
                if length > file.count {
                    file += [UInt8](repeating: 0, count: length - file.count)
                }
            }
        }
    }

    package struct File: Sendable {
        package var durable: [UInt8] = []
        package var unsynced: [Change] = []

        /// With those of the unsynced changes that `keeps` picks.
        package func content(keeping keeps: (Int) -> Bool) -> [UInt8] {
            var bytes = durable
            for (number, change) in unsynced.enumerated() where keeps(number) {
                change.apply(to: &bytes)
            }
            return bytes
        }

        fileprivate mutating func sync() {
            for change in unsynced { change.apply(to: &durable) }
            unsynced = []
        }
    }

    /// The name came to mean this file, or none.
    package struct NameChange: Sendable {
        package let name: String
        package let file: Int?
    }

    package private(set) var files: [Int: File] = [:]
    package private(set) var names: [String: Int] = [:]
    package private(set) var durableNames: [String: Int] = [:]
    package private(set) var unsyncedNames: [NameChange] = []
    private var nextFile = 1

    /// A disk on which everything is durable.
    package init(_ contents: [String: [UInt8]] = [:]) {
        for (name, bytes) in contents {
            files[make(name)]?.durable = bytes
        }
        syncNames()
    }

    /// The file that `name` means, made if need be.
    mutating func make(_ name: String) -> Int {
        if let file = names[name] { return file }
        let file = nextFile
        nextFile += 1
        files[file] = File()
        names[name] = file
        unsyncedNames.append(NameChange(name: name, file: file))
        return file
    }

    mutating func remove(_ name: String) {
        guard names.removeValue(forKey: name) != nil else { return }
        unsyncedNames.append(NameChange(name: name, file: nil))
    }

    mutating func change(_ file: Int, _ change: Change) {
        files[file]?.unsynced.append(change)
    }

    mutating func sync(_ file: Int) {
        files[file]?.sync()
    }

    /// After a sync that failed the system may think that the bytes are on the disk, and no later
    /// sync writes them (<https://wiki.postgresql.org/wiki/Fsync_Errors>).
    mutating func failToSync(_ file: Int) {
        files[file]?.unsynced = []
    }

    mutating func syncNames() {
        durableNames = names
        unsyncedNames = []
    }

    /// The content as long as the power stays on.
    package var latest: [String: [UInt8]] {
        names.mapValues { files[$0]?.content { _ in true } ?? [] }
    }

    /// The content when nothing survives but the synced writes.
    package var worst: [String: [UInt8]] {
        durableNames.mapValues { files[$0]?.durable ?? [] }
    }
}
