/// The agent as two units of a person's systemd: a service that delivers what waits, started with
/// the service manager, and a timer that starts the service again and again.
///
/// The formats: [systemd.service](https://www.freedesktop.org/software/systemd/man/systemd.service.html),
/// [systemd.timer](https://www.freedesktop.org/software/systemd/man/systemd.timer.html).
enum SystemdUnits {
    static let service = "simple-memo-agent.service"
    static let timer = "simple-memo-agent.timer"

    /// The units, and the links that `systemctl enable` would make: both hold where no service
    /// manager answers, too.
    ///
    /// - Parameter folder: The folder of the person's settings, such as `~/.config`.
    /// - Throws: ``ServiceError/unfit(_:)``.
    static func files(
        of program: ServiceProgram,
        in folder: String
    ) throws(ServiceError) -> ServiceFiles {
        let units = folder + "/systemd/user"
        func file(_ unit: String, _ text: String) -> ServiceFiles.Entry {
            ServiceFiles.Entry(path: "\(units)/\(unit)", content: .text(text))
        }
        func link(_ unit: String, wantedBy target: String) -> ServiceFiles.Entry {
            ServiceFiles.Entry(
                path: "\(units)/\(target).wants/\(unit)",
                content: .link("\(units)/\(unit)")
            )
        }
        return ServiceFiles(
            entries: [
                file(service, try serviceText(program)), file(timer, timerText),
                link(service, wantedBy: "default.target"), link(timer, wantedBy: "timers.target"),
            ],
            folders: [
                "\(units)/default.target.wants", "\(units)/timers.target.wants", units,
                folder + "/systemd",
            ]
        )
    }

    /// - Throws: ``ServiceError/unfit(_:)`` for a program's path that systemd refuses however it is
    ///   written: one with a quotation mark or a backslash.
    static func serviceText(_ program: ServiceProgram) throws(ServiceError) -> String {
        let refused: Set<Unicode.Scalar> = ["\"", "'", "\\"]
        guard refused.isDisjoint(with: program.path.unicodeScalars) else {
            throw .unfit(program.path)
        }
        let environment = program.environment.map { variable in
            "Environment=\"\(variable.name)=\(quoted(variable.value))\"\n"
        }
        return """
            # \(ServiceFiles.mark)
            [Unit]
            Description=Deliver the memos that wait on this device
            Documentation=man:memo-agent(1)

            [Service]
            Type=exec
            \(environment.joined())# The colon: a dollar sign in the path is a dollar sign.
            ExecStart=:"\(quoted(program.path))" run
            # Nobody is signed in.
            SuccessExitStatus=69
            # A notification outlives the agent that had it shown: its button works until it is closed.
            KillMode=process

            [Install]
            WantedBy=default.target

            """
    }

    /// A timer, and no path unit: a path unit misses a database that is renamed, and each write of
    /// an agent would start another one.
    static let timerText = """
        # \(ServiceFiles.mark)
        [Unit]
        Description=Deliver the memos that wait on this device, from time to time
        Documentation=man:memo-agent(1)

        [Timer]
        OnStartupSec=1min
        OnUnitInactiveSec=15min

        [Install]
        WantedBy=timers.target

        """

    /// A text between quotation marks, in which systemd expands specifiers and C escapes.
    private static func quoted(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            switch scalar {
            case "%": "%%"
            case "\"", "\\": "\\\(scalar)"
            default: "\(scalar)"
            }
        }.joined()
    }
}
