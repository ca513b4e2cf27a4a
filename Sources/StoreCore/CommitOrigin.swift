/// The line of source that makes a commit, so that an unexpected change can be traced to its line.
public struct CommitOrigin: Sendable {
    /// The commit's name: the calling function unless the caller gives another.
    public let name: StaticString
    /// Module and file, as `#fileID` gives them.
    public let file: StaticString
    /// The line in `file`, counted from 1.
    public let line: UInt

    /// The caller's line, unless the arguments say otherwise.
    ///
    /// - Complexity: O(1).
    @inlinable
    public init(
        name: StaticString = #function,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        self.name = name
        self.file = file
        self.line = line
    }
}
