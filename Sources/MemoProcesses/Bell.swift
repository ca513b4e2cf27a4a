import LibC

/// Wakes a running agent by a byte in a named pipe, which only an agent holds open for reading.
///
/// A missed call costs a delay, never a memo: the memos are in the database.
public enum Bell {
    /// The reason for a call, which is the byte in the pipe.
    public enum Call: UInt8, Hashable, Sendable {
        /// A memo is stored, or the outbox has changed otherwise.
        case outbox = 1
        /// A person looks at the history: the agent asks the relay for news at once.
        case news = 2
    }

    /// Wakes the agent.
    ///
    /// - Returns: Whether an agent holds the pipe open. `false` also when there is no pipe yet.
    public static func ring(_ path: String, for call: Call = .outbox) -> Bool {
        // Without a reader, opening a pipe for writing without waiting fails:
        // https://pubs.opengroup.org/onlinepubs/9799919799/functions/open.html (ENXIO)
        let pipe = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW)
        guard pipe >= 0 else { return false }
        defer { close(pipe) }
        var status = stat()
        guard fstat(pipe, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else { return false }
        return withoutPipeSignal(pipe) {
            var byte = call.rawValue
            while true {
                if write(pipe, &byte, 1) == 1 { return true }
                switch errno {
                case EINTR: continue
                // Full of rings that were not heard yet: the agent will hear those.
                case EAGAIN: return true
                default: return false
                }
            }
        }
    }

    /// Runs `body` so that writing to a pipe whose reader has just gone is an error, not a death.
    private static func withoutPipeSignal(_ pipe: Int32, _ body: () -> Bool) -> Bool {
        #if canImport(Darwin)
            _ = fcntl(pipe, F_SETNOSIGPIPE, 1)
            return body()
        #else
            var pipeSignal = sigset_t()
            var before = sigset_t()
            var pending = sigset_t()
            sigemptyset(&pipeSignal)
            sigaddset(&pipeSignal, SIGPIPE)
            sigpending(&pending)
            let wasPending = sigismember(&pending, SIGPIPE) == 1
            pthread_sigmask(SIG_BLOCK, &pipeSignal, &before)
            let result = body()
            if !result, !wasPending {
                var none = timespec()
                _ = sigtimedwait(&pipeSignal, nil, &none)
            }
            pthread_sigmask(SIG_SETMASK, &before, nil)
            return result
        #endif
    }
}
