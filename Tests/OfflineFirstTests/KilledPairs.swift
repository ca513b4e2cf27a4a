import Foundation
import KilledProcess
import OutboxTesting
import TemporaryFolders
import TestSeeds
import Testing

/// Pairs of `OfflineWriter` that work on one folder, and are killed at once at random moments.
///
/// The program gets the folder and its first number, which grows by 10,000 with each pair, and appends each
/// number that it promises to the file `promised`.
struct KilledPairs {
    /// The program's first argument: `cache` or `records`.
    let work: String
    let folder: TemporaryFolder
    let seed: UInt64

    /// The numbers that were promised so far.
    func promised() throws -> [Int] {
        let text = try String(contentsOfFile: folder.file("promised"), encoding: .utf8)
        return text.split(separator: "\n").compactMap { Int($0) }
    }

    /// Runs pairs, one after the other.
    ///
    /// - Parameters:
    ///   - rounds: The number of pairs; of all rounds those of the ``SearchShare``, at least 4.
    ///   - longest: The longest life of a pair, in microseconds.
    ///   - examine: Looks at what a pair has left.
    func run(
        rounds: Int,
        longest: UInt32,
        _ examine: (_ circumstances: String) throws -> Void
    ) throws {
        var random = SeededRandom(seed: seed)
        var first = 0
        for _ in 0..<max(4, rounds / SearchShare().stride) {
            let processes = try [first, first + 1_000_000].map {
                try KilledProcess("OfflineWriter", [work, folder.path, "\($0)"])
            }
            for process in processes { #expect(process.waitUntilItBegins(), "seed \(seed)") }
            usleep(UInt32.random(in: 0..<longest, using: &random))
            for process in processes { #expect(process.kill(), "seed \(seed)") }
            first += 10_000
            try examine("seed \(seed)")
        }
        #expect(try promised().count > 0)
    }
}
