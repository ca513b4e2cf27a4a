/// A service manager's answer about the service.
public enum ServiceActivity: String, Hashable, Sendable {
    case active, inactive
    /// No service manager answers here.
    case unreachable
}

/// The program of the system that starts services, and the command lines that it is asked with.
///
/// Pure: a ``Run`` meets the system.
struct ServiceManager: Sendable {
    /// A command line, without the program's name.
    struct Command: Hashable, Sendable {
        let arguments: [String]
        /// The statuses that ask for patience: the command is called again after a pause, up to
        /// ``mostTries`` times.
        let notYet: Set<Int32>

        init(_ arguments: [String], notYet: Set<Int32> = []) {
            self.arguments = arguments
            self.notYet = notYet
        }
    }

    /// The number of calls of one command that asks for patience.
    static let mostTries = 40
    /// The pause between two of them, in microseconds.
    static let pause: UInt32 = 500_000

    /// The name of the program.
    let program: String
    /// The commands that load the stored files and start the service, in order. Only ``query`` tells whether it worked.
    let beginning: [Command]
    /// The commands that end the service, before its files are removed.
    let ending: [[String]]
    /// The commands by which the service manager forgets the service, after its files are removed.
    let forgetting: [[String]]
    /// The question whether the service is active. Status 0 means yes.
    let query: [String]
    /// The statuses of ``query`` that mean no. Any other says that nobody has answered.
    let inactive: Set<Int32>
    /// The command line by which a person asks for more.
    let advice: String

    /// A person's systemd, asked by `systemctl`, whose query ends with 3 for a unit that is not
    /// active or not known, and with 1 where there is no service manager:
    /// [systemctl(1)](https://www.freedesktop.org/software/systemd/man/systemctl.html#Exit%20status).
    static let systemd = ServiceManager(
        program: "systemctl",
        beginning: [
            Command(["--user", "daemon-reload"]),
            Command(["--user", "restart", SystemdUnits.timer]),
            // A waiting memo leaves now, and not with the timer.
            Command(["--user", "start", SystemdUnits.service]),
        ],
        ending: [
            // The agent that runs finishes the work under way, within the time that systemd gives.
            ["--user", "stop", SystemdUnits.timer, SystemdUnits.service],
            ["--user", "reset-failed", SystemdUnits.service],
        ],
        forgetting: [["--user", "daemon-reload"]],
        query: ["--user", "is-active", "--quiet", SystemdUnits.timer],
        inactive: [3, 4],
        advice: "systemctl --user status " + SystemdUnits.timer
    )

    /// A person's launchd, asked by `launchctl`, which knows no service of a name by status 113.
    static func launchd(user: UInt32, file: String) -> ServiceManager {
        let service = "gui/\(user)/\(LaunchdAgent.label)"
        return ServiceManager(
            program: "launchctl",
            beginning: [
                // A service that is loaded keeps its former text until it is removed.
                Command(["bootout", service]),
                // launchd answers a removal before the process of the service has ended: until then it
                // knows the service, and for a moment longer it takes no other one of that name (5, EIO;
                // 37, EALREADY): https://github.com/headroomlabs-ai/headroom/issues/1289
                Command(["print", service], notYet: [0]),
                Command(["bootstrap", "gui/\(user)", file], notYet: [5, 37]),
            ],
            ending: [["bootout", service]],
            forgetting: [],
            query: ["print", service],
            inactive: [113],
            advice: "launchctl print " + service
        )
    }

    /// Runs a program of the system to its end.
    ///
    /// Answers its exit status; `nil` where it is not there or does not end.
    typealias Run = @Sendable (_ program: String, _ arguments: [String]) -> Int32?

    /// - Parameter wait: Waits for ``pause``.
    func begin(_ run: Run, wait: () -> Void) -> ServiceActivity {
        for command in beginning {
            for _ in 0..<Self.mostTries {
                guard let status = run(program, command.arguments),
                    command.notYet.contains(status)
                else { break }
                wait()
            }
        }
        return activity(run)
    }

    func end(_ run: Run) { call(ending, run) }

    func forget(_ run: Run) { call(forgetting, run) }

    func activity(_ run: Run) -> ServiceActivity {
        guard let status = run(program, query) else { return .unreachable }
        if status == 0 { return .active }
        return inactive.contains(status) ? .inactive : .unreachable
    }

    private func call(_ lines: [[String]], _ run: Run) {
        for line in lines { _ = run(program, line) }
    }
}
