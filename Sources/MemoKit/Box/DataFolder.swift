import LibC

/// The folder that holds all data of one person on one device.
///
/// Memo text, the draft, the history and the account are sealed before they are written: nobody
/// reads them without the key. The folder's mode is 0700.
public struct DataFolder: Hashable, Sendable {
    /// The absolute path, without a trailing slash.
    public let path: String

    /// Names a folder. A relative `path` starts at the working folder.
    public init(path: String) {
        var path = path
        if !path.utf8.starts(with: "/".utf8), let working = getcwd(nil, 0) {
            path = String(cString: working) + "/" + path
            free(working)
        }
        while path.utf8.count > 1, path.utf8.last == 0x2F { path.removeLast() }
        self.path = path
    }

    /// The SQLite database.
    public var database: String { path + "/memo.sqlite" }
    /// A database of the records that all devices of a person share: one for each account that was
    /// signed in here. The file has neither the account's name nor any other content unsealed.
    ///
    /// - Parameter number: The number of the account, from 1 on.
    package func sharedRecords(_ number: Int) -> String {
        path + (number == 1 ? "/shared.sqlite" : "/shared-\(number).sqlite")
    }

    /// Whether the folder has records that all devices of a person share.
    var hasSharedRecords: Bool {
        (1...8).contains { access(sharedRecords($0), F_OK) == 0 }
    }

    /// The file of the sealing key, of mode 0600.
    public var key: String { path + "/key" }
    /// The file that the delivering agent locks.
    public var agentLock: String { path + "/agent.lock" }
    /// The file that the process locks which tells, on the person's desktop, of memos that did not arrive.
    package var noticeLock: String { path + "/notice.lock" }
    /// The file in which each composer locks the byte of its draft.
    public var draftLock: String { path + "/draft.lock" }
    /// The named pipe on which a sender calls the agent.
    public var bell: String { path + "/bell" }
    /// The log of the agent, and of the transitions that `memo` makes; without content.
    public var log: String { path + "/agent.log" }

    /// Makes the folder, and the folders above it, where they are missing.
    ///
    /// - Throws: ``MemoError/readOnly(_:)``, ``MemoError/diskFull(_:)`` or
    ///   ``MemoError/folderUnusable(_:code:)``. A folder that is there already is not an error.
    public func create() throws(MemoError) {
        var status = stat()
        if stat(path, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFDIR else {
                throw .folderUnusable(path, code: ENOTDIR)
            }
            return
        }
        var ancestors: [String] = []
        var end = path.utf8.startIndex
        while let slash = path.utf8[path.utf8.index(after: end)...].firstIndex(of: 0x2F) {
            ancestors.append(String(path[..<slash]))
            end = slash
        }
        for ancestor in ancestors where mkdir(ancestor, 0o755) != 0 && errno != EEXIST {
            // Only the last step has to work: a parent may be unreadable yet usable.
            continue
        }
        guard mkdir(path, 0o700) != 0, errno != EEXIST else { return }
        throw MemoError(folder: path, errno: errno)
    }
}
