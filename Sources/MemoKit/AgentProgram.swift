@preconcurrency import LibC
import MemoCore

/// The program that delivers: `memo-agent`.
public enum AgentProgram {
    /// The path of `memo-agent` in the folder of the running executable, links resolved.
    public static func besideThisExecutable() -> String? {
        guard let own = ownPath(), let slash = own.lastIndex(of: "/") else { return nil }
        return own[...slash] + "memo-agent"
    }

    /// The path of `memo-agent` beside the running executable, else the path of the first one on
    /// `PATH`; `nil` for none. Passes over relative folders of `PATH`.
    public static func located() -> String? {
        let path = getenv("PATH").map { String(cString: $0) } ?? ""
        let onPath = path.split(separator: ":").filter { $0.utf8.first == 0x2F }
        let beside = besideThisExecutable().map { [$0] } ?? []
        return (beside + onPath.map { $0 + "/memo-agent" }).first(where: isProgram)
    }

    /// Replaces this process by the program of ``located()``. Where that fails, prints the reason
    /// and ends the process.
    ///
    /// - Parameter arguments: The program's arguments, without its name.
    public static func become(_ arguments: [String]) -> Never {
        let argv = (["memo-agent"] + arguments).map { strdup($0) } + [nil]
        errno = ENOENT
        if let program = located() { execv(program, argv) }
        let reason = systemMessage(errno)
        StandardError.complain(Language.ofThisProcess.string(.agentMissing, reason))
        Ending.exit(.unavailable)
    }

    private static func isProgram(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
            && access(path, X_OK) == 0
    }

    /// Starts `program run` as a process of its own: a new session, so that closing the terminal
    /// does not end it; no open files of ours; no content in its arguments.
    ///
    /// - Parameter program: `nil` for ``located()``.
    static func start(_ program: String?, folder: DataFolder) throws(MemoError) {
        guard let program = program ?? located() else {
            throw .agentNotStarted(code: ENOENT)
        }
        let environment = inheritedEnvironment(overriding: "MEMO_HOME=" + folder.path)
        do {
            _ = try spawn(program, ["run"], environment: environment, flags: sessionFlag)
        } catch {
            throw .agentNotStarted(code: error.code)
        }
    }

    /// Starts `program` with a socket as its standard input, of which this process has the other end;
    /// no other open files of ours; no content in its arguments.
    ///
    /// - Returns: The process, which the caller waits for.
    /// - Throws: The system's `errno`.
    static func start(
        _ program: String,
        _ arguments: [String],
        input: Int32
    ) throws(SystemFailure) -> pid_t {
        try spawn(program, arguments, input: input, environment: inheritedEnvironment(), flags: 0)
    }

    private static func spawn(
        _ program: String,
        _ arguments: [String],
        input: Int32? = nil,
        environment: [String],
        flags: Int16
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
        posix_spawnattr_setflags(&attributes, spawnFlags | flags)

        var process = pid_t()
        let code = withPointers(to: [program] + arguments) { argv in
            withPointers(to: environment) { envp in
                posix_spawn(&process, program, &actions, &attributes, argv, envp)
            }
        }
        guard code == 0 else { throw SystemFailure(code: code) }
        return process
    }

    private static func ownPath() -> String? {
        #if canImport(Darwin)
            var size: UInt32 = 0
            _NSGetExecutablePath(nil, &size)
            var path = [CChar](repeating: 0, count: Int(size))
            guard _NSGetExecutablePath(&path, &size) == 0 else { return nil }
            guard let resolved = realpath(path, nil) else { return nil }
            defer { free(resolved) }
            return String(cString: resolved)
        #else
            return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { path in
                let length = readlink("/proc/self/exe", path.baseAddress!, path.count - 1)
                guard length > 0 else { return nil }
                path[length] = 0
                return String(cString: path.baseAddress!)
            }
        #endif
    }

    private static func inheritedEnvironment(overriding assignment: String? = nil) -> [String] {
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
    extension Optional where Wrapped == OpaquePointer {
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
