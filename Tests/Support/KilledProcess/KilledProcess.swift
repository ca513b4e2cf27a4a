import Foundation

/// A process that works on a store until it is killed: a program of this package, beside the tests.
package final class KilledProcess {
    private let identifier: pid_t
    private let output: Int32

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
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
        #else
            var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        posix_spawn_file_actions_addclose(&actions, ends[0])
        var arguments: [UnsafeMutablePointer<CChar>?] = []
        for argument in [path] + texts {
            arguments.append(strdup(argument))
        }
        arguments.append(nil)
        defer { for argument in arguments { free(argument) } }
        var child: pid_t = 0
        let code = posix_spawn(&child, path, &actions, nil, &arguments, environ)
        close(ends[1])
        output = ends[0]
        identifier = child
        guard code == 0 else { throw CannotStart(code: code) }
    }

    deinit {
        close(output)
    }

    /// Returns once the process has begun, which it tells by a byte; `false` when it ended instead.
    package func waitUntilItBegins() -> Bool {
        var byte: UInt8 = 0
        return read(output, &byte, 1) == 1
    }

    /// Kills it, and returns once it is gone; whether the signal was what ended it.
    package func kill() -> Bool {
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
