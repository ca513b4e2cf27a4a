internal import MemoKit

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// `memo-agent`, which does everything that needs the network.
public enum AgentExecutable {
    /// Becomes `memo-agent` with these arguments: the one beside this executable, else the one on
    /// the search path.
    public static func run(_ arguments: [String]) -> Never {
        let name = "memo-agent"
        let argv = ([name] + arguments).map { strdup($0) } + [nil]
        if let sibling = AgentProgram.besideThisExecutable() { execv(sibling, argv) }
        if errno == ENOENT { execvp(name, argv) }
        let reason = String(cString: strerror(errno))
        Ending.fail(
            "memo-agent cannot be started (\(reason)). It belongs in the same folder as memo.",
            .unavailable
        )
    }
}
