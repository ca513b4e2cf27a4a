internal import ArgumentParser

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Tells a person on standard error why the program ends; to be thrown.
func complain(_ sentence: String) -> ExitCode {
    // Bytes to the descriptor: C's stderr is a global that strict concurrency refuses.
    let line = Array("memo-relay: \(sentence)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
    return ExitCode(1)
}
