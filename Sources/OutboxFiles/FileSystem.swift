/// The file operations that a store is made of, and no others, each as the system offers it.
///
/// The seam at which a test records, refuses and crashes: what a store makes of a disk is decided
/// above it. An operation that is interrupted (`EINTR`), or that reads or writes less than it was
/// asked to, says so; ``Files`` goes on from there.
package protocol FileSystem: Sendable {
    /// Makes a folder that only its owner may enter; one that is there already is left as it is.
    func makeFolder(_ path: String) throws(FileError)

    func open(_ path: String, for access: FileAccess) throws(FileError) -> OpenFile

    /// Gives up the file and any lock on it. What was not synced by now may be lost.
    func close(_ file: OpenFile)

    func length(of file: OpenFile) throws(FileError) -> Int

    /// Reads up to `count` bytes; none at the end of the file.
    func read(_ file: OpenFile, at offset: Int, count: Int) throws(FileError) -> [UInt8]

    /// Writes a part of `bytes`, at least one, and says how many.
    func write(_ bytes: ArraySlice<UInt8>, to file: OpenFile, at offset: Int) throws(FileError)
        -> Int

    /// Makes a file's content, or a folder's entries, survive a power cut. Of a file this says
    /// nothing about the entry that names it.
    func sync(_ file: OpenFile) throws(FileError)

    /// Whether several syncs at once, from as many threads, cost less than one after another.
    var syncsTogether: Bool { get }

    /// Takes the lock on an open file, which its holder's death frees, without waiting.
    ///
    /// - Returns: `false` while another open file of the same inode, in any process, holds it.
    func tryLock(_ file: OpenFile) throws(FileError) -> Bool

    func unlock(_ file: OpenFile)

    /// Whether an entry still names the file.
    func isNamed(_ file: OpenFile) throws(FileError) -> Bool

    /// Gives a file another name, in place of whatever had it.
    func rename(_ path: String, to newPath: String) throws(FileError)

    func remove(_ path: String) throws(FileError)

    func exists(_ path: String) throws(FileError) -> Bool

    /// The entries of a folder in any order, without `.` and `..`, byte for byte: a name need not
    /// be text, and two names that are equal as text may be two files.
    func names(in folder: String) throws(FileError) -> [[UInt8]]

    /// A random word, of which names of temporary files are made. Here, so that a simulated disk
    /// makes one run of one seed.
    func randomWord() -> UInt64
}

/// The way in which a file is opened.
package enum FileAccess: Sendable {
    /// To be written; made now, under a name that nobody has.
    case new
    /// To be read and written by several processes; made if need be.
    case shared
    /// To be read.
    case reading
    /// A folder, to be synced.
    case folder
}

/// A file that is open, by the system's own number.
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
