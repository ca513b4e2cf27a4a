import LibC
import Synchronization

/// Which seeds are being run, so that a trap in the code under test can be told from a broken promise
/// and replayed.
enum SeedsUnderWay {
    private static let longest = 64
    nonisolated(unsafe) private static let seeds = UnsafeMutablePointer<UInt64>.allocate(
        capacity: longest
    )

    static func set(_ worker: Int, _ seed: UInt64) {
        seeds[worker % longest] = seed
    }

    /// Writes the seeds to standard error when the process is about to die of a trap.
    static func reportAtTrap() {
        seeds.update(repeating: 0, count: longest)
        for trap in [SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS] {
            signal(trap) { number in
                for worker in 0..<SeedsUnderWay.longest where SeedsUnderWay.seeds[worker] != 0 {
                    var text = Array("trap; seed under way: ".utf8)
                    text += Array("\(SeedsUnderWay.seeds[worker])\n".utf8)
                    write(2, text, text.count)
                }
                signal(number, SIG_DFL)
                raise(number)
            }
        }
    }
}
