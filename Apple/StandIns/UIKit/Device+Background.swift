// The device while the app is not on the screen: the time that the app has, and what the system does to an
// app that keeps what it has to give back.

import Synchronization

/// Whether the app runs, and why. The scheduler of tasks asks on threads of its own.
private struct Waking: Sendable {
    var isRunning = false
    var isLaunching = false
    var isInFront = false
    /// Counts the processes of the app: what is left of an ended one does nothing to the next one.
    var process = 0
    /// The background tasks of the application, and those of the scheduler.
    var tasks = 0
    /// Counts the begun tasks.
    var begun = 0
    /// The folder that the app shares with its extensions, and the identifier of their group.
    var group: String?
    var groupIdentifier: String?
}

private let waking = Mutex(Waking())

extension Device {
    /// The folder of the app group: in it no lock may be held while the app is suspended.
    public nonisolated static var group: String? {
        get { waking.withLock { $0.group } }
        set { waking.withLock { $0.group = newValue } }
    }

    /// The identifier of the app group that the app was signed with.
    public nonisolated static var groupIdentifier: String? {
        get { waking.withLock { $0.groupIdentifier } }
        set { waking.withLock { $0.groupIdentifier = newValue } }
    }

    /// Whether the code runs in an extension, which has no application.
    public static var isExtension = false
    /// Whether the system gives no time in the background.
    public static var refusesTime = false {
        didSet { Activities.refusesTime = refusesTime }
    }
    private static var application: (any UIApplicationDelegate)?
    private static var expirations: [Int: () -> Void] = [:]
    private static var begun = 0
    /// The last task of an ended process.
    private static var lastOfEnded = 0

    /// How many background tasks of the application have begun and not ended.
    public static var backgroundTasks: Int { expirations.count }

    /// How many tasks run: those of the application, those of the scheduler and expiring activities.
    public nonisolated static var runningTasks: Int { waking.withLock { $0.tasks } }

    // MARK: The launch

    /// Whether the process has been launched and not ended.
    @_spi(Device) public nonisolated static var isRunning: Bool {
        waking.withLock { $0.isRunning }
    }

    /// Whether a window is on the screen.
    @_spi(Device) public nonisolated static var isInFrontNow: Bool {
        waking.withLock { $0.isInFront }
    }

    /// Whether the app is launching, so that launch handlers can be registered.
    @_spi(Device) public nonisolated static var isLaunching: Bool {
        waking.withLock { $0.isLaunching }
    }

    /// The system launches the process, without a scene.
    public static func start(_ delegate: any UIApplicationDelegate) {
        application = delegate
        waking.withLock { ($0.isRunning, $0.isLaunching) = (true, true) }
        guard delegate.application(UIApplication.shared, didFinishLaunchingWithOptions: nil) else {
            fatalError("the app has not launched")
        }
        waking.withLock { $0.isLaunching = false }
    }

    // MARK: Background tasks

    static func beginTask(_ expiration: (@MainActor @Sendable () -> Void)?)
        -> UIBackgroundTaskIdentifier
    {
        if refusesTime { return .invalid }
        begun += 1
        expirations[begun] = expiration ?? {}
        _ = noteTask()
        return UIBackgroundTaskIdentifier(rawValue: begun)
    }

    static func endTask(_ identifier: UIBackgroundTaskIdentifier) {
        guard identifier.rawValue > lastOfEnded else { return }
        guard expirations.removeValue(forKey: identifier.rawValue) != nil else {
            fatalError("a background task that is not running was ended")
        }
        noteEndOfTask(of: process)
    }

    static func forgetTasks() {
        (application, expirations) = (nil, [:])
        lastOfEnded = begun
        (refusesTime, isExtension) = (false, false)
        waking.withLock {
            $0 = Waking(
                process: $0.process + 1,
                begun: $0.begun,
                group: $0.group,
                groupIdentifier: $0.groupIdentifier
            )
        }
    }

    /// The app's time in the background is over.
    public static func suspend() {
        for expire in expirations.values { expire() }
        Activities.expire()
        guard expirations.isEmpty else {
            fatalError("a background task was not ended in time: the system kills the app")
        }
        note("suspended")
    }

    // MARK: Suspension

    static func noteFront() { waking.withLock { $0.isInFront = true } }

    static func noteLeft() {
        waking.withLock { $0.isInFront = false }
        suspendIfNothingRuns()
    }

    private nonisolated static var process: Int { waking.withLock { $0.process } }

    /// Notes that a task has begun.
    ///
    /// - Returns: The process that has the task.
    @_spi(Device) public nonisolated static func noteTask() -> Int {
        waking.withLock { waking in
            waking.tasks += 1
            waking.begun += 1
            return waking.process
        }
    }

    @_spi(Device) public nonisolated static func noteEndOfTask(of process: Int) {
        // Before anybody hears of the end: what a test opens then is not the process's.
        let isLast = waking.withLock { $0.process == process && $0.tasks == 1 }
        if isLast { suspendIfNothingRuns(but: 1) }
        let isAlive = waking.withLock { waking in
            guard waking.process == process else { return false }
            waking.tasks -= 1
            return true
        }
        if isAlive, !isLast { suspendIfNothingRuns() }
    }

    /// Apple: an app that is neither in front nor has time is suspended, and killed if it then has a
    /// lock in the group's folder, of a file or of SQLite (0xdead10cc).
    ///
    /// - Parameter ending: How many tasks are ending.
    private nonisolated static func suspendIfNothingRuns(but ending: Int = 0) {
        let (begun, group) = waking.withLock { waking in
            (waking.begun, waking.isInFront || waking.tasks > ending ? nil : waking.group)
        }
        let locked = group.map(lockedFiles) ?? []
        // What has begun meanwhile may have locks.
        let isSuspended = waking.withLock { $0.begun == begun && !$0.isInFront }
        guard locked.isEmpty || !isSuspended else {
            fatalError(
                "the app is suspended with a lock in its app group, and killed: \(locked.joined(separator: ", "))"
            )
        }
    }

    /// The names of a folder's files that this process has locked, by proc_pid_fdinfo(5).
    private nonisolated static func lockedFiles(_ folder: String) -> [String] {
        let descriptors = "/proc/self/fdinfo"
        guard let open = try? FileManager.default.contentsOfDirectory(atPath: descriptors) else {
            fatalError("this system does not tell its locks")
        }
        var places: Set<String> = []
        for descriptor in open {
            // A descriptor that was closed meanwhile has no lock.
            let path = "\(descriptors)/\(descriptor)"
            let info = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
            for line in info.split(separator: "\n") where line.hasPrefix("lock:") {
                let fields = line.split { $0 == " " || $0 == "\t" }
                places.insert(String(fields[6]))
            }
        }
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
        return names.filter { name in
            let found = try? FileManager.default.attributesOfItem(atPath: folder + "/" + name)
            guard let device = found?[.systemNumber].flatMap({ UInt64("\($0)") }),
                let file = found?[.systemFileNumber].flatMap({ UInt64("\($0)") })
            else { fatalError("\(name) has no number") }
            let major = (device >> 8) & 0xFFF | (device >> 32) & 0xFFFF_F000
            let minor = device & 0xFF | (device >> 12) & 0xFFFF_FF00
            return places.contains("\(hex(major)):\(hex(minor)):\(file)")
        }
    }

    private nonisolated static func hex(_ number: UInt64) -> String {
        (number < 16 ? "0" : "") + String(number, radix: 16)
    }
}
