#if os(Linux)
    import Foundation
    import Synchronization

    /// Work that should wait for another thread. The other thread sees the wait in the system's
    /// state of the working thread: no time has to pass, and a thread that has not had its turn yet
    /// does not count as waiting.
    final class WaitingStep: Sendable {
        private let thread = Mutex<String?>(nil)
        private let isOver = Atomic(false)

        func run(_ body: () -> Void) {
            let path = try? FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/thread-self"
            )
            thread.withLock { $0 = path }
            body()
            isOver.store(true, ordering: .releasing)
        }

        /// Returns once the thread sleeps inside the work, or the work is over.
        func untilItSleepsOrEnds() {
            // More than once: it may also sleep for a moment for memory.
            var sightings = 0
            while sightings < 100, !isOver.load(ordering: .acquiring) {
                sightings = isAsleep ? sightings + 1 : 0
                sched_yield()
            }
        }

        /// [proc_pid_stat(5)](https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html): the
        /// state is the letter after the name, which stands in parentheses.
        private var isAsleep: Bool {
            guard let path = thread.withLock({ $0 }), let file = fopen("/proc/\(path)/stat", "r")
            else { return false }
            defer { fclose(file) }
            var line = [UInt8](repeating: 0, count: 512)
            let count = fread(&line, 1, line.count, file)
            guard let end = line.prefix(count).lastIndex(of: UInt8(ascii: ")")), end + 2 < count
            else { return false }
            return line[end + 2] == UInt8(ascii: "S")
        }
    }
#endif
