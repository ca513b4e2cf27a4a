import Dispatch
import LibC
import Outbox
import Synchronization

/// A ``FileSystem`` with the loops around it: interrupted operations are done again, short reads
/// and writes go on, files are closed whatever happens.
struct Files: Sendable {
    /// The number of interruptions after which one operation counts as failed.
    private static let interruptions = 100

    let system: any FileSystem

    func exists(_ path: String) throws(FileError) -> Bool {
        try uninterrupted { () throws(FileError) in try system.exists(path) }
    }

    func names(in folder: String) throws(FileError) -> [[UInt8]] {
        try uninterrupted { () throws(FileError) in try system.names(in: folder) }
    }

    func randomWord() -> UInt64 { system.randomWord() }

    func makeFolder(_ path: String) throws(FileError) {
        try uninterrupted { () throws(FileError) in try system.makeFolder(path) }
    }

    func rename(_ path: String, to newPath: String) throws(FileError) {
        try uninterrupted { () throws(FileError) in try system.rename(path, to: newPath) }
    }

    /// Removes the entry; a missing entry is not an error.
    ///
    /// - Returns: Whether the entry existed.
    @discardableResult
    func remove(_ path: String) throws(FileError) -> Bool {
        do {
            try uninterrupted { () throws(FileError) in try system.remove(path) }
            return true
        } catch {
            guard error.code == ENOENT else { throw error }
            return false
        }
    }

    func open(_ path: String, for access: FileAccess) throws(FileError) -> OpenFile {
        try uninterrupted { () throws(FileError) in try system.open(path, for: access) }
    }

    /// Like ``open(_:for:)`` to read; `nil` when nothing has this name.
    func openIfThere(_ path: String) throws(FileError) -> OpenFile? {
        do {
            return try open(path, for: .reading)
        } catch {
            guard error.code == ENOENT else { throw error }
            return nil
        }
    }

    func close(_ file: OpenFile) {
        system.close(file)
    }

    func length(of file: OpenFile) throws(FileError) -> Int {
        try uninterrupted { () throws(FileError) in try system.length(of: file) }
    }

    func isNamed(_ file: OpenFile) throws(FileError) -> Bool {
        try uninterrupted { () throws(FileError) in try system.isNamed(file) }
    }

    func tryLock(_ file: OpenFile) throws(FileError) -> Bool {
        try uninterrupted { () throws(FileError) in try system.tryLock(file) }
    }

    func unlock(_ file: OpenFile) {
        system.unlock(file)
    }

    func sync(_ file: OpenFile) throws(FileError) {
        try uninterrupted { () throws(FileError) in try system.sync(file) }
    }

    /// Syncs several files at once. The system answers syncs that wait at the same time together
    /// (one commit of the file system's journal): sixteen take as long as a few, one after another.
    func sync(_ open: [OpenFile]) throws(FileError) {
        guard open.count > 1, system.syncsTogether else {
            for file in open { try sync(file) }
            return
        }
        let failure = Failure()
        let group = DispatchGroup()
        for (number, file) in open.enumerated() {
            Self.waiters[number % Self.waiters.count].async(group: group) {
                do throws(FileError) {
                    try sync(file)
                } catch {
                    failure.error.withLock { $0 = $0 ?? error }
                }
            }
        }
        group.wait()
        if let error = failure.error.withLock({ $0 }) { throw error }
    }

    private final class Failure: Sendable {
        let error = Mutex<FileError?>(nil)
    }

    /// Serial queues: each of them gets a thread of its own, however many of them wait.
    private static let waiters = (0..<32).map {
        DispatchQueue(label: "outbox.files.sync.\($0)")
    }

    /// Makes the entries of a folder survive a power cut, which syncing its files does not.
    func syncFolder(_ path: String) throws(FileError) {
        let folder = try open(path, for: .folder)
        defer { close(folder) }
        try sync(folder)
    }

    /// Reads `count` bytes, fewer only where the file ends.
    func read(_ file: OpenFile, at offset: Int, count: Int) throws(FileError) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let (start, missing) = (offset + bytes.count, count - bytes.count)
            let part = try uninterrupted { () throws(FileError) in
                try system.read(file, at: start, count: missing)
            }
            if part.isEmpty { break }
            bytes = bytes.isEmpty ? part : bytes + part
        }
        return bytes
    }

    func write(_ bytes: [UInt8], to file: OpenFile, at offset: Int) throws(FileError) {
        var written = 0
        while written < bytes.count {
            let rest = bytes[written...]
            written += try uninterrupted { () throws(FileError) in
                try system.write(rest, to: file, at: offset + rest.startIndex)
            }
        }
    }

    private func uninterrupted<Result>(
        _ operation: () throws(FileError) -> Result
    ) throws(FileError) -> Result {
        var interruptions = 0
        while true {
            do {
                return try operation()
            } catch {
                interruptions += 1
                guard error.code == EINTR, interruptions < Self.interruptions else { throw error }
            }
        }
    }
}

extension StorageError {
    init(_ error: FileError) {
        switch error.code {
        case ENOSPC, EDQUOT: self = .diskFull
        case EROFS, EACCES, EPERM: self = .readOnly
        default: self = .failed(code: error.code)
        }
    }
}
