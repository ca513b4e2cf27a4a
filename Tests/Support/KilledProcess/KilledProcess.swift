import Foundation
import Synchronization

/// A process that works on a store until it is killed: a program of this package, beside the tests, or one
/// of the system.
///
/// It ends with this process, also when this process is killed: a shell of its own, the watch, reads from a
/// pipe that only this process holds, and kills it at the pipe's end.
package final class KilledProcess {
    /// Held while ends of pipes are passed on, so that no other child gets one that closes late.
    private static let starting = Mutex(())

    package let identifier: Int32
    private let output: Int32
    private let input: Int32
    private let watch: pid_t
    private let watched: Int32
    /// The bytes that were read beyond the last line.
    private var rest: [UInt8] = []
    private var isGone = false

    package struct CannotStart: Error {
        let code: Int32
    }

    /// - Parameters:
    ///   - program: The name of an executable target; the path of another program.
    ///   - texts: Its arguments.
    package init(_ program: String, _ texts: [String]) throws {
        let path = Self.path(of: program)
        let started = try Self.starting.withLock { _ in
            let results = try Self.makePipe()
            let commands = try Self.makePipe()
            let watched = try Self.makePipe()
            defer { for end in [results.write, commands.read, watched.read] { close(end) } }
            let child = try Self.start(path, texts, input: commands.read, output: results.write)
            let watch = try Self.start(
                "/bin/sh",
                ["-c", "read -r line || kill -KILL \(child)"],
                input: watched.read,
                output: nil
            )
            return (child, results.read, commands.write, watch, watched.write)
        }
        (identifier, output, input, watch, watched) = started
    }

    private static func makePipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw CannotStart(code: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    #if !canImport(Darwin)
        /// The number up to which this process may have files open; no test has more.
        private static var mostOpenFiles: Int32 {
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            return Int32(min(limit.rlim_cur, 4096))
        }
    #endif

    /// - Parameter output: The standard output; `nil` for none, nor errors.
    private static func start(
        _ path: String,
        _ texts: [String],
        input: Int32,
        output: Int32?
    ) throws -> pid_t {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
        #else
            var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        if let output {
            posix_spawn_file_actions_adddup2(&actions, output, 1)
        } else {
            for end: Int32 in 1...2 {
                posix_spawn_file_actions_addopen(&actions, end, "/dev/null", O_WRONLY, 0)
            }
        }
        // What other tests have open, the end of a pipe for example, would stay open for as long as it lives.
        #if canImport(Darwin)
            var attributes: posix_spawnattr_t?
            posix_spawnattr_init(&attributes)
            defer { posix_spawnattr_destroy(&attributes) }
            posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_CLOEXEC_DEFAULT))
        #else
            var attributes = posix_spawnattr_t()
            posix_spawnattr_init(&attributes)
            defer { posix_spawnattr_destroy(&attributes) }
            for descriptor in 3..<mostOpenFiles {
                posix_spawn_file_actions_addclose(&actions, descriptor)
            }
        #endif
        var arguments = ([path] + texts).map { strdup($0) }
        arguments.append(nil)
        defer { for argument in arguments { free(argument) } }
        var child: pid_t = 0
        let code = posix_spawn(&child, path, &actions, &attributes, &arguments, environ)
        guard code == 0 else { throw CannotStart(code: code) }
        return child
    }

    deinit {
        // After a test that failed.
        _ = kill()
        close(output)
        close(input)
    }

    /// Returns once the process has begun, which it tells by a byte; `false` when it ended instead.
    package func waitUntilItBegins() -> Bool {
        var byte: UInt8 = 0
        return read(output, &byte, 1) == 1
    }

    /// The next line of its output, without the end of line; `nil` when it ended instead.
    package func readLine() -> String? {
        while true {
            if let end = rest.firstIndex(of: 0x0A) {
                defer { rest.removeSubrange(...end) }
                return String(decoding: rest[..<end], as: UTF8.self)
            }
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = read(output, &bytes, bytes.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            rest += bytes[..<count]
        }
    }

    /// Writes into its input. It lives: this process ends with a write to one that does not.
    package func write(_ text: String) {
        let bytes = Array(text.utf8)
        precondition(bytes.count <= Int(PIPE_BUF), "a pipe takes so much at once")
        while Foundation.write(input, bytes, bytes.count) < 0, errno == EINTR {}
    }

    /// Kills it, and returns once it is gone; whether the signal was what ended it.
    package func kill() -> Bool { end(by: SIGKILL) & 0x7F == SIGKILL }

    /// Sends it a signal that ends it, and returns once it is gone.
    ///
    /// - Returns: Its status, as `waitpid` has it; 0 when it was gone before.
    @discardableResult
    package func end(by signal: Int32) -> Int32 {
        guard !isGone else { return 0 }
        isGone = true
        // The watch before it: the number is free for another process afterwards.
        _ = Foundation.kill(watch, SIGKILL)
        _ = Self.wait(for: watch)
        close(watched)
        _ = Foundation.kill(identifier, signal)
        return Self.wait(for: identifier)
    }

    /// Waits until a process is gone.
    private static func wait(for process: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return status
    }

    /// Beside the tests, where the build puts both.
    private static func path(of program: String) -> String {
        guard !program.hasPrefix("/") else { return program }
        #if os(macOS)
            let tests = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
            let folder = tests?.bundleURL.deletingLastPathComponent().path ?? ""
        #else
            let folder = URL(fileURLWithPath: CommandLine.arguments[0])
                .deletingLastPathComponent().path
        #endif
        return folder + "/" + program
    }
}
