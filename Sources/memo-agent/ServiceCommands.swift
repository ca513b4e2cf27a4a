import ArgumentParser
import MemoDelivery
import MemoKit
import MemoProcesses
import MemoTexts
import WireCore

struct InstallCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "install",
        abstract:
            "Have the agent deliver without a call of memo: as a service of systemd or launchd.",
        discussion: """
            Writes units of systemd into ~/.config/systemd/user, or an agent of launchd into \
            ~/Library/LaunchAgents, and starts it. The service starts at each login and every 15 \
            minutes, and ends when nothing is left to deliver. It runs this program, and gets \
            MEMO_HOME, XDG_DATA_HOME, MEMO_KEY_STORE and SSL_CERT_FILE as they are now. An earlier \
            service is \
            replaced; a file that this command did not write is left alone, and nothing is changed.

            Without a login nothing runs, unless the person's services linger: loginctl \
            enable-linger.

            With --json: {"service": "installed", "timer" (active, inactive, unreachable), \
            "lingering" (boolean, or null), "changes": [{"path", "change" (written, unchanged)}]}. \
            Exits with 0 also where no service manager answers, which finds the service when it \
            starts; with 69 where it answers and does not run the service; with 73 where nothing, \
            or not all, could be written.
            """
    )

    @Flag(help: "Print the result as JSON.")
    var json = false

    func run() throws {
        let report = Report(json: json)
        do {
            let service = try AgentService.ofThisProcess()
            let (changes, activity) = try service.install()
            let facts = ServiceFacts(service: service, stored: .current, activity: activity)
            report.tell(changes.words(in: report.language) + facts.findings(in: report.language))
            report.print([("service", .string("installed"))] + facts.json + changes.json)
            if activity == .inactive { throw ExitCode(ExitStatus.unavailable.rawValue) }
        } catch let error as any EndingError {
            throw report.failure(error)
        }
    }
}

struct UninstallCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "uninstall",
        abstract: "Remove the service; memos stay stored.",
        discussion: """
            Ends the service, which finishes the work under way, and removes what memo agent \
            install has written, and nothing else.

            With --json: {"service": "missing", "changes": [{"path", "change" (removed, kept)}]}.
            """
    )

    @Flag(help: "Print the result as JSON.")
    var json = false

    func run() throws {
        let report = Report(json: json)
        do {
            let changes = try AgentService.toBeRemoved().uninstall()
            let missing = report.language.string(.serviceMissing)
            report.tell(changes.words(in: report.language) + [missing])
            report.print([("service", .string("missing"))] + changes.json)
        } catch let error as any EndingError {
            throw report.failure(error)
        }
    }
}

struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show whether the service is installed and runs, and what to do.",
        discussion: """
            With --json: {"service" (current, outdated, missing, foreign), "path" (of the file \
            that is outdated or foreign, or null), "timer" (active, inactive, unreachable), \
            "lingering" (boolean, or null)}. Exits with 0 when the service of this version is \
            installed and its timer active, else with 69.
            """
    )

    @Flag(help: "Print the result as JSON.")
    var json = false

    func run() throws {
        let report = Report(json: json)
        do {
            let service = try AgentService.ofThisProcess()
            let (stored, activity) = try service.status()
            let facts = ServiceFacts(service: service, stored: stored, activity: activity)
            if !json {
                for finding in facts.findings(in: report.language) {
                    StandardOutput.write(finding + "\n")
                }
            }
            report.print(
                [("service", .string(stored.name)), ("path", .optional(stored.path))] + facts.json
            )
            if stored != .current || activity != .active {
                throw ExitCode(ExitStatus.unavailable.rawValue)
            }
        } catch let error as any EndingError {
            throw report.failure(error)
        }
    }
}

/// The facts about a service that a person, or a script, is told.
private struct ServiceFacts {
    let service: AgentService
    let stored: AgentService.Stored
    let activity: ServiceActivity

    /// Sentences: how the service is doing, and what to do.
    func findings(in language: Language) -> [String] {
        switch stored {
        case .missing: return [language.string(.serviceMissing)]
        case .foreign(let path): return [language.string(.serviceForeign, path)]
        case .outdated(let path): return [language.string(.serviceOutdated, path)]
        case .current: break
        }
        var findings: [String] = []
        switch activity {
        case .active: findings.append(language.string(.serviceRuns))
        case .inactive: findings.append(language.string(.serviceInactive, service.advice))
        case .unreachable: findings.append(language.string(.serviceUnreachable))
        }
        if service.isLingering == false {
            findings.append(language.string(.serviceNeedsLogin, "loginctl enable-linger"))
        }
        return findings
    }

    var json: [(String, JSON)] {
        [
            ("timer", .string(activity.rawValue)),
            ("lingering", service.isLingering.map { .bool($0) } ?? .null),
        ]
    }
}

extension [AgentService.Change] {
    fileprivate func words(in language: Language) -> [String] {
        map { change in
            let text: CommandText =
                switch change.kind {
                case .written: .serviceWritten
                case .unchanged: .serviceUnchanged
                case .removed: .serviceRemoved
                case .kept: .serviceKept
                }
            return language.string(text, change.path)
        }
    }

    fileprivate var json: [(String, JSON)] {
        let changes = map { change in
            JSON.object([
                ("path", .string(change.path)), ("change", .string(change.kind.rawValue)),
            ])
        }
        return [("changes", .array(changes))]
    }
}

extension AgentService.Stored {
    fileprivate var name: String {
        switch self {
        case .missing: "missing"
        case .current: "current"
        case .outdated: "outdated"
        case .foreign: "foreign"
        }
    }

    fileprivate var path: String? {
        switch self {
        case .missing, .current: nil
        case .outdated(let path), .foreign(let path): path
        }
    }
}
