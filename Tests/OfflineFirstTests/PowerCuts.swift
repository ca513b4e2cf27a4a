import OutboxTesting
import Synchronization
import TemporaryFolders
import WatchedFiles

/// A run of some code over a folder, whose power is then cut before each operation of SQLite on its files.
///
/// `Promises` is what the code was promised by then.
struct PowerCuts<Promises: Sendable>: Sendable {
    fileprivate struct Moment: Sendable {
        let disk: RecordedDisk
        let promises: Promises
    }

    /// The promises of a run, as far as it has come.
    final class Run: Sendable {
        let folder: WatchedFolder
        private let promises: Mutex<Promises>
        private let moments = Mutex<[Moment]>([])

        fileprivate init(_ promises: Promises) throws {
            folder = try WatchedFolder()
            self.promises = Mutex(promises)
            folder.observe { [weak self] in self?.note($0) }
        }

        func promise(_ change: (inout Promises) -> Void) {
            promises.withLock { change(&$0) }
        }

        private func note(_ disk: RecordedDisk) {
            let moment = Moment(disk: disk, promises: promises.withLock { $0 })
            moments.withLock { $0.append(moment) }
        }

        /// All moments, with the one at the end.
        fileprivate func end() -> [Moment] {
            note(folder.disk)
            return moments.withLock { $0 }
        }
    }

    private let moments: [Moment]

    /// Runs `body`.
    init(_ promises: Promises, of body: (Run) async throws -> Void) async throws {
        let run = try Run(promises)
        try await body(run)
        moments = run.end()
    }

    /// Cuts the power at each moment of the ``SearchShare``.
    ///
    /// - Parameters:
    ///   - seed: The seed of the contents of the disk.
    ///   - contents: The number of contents for each moment, besides the least and the most that a disk has.
    ///   - examine: Looks at what is left in a folder.
    /// - Returns: A line that says how many states were examined.
    func examine(
        seed: UInt64,
        contents: Int,
        _ examine: (WatchedFolder, Promises, _ circumstances: String) throws -> Void
    ) throws -> String {
        var random = SeededRandom(seed: seed)
        let share = SearchShare()
        let folder = try WatchedFolder()
        var states = 0
        for moment in share.of(moments) {
            let cut = PowerCut(moment.disk, &random)
            var chosen = [moment.disk.worst, moment.disk.latest]
            for _ in 0..<contents { chosen.append(cut.any(using: &random)) }
            for content in chosen {
                states += 1
                try folder.replace(with: content.filter { !$0.key.hasSuffix("-shm") })
                try examine(folder, moment.promises, "seed \(seed), state \(states)")
            }
        }
        return "\(moments.count) moments, \(share), \(states) states"
    }
}
