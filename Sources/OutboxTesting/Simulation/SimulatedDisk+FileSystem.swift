import LibC
package import OutboxFiles
import Synchronization

extension SimulatedDisk: FileSystem {
    package func makeFolder(_ path: String) throws(FileError) {
        try change(path) { state, folder, name throws(FileError) in
            guard state.content.folders[folder]?.entries[name] == nil else { return }
            let node = state.newNode()
            state.content.folders[node] = Folder()
            state.content.folders[folder]?.change(name, to: node)
        }
    }

    package func open(_ path: String, for access: FileAccess) throws(FileError) -> OpenFile {
        switch access {
        case .reading, .folder:
            return try with { state throws(FileError) in
                guard let node = state.node(at: path) else { throw FileError(code: ENOENT) }
                return state.opened(node)
            }
        case .new, .shared:
            return try change(path) { state, folder, name throws(FileError) in
                if let node = state.content.folders[folder]?.entries[name] {
                    guard case .shared = access else { throw FileError(code: EEXIST) }
                    return state.opened(node)
                }
                let node = state.newNode()
                state.content.files[node] = File()
                state.content.folders[folder]?.change(name, to: node)
                return state.opened(node)
            }
        }
    }

    package func close(_ file: OpenFile) {
        state.withLock { state in
            guard let node = state.open.removeValue(forKey: file.number) else { return }
            if state.holders[node] == file.number { state.holders[node] = nil }
        }
    }

    package func length(of file: OpenFile) throws(FileError) -> Int {
        try with { state throws(FileError) in try state.file(file).bytes.count }
    }

    package func read(_ file: OpenFile, at offset: Int, count: Int) throws(FileError) -> [UInt8] {
        try with { state throws(FileError) in
            Array(try state.file(file).bytes.dropFirst(offset).prefix(count))
        }
    }

    package func write(
        _ bytes: ArraySlice<UInt8>,
        to file: OpenFile,
        at offset: Int
    ) throws(FileError) -> Int {
        observed()
        return try with { state throws(FileError) in
            let node = try state.node(of: file)
            let (length, end) = (try state.file(file).bytes.count, offset + bytes.count)
            if end > length {
                let gap = [UInt8](repeating: 0, count: end - length)
                state.content.files[node]?.bytes += gap
            }
            state.content.files[node]?.bytes.replaceSubrange(offset..<end, with: bytes)
            return bytes.count
        }
    }

    package func sync(_ file: OpenFile) throws(FileError) {
        observed()
        try with { state throws(FileError) in
            let node = try state.node(of: file)
            if let bytes = state.content.files[node]?.bytes {
                state.content.files[node]?.durable = bytes
            }
            if let entries = state.content.folders[node]?.entries {
                state.content.folders[node]?.durable = entries
                state.content.folders[node]?.unsynced = []
            }
        }
    }

    /// Syncs run one after another, so that one seed gives one run.
    package var syncsTogether: Bool { false }

    package func tryLock(_ file: OpenFile) throws(FileError) -> Bool {
        try with { state throws(FileError) in
            let node = try state.node(of: file)
            guard state.holders[node, default: file.number] == file.number else { return false }
            state.holders[node] = file.number
            return true
        }
    }

    package func unlock(_ file: OpenFile) {
        state.withLock { state in
            guard let node = state.open[file.number] else { return }
            if state.holders[node] == file.number { state.holders[node] = nil }
        }
    }

    package func isNamed(_ file: OpenFile) throws(FileError) -> Bool {
        try with { state throws(FileError) in
            let node = try state.node(of: file)
            return state.content.folders.values.contains { $0.entries.values.contains(node) }
        }
    }

    package func rename(_ path: String, to newPath: String) throws(FileError) {
        try change(newPath) { state, folder, name throws(FileError) in
            guard let node = state.node(at: path), let source = state.location(of: path) else {
                throw FileError(code: ENOENT)
            }
            state.content.folders[folder]?.change(name, to: node)
            state.content.folders[source.folder]?.change(source.name, to: nil)
        }
    }

    package func remove(_ path: String) throws(FileError) {
        try change(path) { state, folder, name throws(FileError) in
            guard state.content.folders[folder]?.entries[name] != nil else {
                throw FileError(code: ENOENT)
            }
            state.content.folders[folder]?.change(name, to: nil)
        }
    }

    package func exists(_ path: String) throws(FileError) -> Bool {
        state.withLock { $0.node(at: path) != nil }
    }

    package func names(in folder: String) throws(FileError) -> [[UInt8]] {
        try with { state throws(FileError) in
            guard let node = state.node(at: folder), let folder = state.content.folders[node]
            else { throw FileError(code: ENOENT) }
            return folder.entries.keys.sorted().map { Array($0.utf8) }
        }
    }

    /// The same word for the same disk with the same past; another word after every new file.
    package func randomWord() -> UInt64 {
        state.withLock { state in
            state.randomWords += 1
            var random = SeededRandom(
                seed: UInt64(state.content.nextNode) << 32 | state.randomWords
            )
            return random.next()
        }
    }

    private func observed() {
        let (observer, content) = state.withLock { ($0.beforeChange, $0.content) }
        observer?(content)
    }

    private func change<Result: Sendable>(
        _ path: String,
        _ body: (inout State, _ folder: Int, _ name: String) throws(FileError) -> Result
    ) throws(FileError) -> Result {
        observed()
        return try with { state throws(FileError) in
            guard let location = state.location(of: path) else { throw FileError(code: ENOENT) }
            return try body(&state, location.folder, location.name)
        }
    }

    private func with<Result: Sendable>(
        _ body: (inout State) throws(FileError) -> Result
    ) throws(FileError) -> Result {
        try state.withLock { state throws(FileError) in try body(&state) }
    }
}

extension SimulatedDisk.State {
    mutating func newNode() -> Int {
        defer { content.nextNode += 1 }
        return content.nextNode
    }

    mutating func opened(_ node: Int) -> OpenFile {
        defer { nextNumber += 1 }
        open[nextNumber] = node
        return OpenFile(number: nextNumber)
    }

    func node(of file: OpenFile) throws(FileError) -> Int {
        guard let node = open[file.number] else { throw FileError(code: EBADF) }
        return node
    }

    func file(_ file: OpenFile) throws(FileError) -> SimulatedDisk.File {
        guard let file = content.files[try node(of: file)] else { throw FileError(code: EISDIR) }
        return file
    }

    func node(at path: String) -> Int? { content.node(at: path) }

    func location(of path: String) -> (folder: Int, name: String)? {
        let parts = path.split(separator: "/")
        guard let name = parts.last,
            let folder = content.node(at: parts.dropLast().joined(separator: "/")),
            content.folders[folder] != nil
        else { return nil }
        return (folder, String(name))
    }
}
