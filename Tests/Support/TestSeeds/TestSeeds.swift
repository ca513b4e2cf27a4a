import Foundation

/// The seeds of the tests that draw at random.
///
/// `Tests/seeds.txt` holds them: a run on any machine draws the same. `MEMO_TEST_SEED=n` in the
/// environment replaces them by one other seed for each test, which follows from `n` and the test's
/// name; `scripts/explore` sets it.
package enum TestSeeds {
    private static let known: [String: [UInt64]] = {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../seeds.txt")
        let lines = try! String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        return lines.reduce(into: [:]) { seeds, line in
            let words = line.split(separator: " ")
            guard words.count > 1, !line.hasPrefix("#") else { return }
            seeds[String(words[0]), default: []].append(UInt64(words[1])!)
        }
    }()

    private static let explored = ProcessInfo.processInfo.environment["MEMO_TEST_SEED"].map {
        UInt64($0)!
    }

    /// The seeds that the file lists under `name`, one or more, or the one that is explored. Traps
    /// where the file does not list the name.
    package static subscript(name: String) -> [UInt64] {
        guard let seeds = known[name] else {
            preconditionFailure("Tests/seeds.txt has no seed of \(name)")
        }
        return explored.map { [mixed($0, with: name)] } ?? seeds
    }

    /// FNV-1a over the name, from a start that the seed chooses. `Tests/seeds.py` does the same.
    private static func mixed(_ seed: UInt64, with name: String) -> UInt64 {
        name.utf8.reduce(0xcbf2_9ce4_8422_2325 ^ seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
}
