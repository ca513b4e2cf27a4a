/// The agent as an agent of a person's launchd: started at login, and then again and again.
///
/// The format: `launchd.plist(5)`.
enum LaunchdAgent {
    static let label = "simple-memo.agent"

    /// - Parameter folder: The person's home folder.
    static func files(of program: ServiceProgram, in folder: String) -> ServiceFiles {
        let path = "\(folder)/Library/LaunchAgents/\(label).plist"
        return ServiceFiles(
            entries: [ServiceFiles.Entry(path: path, content: .text(text(program)))],
            folders: []
        )
    }

    static func text(_ program: ServiceProgram) -> String {
        let environment = program.environment.map { variable in
            "        <key>\(variable.name)</key>\n"
                + "        <string>\(escaped(variable.value))</string>\n"
        }
        let variables =
            environment.isEmpty
            ? ""
            : "    <key>EnvironmentVariables</key>\n    <dict>\n\(environment.joined())    </dict>\n"
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <!-- \(ServiceFiles.mark) -->
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
            "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">
            <dict>
                <key>Label</key>
                <string>\(label)</string>
                <key>ProgramArguments</key>
                <array>
                    <string>\(escaped(program.path))</string>
                    <string>run</string>
                </array>
            \(variables)    <key>RunAtLoad</key>
                <true/>
                <key>StartInterval</key>
                <integer>900</integer>
                <key>KeepAlive</key>
                <false/>
                <key>ProcessType</key>
                <string>Background</string>
            </dict>
            </plist>

            """
    }

    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            switch scalar {
            case "&": "&amp;"
            case "<": "&lt;"
            case ">": "&gt;"
            default: "\(scalar)"
            }
        }.joined()
    }
}
