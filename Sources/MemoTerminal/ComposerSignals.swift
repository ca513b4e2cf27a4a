import LibC
import Synchronization

/// The signals that concern a composer, as bytes in a pipe, so that waiting for a key and waiting
/// for a signal is one wait.
enum ComposerSignals {
    /// The signals that end the composer. The draft is kept.
    static let ending = [SIGHUP, SIGTERM, SIGINT, SIGQUIT]

    private static let writeEnd = Atomic<Int32>(-1)

    /// Starts listening.
    ///
    /// - Returns: The end of the pipe to read from, -1 when there is none to be had.
    static func listen() -> Int32 {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return -1 }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        writeEnd.store(ends[1], ordering: .releasing)
        for number in ending + [SIGWINCH, SIGCONT] {
            var action = sigaction()
            #if canImport(Darwin)
                action.__sigaction_u.__sa_handler = note
            #else
                action.__sigaction_handler.sa_handler = note
            #endif
            action.sa_flags = SA_RESTART
            // A signal that the parent process has ignored (nohup) stays ignored.
            var before = sigaction()
            sigaction(number, &action, &before)
            if isIgnored(before) { sigaction(number, &before, nil) }
        }
        return ends[0]
    }

    /// Ends the process by the signal, so that the parent process learns the reason.
    static func die(of number: Int32) -> Never {
        signal(number, SIG_DFL)
        raise(number)
        exit(128 + number)
    }

    private static let note: @convention(c) (Int32) -> Void = { number in
        let before = errno
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(writeEnd.load(ordering: .acquiring), &byte, 1)
        errno = before
    }

    private static func isIgnored(_ action: sigaction) -> Bool {
        #if canImport(Darwin)
            let handler = action.__sigaction_u.__sa_handler
        #else
            let handler = action.__sigaction_handler.sa_handler
        #endif
        return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
