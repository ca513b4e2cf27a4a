import Dispatch
@preconcurrency import LibC
package import MemoKit
import MemoTexts

#if canImport(Darwin)
    import MachO
#endif

/// The program that delivers: `memo-agent`.
public enum AgentProgram {
    /// The path of `memo-agent` in the folder of the running executable, links resolved.
    public static func besideThisExecutable() -> String? {
        guard let own = pathOfThisExecutable(), let slash = own.lastIndex(of: "/") else {
            return nil
        }
        return own[...slash] + "memo-agent"
    }

    /// The path of `memo-agent` beside the running executable, else the path of the first one on
    /// `PATH`; `nil` for none. Passes over relative folders of `PATH`.
    public static func located() -> String? {
        besideThisExecutable().flatMap { ChildProcess.isProgram($0) ? $0 : nil }
            ?? ChildProcess.located("memo-agent")
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

    /// Starts `program` as a process of its own: a new session, so that closing the terminal does not
    /// end it; no open files of ours; no content in its arguments.
    ///
    /// - Parameters:
    ///   - program: `nil` for ``located()``.
    ///   - command: What the program does: `run`, which delivers, or `notify`.
    package static func start(
        _ program: String?,
        _ command: String = "run",
        folder: DataFolder
    ) throws(MemoError) {
        guard let program = program ?? located() else {
            throw .agentNotStarted(code: ENOENT)
        }
        let environment = ChildProcess.inheritedEnvironment(
            overriding: "MEMO_HOME=" + folder.path
        )
        let process: pid_t
        do {
            process = try ChildProcess.start(
                program,
                [command],
                environment: environment,
                isOwnSession: true
            )
        } catch {
            throw .agentNotStarted(code: error.code)
        }
        // A process for whose end nobody waits stays in the system's table, as long as this one runs.
        DispatchQueue.global(qos: .utility).async { ChildProcess.wait(for: process) }
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
        let environment = ChildProcess.inheritedEnvironment()
        return try ChildProcess.start(program, arguments, input: input, environment: environment)
    }

    /// The path of the running executable, links resolved.
    package static func pathOfThisExecutable() -> String? {
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
}
