/// The file operations that a store uses, and no others, each as the system offers it.
///
/// At this seam a test records and refuses operations and simulates crashes: the store's decisions
/// are above it. An operation reports an interruption (`EINTR`), and a read or write that is
/// shorter than asked; ``Files`` continues from there.
package protocol FileSystem: Sendable {
    /// Makes a folder that only its owner may enter; leaves an existing folder as it is.
    func makeFolder(_ path: String) throws(FileError)

    func open(_ path: String, for access: FileAccess) throws(FileError) -> OpenFile

    /// Closes the file and frees any lock on it. Bytes that were not synced before may be lost.
    func close(_ file: OpenFile)

    func length(of file: OpenFile) throws(FileError) -> Int

    /// Reads up to `count` bytes; none at the end of the file.
    func read(_ file: OpenFile, at offset: Int, count: Int) throws(FileError) -> [UInt8]

    /// Writes a part of `bytes`, at least one byte, and returns the number of bytes written.
    func write(_ bytes: ArraySlice<UInt8>, to file: OpenFile, at offset: Int) throws(FileError)
        -> Int

    /// Makes a file's content, or a folder's entries, survive a power cut. The sync of a file does
    /// not cover the entry that names it.
    func sync(_ file: OpenFile) throws(FileError)

    /// Whether several syncs at once, from as many threads, cost less than one after another.
    var syncsTogether: Bool { get }

    /// Takes the lock on an open file, without waiting. The holder's death frees the lock.
    ///
    /// - Returns: `false` while another open file of the same inode, in any process, holds it.
    func tryLock(_ file: OpenFile) throws(FileError) -> Bool

    func unlock(_ file: OpenFile)

    /// Whether an entry still names the file.
    func isNamed(_ file: OpenFile) throws(FileError) -> Bool

    /// Gives a file another name, and replaces any file of that name.
    func rename(_ path: String, to newPath: String) throws(FileError)

    func remove(_ path: String) throws(FileError)

    func exists(_ path: String) throws(FileError) -> Bool

    /// The entries of a folder in any order, without `.` and `..`, byte for byte: a name need not
    /// be text, and two names that are equal as text may be two files.
    func names(in folder: String) throws(FileError) -> [[UInt8]]

    /// A random word for the names of temporary files. The file system gives it, so that a
    /// simulated disk with one seed gives one run.
    func randomWord() -> UInt64
}

/// The way in which a file is opened.
package enum FileAccess: Sendable {
    /// A new file, to be written; its name must be free.
    case new
    /// A file to be read and written by several processes; made if need be.
    case shared
    /// A file to be read.
    case reading
    /// A folder, to be synced.
    case folder
}

/// An open file, by the system's own number.
package struct OpenFile: Hashable, Sendable {
    package let number: Int32

    package init(number: Int32) {
        self.number = number
    }
}

/// The system's error, as an `errno`.
package struct FileError: Error, Hashable, Sendable {
    package let code: Int32

    package init(code: Int32) {
        self.code = code
    }
}
