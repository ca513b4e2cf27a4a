@preconcurrency import LibC

/// A process that this one starts: without open files of ours, and with no content in its arguments.
package enum ChildProcess {
    /// The path of the first program of this name on `PATH`; `nil` for none. Passes over relative
    /// folders of `PATH`.
    package static func located(_ name: String) -> String? {
        let path = getenv("PATH").map { String(cString: $0) } ?? ""
        return path.split(separator: ":").filter { $0.utf8.first == 0x2F }
            .map { $0 + "/" + name }.first(where: isProgram)
    }

    static func isProgram(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
            && access(path, X_OK) == 0
    }

    /// Runs a program of ``located(_:)`` to its end, in silence.
    ///
    /// - Parameter limit: The time after which the program is killed.
    /// - Returns: The exit status; `nil` where there is no such program, or it did not end by itself.
    package static func run(
        _ name: String,
        _ arguments: [String],
        within limit: Duration
    ) -> Int32? {
        guard let program = located(name) else { return nil }
        let process: pid_t
        do {
            process = try start(program, arguments, environment: inheritedEnvironment())
        } catch {
            return nil
        }
        let deadline = ContinuousClock.now + limit
        var status: Int32 = 0
        while true {
            let ended = waitpid(process, &status, WNOHANG)
            if ended == process { break }
            if ended < 0, errno != EINTR { return nil }
            if ContinuousClock.now > deadline { kill(process, SIGKILL) }
            usleep(10_000)
        }
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : nil
    }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - input: The program's standard input; `nil` for an empty one.
    ///   - isOwnSession: Whether the process gets a session of its own, so that closing the terminal
    ///     does not end it.
    /// - Returns: The process, which the caller waits for.
    /// - Throws: The system's `errno`.
    static func start(
        _ program: String,
        _ arguments: [String],
        input: Int32? = nil,
        environment: [String],
        isOwnSession: Bool = false
    ) throws(SystemFailure) -> pid_t {
        var actions = PlatformFileActions.make()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let input {
            posix_spawn_file_actions_adddup2(&actions, input, 0)
        } else {
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        }
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)

        var attributes = PlatformAttributes.make()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var unblocked = sigset_t()
        sigemptyset(&unblocked)
        posix_spawnattr_setsigmask(&attributes, &unblocked)
        posix_spawnattr_setflags(&attributes, spawnFlags | (isOwnSession ? sessionFlag : 0))

        var process = pid_t()
        let code = withPointers(to: [program] + arguments) { argv in
            withPointers(to: environment) { envp in
                posix_spawn(&process, program, &actions, &attributes, argv, envp)
            }
        }
        guard code == 0 else { throw SystemFailure(code: code) }
        return process
    }

    /// Waits for the end of a process that ``start(_:_:input:environment:isOwnSession:)`` started.
    static func wait(for process: pid_t) {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }

    /// The environment of this process.
    ///
    /// - Parameter assignment: A variable, `NAME=value`, that takes the place of one of its name.
    static func inheritedEnvironment(overriding assignment: String? = nil) -> [String] {
        let name = assignment.map { $0.prefix { $0 != "=" } + "=" }
        var inherited = assignment.map { [$0] } ?? []
        var next = environ
        while let entry = next.pointee {
            let text = String(cString: entry)
            if name.map({ !text.hasPrefix($0) }) ?? true { inherited.append(text) }
            next += 1
        }
        return inherited
    }

    /// Calls `body` with a NULL-terminated array of C strings.
    private static func withPointers<Result>(
        to strings: [String],
        _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let pointers = strings.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        return body(pointers)
    }
}

/// A call of the system that failed.
struct SystemFailure: Error {
    /// The system's `errno`.
    let code: Int32
}

#if canImport(Darwin)
    private typealias PlatformFileActions = posix_spawn_file_actions_t?
    private typealias PlatformAttributes = posix_spawnattr_t?
    extension Optional where Wrapped == UnsafeMutableRawPointer {
        fileprivate static func make() -> Self { nil }
    }
    private let spawnFlags = Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_CLOEXEC_DEFAULT)
    private let sessionFlag = Int16(POSIX_SPAWN_SETSID)
#else
    private typealias PlatformFileActions = posix_spawn_file_actions_t
    private typealias PlatformAttributes = posix_spawnattr_t
    extension posix_spawn_file_actions_t {
        fileprivate static func make() -> Self { Self() }
    }
    extension posix_spawnattr_t {
        fileprivate static func make() -> Self { Self() }
    }
    // POSIX_SPAWN_SETSIGMASK and, since glibc 2.26 and musl 1.1.17, POSIX_SPAWN_SETSID, by value:
    // Swift does not see the macros of every C library.
    private let spawnFlags: Int16 = 0x08
    private let sessionFlag: Int16 = 0x80
#endif
