import LibC
import MemoKit
import MemoProcesses

/// The agent as a service of the person's session, so that what waits leaves without a call of
/// `memo`: units of systemd, or an agent of launchd.
///
/// A person has one such service. An installation replaces and removes only files of installations:
/// each has a mark, and what has none is left alone.
public struct AgentService: Sendable {
    /// A step of an installation: one file or link.
    public struct Change: Hashable, Sendable {
        public enum Kind: String, Hashable, Sendable {
            case written, unchanged, removed, kept
        }

        public let kind: Kind
        public let path: String
    }

    /// The state of the files on the disk.
    public enum Stored: Hashable, Sendable {
        case missing
        case current
        /// The path is not as this version writes it for this data folder.
        case outdated(String)
        /// The path is not of an installation.
        case foreign(String)
    }

    private let files: ServiceFiles
    private let manager: ServiceManager
    private let lingerFile: String?
    private let run: ServiceManager.Run

    /// - Parameter lingerFile: The file that is there while the person's service manager runs
    ///   without a login; `nil` where no person chooses that.
    init(
        files: ServiceFiles,
        manager: ServiceManager,
        lingerFile: String?,
        run: @escaping ServiceManager.Run
    ) {
        self.files = files
        self.manager = manager
        self.lingerFile = lingerFile
        self.run = run
    }

    /// The service of the person, and of the data folder, that this process's environment names. It
    /// runs this very program.
    ///
    /// - Throws: ``ServiceError/unfit(_:)``; ``ServiceError/homeless`` when the environment names no
    ///   home; ``ServiceError/failed(_:code:)`` when this program's file is gone.
    public static func ofThisProcess() throws(ServiceError) -> AgentService {
        let path = AgentProgram.pathOfThisExecutable() ?? "memo-agent"
        guard access(path, X_OK) == 0 else { throw .failed(path, code: errno) }
        return try ofThisPerson(running: ServiceProgram(path: path, variable: variable))
    }

    /// The service of the person, to be removed: whatever it runs.
    ///
    /// - Throws: ``ServiceError/homeless`` when the environment names no home.
    public static func toBeRemoved() throws(ServiceError) -> AgentService {
        try ofThisPerson(running: ServiceProgram(path: "/memo-agent") { _ in nil })
    }

    private static func ofThisPerson(
        running program: ServiceProgram
    ) throws(ServiceError) -> AgentService {
        func folder(_ name: String) -> String? {
            variable(name).flatMap { $0.utf8.first == 0x2F ? $0 : nil }
        }
        #if os(macOS)
            guard let home = folder("HOME") else { throw .homeless }
            let files = LaunchdAgent.files(of: program, in: home)
            let manager = ServiceManager.launchd(user: getuid(), file: files.entries[0].path)
            let lingerFile: String? = nil
        #else
            let settings = folder("XDG_CONFIG_HOME") ?? folder("HOME").map { $0 + "/.config" }
            guard let settings else { throw .homeless }
            let files = try SystemdUnits.files(of: program, in: settings)
            let manager = ServiceManager.systemd
            let lingerFile = getpwuid(getuid()).map {
                "/var/lib/systemd/linger/" + String(cString: $0.pointee.pw_name)
            }
        #endif
        return AgentService(files: files, manager: manager, lingerFile: lingerFile) {
            ChildProcess.run($0, $1, within: .seconds(120))
        }
    }

    private static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    /// The command line by which a person asks the service manager for more.
    public var advice: String { manager.advice }

    /// Whether the person's service manager starts with the machine, and not with a login; `nil`
    /// where no person chooses that.
    public var isLingering: Bool? { lingerFile.map { access($0, F_OK) == 0 } }

    /// Writes what is not as it should be, and has the service manager load and start it.
    ///
    /// The files hold also where no service manager answers: it finds them when it starts.
    ///
    /// - Throws: ``ServiceError/foreign(_:)`` before anything is changed;
    ///   ``ServiceError/failed(_:code:)``.
    public func install() throws(ServiceError) -> (changes: [Change], ServiceActivity) {
        let states = try self.states()
        if let (entry, _) = states.first(where: { $0.state == .foreign }) {
            throw .foreign(entry.path)
        }
        var changes: [Change] = []
        for (entry, state) in states {
            if state != .current { try entry.write() }
            let kind: Change.Kind = state == .current ? .unchanged : .written
            changes.append(Change(kind: kind, path: entry.path))
        }
        return (changes, manager.begin(run) { usleep(ServiceManager.pause) })
    }

    /// Ends the service, and removes what installations have written. The agent that runs finishes
    /// the work under way; memos stay stored.
    ///
    /// - Returns: Nothing for a file that is not there.
    /// - Throws: ``ServiceError/failed(_:code:)``.
    public func uninstall() throws(ServiceError) -> [Change] {
        let states = try self.states().filter { $0.state != .missing }
        let isOurs = states.contains { $0.state != .foreign }
        if isOurs { manager.end(run) }
        var changes: [Change] = []
        // A link goes before the file that it names.
        for (entry, state) in states.reversed() {
            if state != .foreign { try entry.remove() }
            let kind: Change.Kind = state == .foreign ? .kept : .removed
            changes.append(Change(kind: kind, path: entry.path))
        }
        for folder in files.folders { rmdir(folder) }
        if isOurs { manager.forget(run) }
        return changes
    }

    /// The state of the files on the disk, and the service manager's answer about the service.
    ///
    /// - Throws: ``ServiceError/failed(_:code:)``.
    public func status() throws(ServiceError) -> (stored: Stored, ServiceActivity) {
        let states = try self.states()
        let activity = manager.activity(run)
        func first(_ isMeant: (ServiceFiles.Entry.State) -> Bool) -> String? {
            states.first { isMeant($0.state) }?.entry.path
        }
        if let path = first({ $0 == .foreign }) { return (.foreign(path), activity) }
        if first({ $0 != .missing }) == nil { return (.missing, activity) }
        if let path = first({ $0 != .current }) { return (.outdated(path), activity) }
        return (.current, activity)
    }

    private func states() throws(ServiceError) -> [(
        entry: ServiceFiles.Entry, state: ServiceFiles.Entry.State
    )] {
        var states: [(entry: ServiceFiles.Entry, state: ServiceFiles.Entry.State)] = []
        for entry in files.entries { states.append((entry, try entry.state())) }
        return states
    }
}
