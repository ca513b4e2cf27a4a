import Foundation

/// A process that works on a store until it is killed: a program of this package, beside the tests.
package final class KilledProcess {
    private let identifier: pid_t
    private let output: Int32
    private let input: Int32
    /// The bytes that were read beyond the last line.
    private var rest: [UInt8] = []
    private var isGone = false

    package struct CannotStart: Error {
        let code: Int32
    }

    /// - Parameters:
    ///   - program: The name of an executable target.
    ///   - texts: Its arguments.
    package init(_ program: String, _ texts: [String]) throws {
        let path = Self.path(of: program)
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw CannotStart(code: errno) }
        var commands: [Int32] = [0, 0]
        guard pipe(&commands) == 0 else { throw CannotStart(code: errno) }
        // No other process that is started meanwhile keeps an end open.
        for end in ends + commands { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
        #else
            var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        posix_spawn_file_actions_adddup2(&actions, commands[0], 0)
        var arguments: [UnsafeMutablePointer<CChar>?] = []
        for argument in [path] + texts {
            arguments.append(strdup(argument))
        }
        arguments.append(nil)
        defer { for argument in arguments { free(argument) } }
        var child: pid_t = 0
        let code = posix_spawn(&child, path, &actions, nil, &arguments, environ)
        close(ends[1])
        close(commands[0])
        output = ends[0]
        input = commands[1]
        identifier = child
        guard code == 0 else { throw CannotStart(code: code) }
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
    package func kill() -> Bool {
        guard !isGone else { return false }
        isGone = true
        _ = Foundation.kill(identifier, SIGKILL)
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
        return status & 0x7F == SIGKILL
    }

    /// Beside the tests, where the build puts both.
    private static func path(of program: String) -> String {
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
