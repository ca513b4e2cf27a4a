/// A storage broke its contract.
public struct ConformanceFailure: Error, CustomStringConvertible {
    /// The file, as the compiler names it, in which the check stands that failed.
    public let file: String
    /// Its line.
    public let line: UInt
    /// What to know to see it again, such as the seed of a random check.
    public let circumstances: String?

    /// The file, the line, and the circumstances.
    public var description: String {
        "\(file):\(line) does not hold" + (circumstances.map { " (\($0))" } ?? "")
    }
}
