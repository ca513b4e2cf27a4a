import ArgumentParser
import MemoCore
import MemoKit
import MemoTerminal

struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Show how this device is doing; nothing that was written, and no address.",
        discussion: """
            With --json: {"folder", "key" (present, keyring, missing, permissions, unreadable), \
            "account" (boolean), "problem" (or null), "outbox": {"queued", "parked", "quarantined", \
            "oldestAgeSeconds" (or null), "needsAttention"}, "agentErrors": [type, ...], "timeToText" and \
            "sendToReset": {"budgetMicroseconds", "medianMicroseconds" (or null), \
            "recentMicroseconds": [...]}}. Exits with the code of the problem, if there is one.
            """
    )

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        let diagnosis = Diagnosis(of: try DataFolder.current())
        StandardOutput.write(json ? diagnosis.json.line : diagnosis.text(in: .ofThisProcess))
        if let problem = diagnosis.problem { Ending.exit(problem.exitStatus) }
    }
}
