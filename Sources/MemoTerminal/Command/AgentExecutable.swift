import LibC
import MemoCore
import MemoKit

/// `memo-agent`, which does everything that needs the network.
public enum AgentExecutable {
    /// Becomes `memo-agent` with these arguments: the one ``MemoKit/AgentProgram/located()``.
    public static func run(_ arguments: [String]) -> Never {
        let name = "memo-agent"
        let argv = ([name] + arguments).map { strdup($0) } + [nil]
        errno = ENOENT
        if let program = AgentProgram.located() { execv(program, argv) }
        let reason = systemMessage(errno)
        StandardError.complain(Language.ofThisProcess.string(.agentMissing, reason))
        Ending.exit(.unavailable)
    }
}
