import LibC
import MemoCore
public import MemoKit

/// Composing as a whole command.
public enum Compose {
    /// Composes on the terminal.
    ///
    /// - Returns: How the command ends; a signal ends the process right here.
    public static func run(clock: TerminalClock) -> ExitStatus {
        // Output that goes elsewhere is no reason not to write: the other end may be a terminal.
        guard let output = [STDOUT_FILENO, STDERR_FILENO].first(where: { isatty($0) != 0 }) else {
            StandardError.complain(Language.ofThisProcess.string(.needsTerminal))
            return .usage
        }
        let composer = Composer(output: output, clock: clock) { () throws(MemoError) in
            try MemoBox(folder: DataFolder.current())
        }
        switch composer.run() {
        case .left: return composer.loss?.exitStatus ?? .success
        case .terminalLost:
            guard let loss = composer.loss else { return .success }
            // Standard error may be elsewhere.
            StandardError.complain(Composer.lossNotice(loss, in: .ofThisProcess))
            return loss.exitStatus
        case .signal(let number): ComposerSignals.die(of: number)
        }
    }
}
