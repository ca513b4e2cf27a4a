import OutboxCore
import OutboxTesting
import SimulatedBrowser

/// A machine of the person's: it keeps memos, and delivers them.
protocol Device: AnyObject {
    var name: String { get }
    var clock: SimulatedClock { get }
    var connection: Connection { get }
    /// Memos that are still to be written, the next one last.
    var unwritten: [WrittenMemo] { get set }

    /// Starts every process that does not run.
    func start()
    /// Takes back whatever is wrong, and starts every process anew.
    func heal()
    /// Ends every process.
    func end()

    // MARK: The person

    /// Writes the next memo, in any of the processes.
    func write()
    /// Retries or deletes one of those that wait for the person.
    func decide(deletingOnly: Bool)
    /// Changes one of the settings that all devices share.
    func edit()
    /// Signs a device out that nobody uses any more.
    func signOutFormer()

    // MARK: Faults

    /// Any of the processes that run.
    var anyProcess: (any DeviceProcess)? { get }
    /// Lets `body` happen to whichever process is about to do something soon.
    func lightFuse(_ body: @escaping (any DeviceProcess) -> Void)
    func cutPower()
    func setOnline(_ isOnline: Bool)
    /// Gives the disk this fault; `nil` for none.
    func setDisk(_ condition: Fault?)
    /// Lets the key be there, or not.
    func setKey(isThere: Bool)

    // MARK: What is stored

    /// The number of queued operations.
    var queued: Int { get }
    /// Where the operation is; `nil` if it is not stored here.
    func place(of id: OperationID) -> Observation.OnDevice?
    /// The bytes that whoever takes out the disk finds.
    var allBytes: [[UInt8]] { get }
    /// What it has of what all devices share; `nil` for a device that shares nothing.
    var shared: SharedFound? { get }
    /// Whether it has sent and pulled all that devices share, but for changes that wait for the person.
    var isShared: Bool { get }
}

/// A process of a device: a program, or a page or a service worker of a browser.
protocol DeviceProcess: AnyObject {
    var name: String { get }
    var isAlive: Bool { get }
    var connection: Connection { get }

    /// Ends as a program does that is asked to, or a page that is closed.
    func end()
    /// Ends in the middle of whatever it does.
    func die()
}
