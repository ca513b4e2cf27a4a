/// Where in the source a commit was made, so that an unexpected change can be traced to its line.
public struct CommitOrigin: Sendable {
    /// What the caller calls the commit: the calling function unless it says otherwise.
    public let name: StaticString
    /// Module and file, as `#fileID` gives them.
    public let file: StaticString
    /// The line in `file`, counted from 1.
    public let line: UInt

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
