import Foundation
import OutboxSimulation
import TestSeeds
import Testing
import Waiting

@Suite("A replay", .timeLimit(.minutes(60)))
struct ReplayTests {
    /// Swift's hash tables have another order in each process, and the same one in all that are
    /// told so.
    @Test(
        "one seed is one run in every process",
        arguments: ["0", "1"],
        TestSeeds["simulation-replay"]
    )
    func processes(deterministicHashing: String, first: UInt64) async throws {
        for number in UInt64(0)..<5 {
            let seed = first &+ number
            let here = Simulation(seed: seed, keepsLines: true)
            let there = try await onOwnThread {
                try replay(seed, deterministicHashing: deterministicHashing)
            }
            let trace = "seed \(seed), trace \(String(here.hash, radix: 16))"
            #expect(there == here.lines + [trace], "seed \(seed)")
        }
    }

    /// What `scripts/simulate --seed` prints.
    private func replay(_ seed: UInt64, deterministicHashing: String) throws -> [String] {
        let process = Process()
        process.executableURL = program
        process.arguments = ["--seed", "\(seed)"]
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["SWIFT_DETERMINISTIC_HASHING": deterministicHashing]) { $1 }
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Beside the tests, where the build puts both.
    private var program: URL {
        #if os(macOS)
            let tests = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
            let folder = tests?.bundleURL.deletingLastPathComponent()
        #else
            let folder: URL? = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        #endif
        return (folder ?? URL(filePath: "/")).appending(path: "simulate")
    }
}
