/// The dead letters that one transaction may change together. Pure.
///
/// SQLite may write every page of a row that is removed or replaced into its log (`secure_delete`), so
/// the letters of one transaction are bounded by their bytes: the log must fit into the disk's reserve.
package enum LetterBatch {
    /// The greatest number of letters.
    package static let letters = 32
    /// The greatest size of all letters together, in bytes, but for a letter that is longer by itself.
    package static let bytes = 4 << 20

    /// The number of the first letters that one transaction may change. At least one, if there is one.
    ///
    /// - Parameter sizes: The sizes of the letters, in bytes, in the order in which they are changed.
    package static func count(of sizes: [Int]) -> Int {
        var sum = 0
        var count = 0
        for size in sizes.prefix(letters) {
            sum += size
            guard count == 0 || sum <= bytes else { break }
            count += 1
        }
        return count
    }
}
