import LibC
public import MemoCore
public import Outbox
import OutboxCore

/// The state of a device, without any memo.
public struct Diagnosis {
    /// Everything that needs a person, the most serious first.
    public private(set) var problems: [MemoError] = []
    /// The folder of the person's data.
    public let folder: DataFolder
    /// The state of the key.
    public let key: KeyState
    /// Whether somebody is signed in, or about to.
    public private(set) var account = AccountStanding.unknown
    /// The account that is signed in; `nil` for none, and for one that does not open.
    public private(set) var recipient: Account?
    /// The outbox's numbers; `nil` for an outbox that cannot be read.
    public private(set) var outbox: OutboxState?
    /// The failures of the agent after its latest success, the latest first.
    public let agentErrors: [AgentError]
    /// The recent measurements of each kind in microseconds, the latest first.
    public private(set) var recentTimings: [TimingKind: [Int64]] = [:]
    private var needPerson = 0
    private var notArrived = 0

    /// The state of the key, found without opening the key.
    public enum KeyState: String, Sendable {
        /// The key file is there, for this user alone, and can be read.
        case present
        /// The key is in a keyring, which was not asked.
        case keyring
        /// There is no key file. In a new folder the first memo makes one.
        case missing
        /// Other users may read the key file.
        case permissions
        /// The key file is there and cannot be read.
        case unreadable
    }

    /// Reads the state of a device. Makes an empty folder and database where there is none, tries
    /// what storing needs, calls the courier, and changes nothing else.
    ///
    /// - Parameters:
    ///   - folder: The folder of the person's data.
    ///   - hasCourier: Whether anything of this device can deliver.
    ///   - open: Opens the folder.
    ///   - call: Calls the courier where memos are queued.
    public init(
        of folder: DataFolder,
        hasCourier: Bool,
        opening open: () throws(MemoError) -> MemoBox,
        calling call: (MemoBox) -> Void
    ) {
        self.folder = folder
        key = Self.keyState(folder)
        // An agent that is called from here may note others.
        let failure = folder.agentFailure
        agentErrors = AgentError.all(inLog: folder.log)
        do {
            let box = try open()
            account = try box.accountStanding()
            outbox = try box.outboxState()
            needPerson = try box.entriesThatNeedPerson()
            notArrived = try box.unseenFailures()
            call(box)
            for kind in TimingKind.allCases {
                recentTimings[kind] = try box.timings(kind).map(\.microseconds)
            }
            // Opens something sealed, so that a key that does not fit is noticed.
            recipient = try box.account()
            _ = try box.settings()
            _ = try box.history(limit: 1)
            problems = try box.damage()
            try box.tryStoring()
        } catch {
            problems.insert(error, at: 0)
        }
        problems += deliveryProblems(failure, hasCourier)
    }

    /// The problems that keep stored memos from leaving.
    private func deliveryProblems(
        _ agentFailure: String?,
        _ hasCourier: Bool
    ) -> [MemoError] {
        var problems: [MemoError] = []
        if !hasCourier { problems.append(.agentNotStarted(code: ENOENT)) }
        if account == .signedOutElsewhere { problems.append(.signedOutElsewhere) }
        if let outbox, outbox.queued > 0 {
            if account == .signedOut || account == .codeAsked { problems.append(.noAccount) }
            if let absence = folder.relayAbsence, account == .signedIn {
                problems.append(
                    .relayUnreached(
                        relay: recipient?.relay ?? "—",
                        since: absence.since,
                        reason: absence.reason.description,
                        waiting: outbox.queued
                    )
                )
            }
        }
        if needPerson > 0 { problems.append(.entriesNeedPerson(needPerson)) }
        if notArrived > 0 { problems.append(.memosNotArrived(notArrived)) }
        if let agentFailure { problems.append(.agentCannotWork(agentFailure)) }
        return problems
    }

    private static func keyState(_ folder: DataFolder) -> KeyState {
        if let home = folder.keyHome, home != .file { return .keyring }
        let path = folder.key
        var status = stat()
        guard stat(path, &status) == 0 else { return errno == ENOENT ? .missing : .unreadable }
        if status.st_mode & 0o077 != 0 { return .permissions }
        return access(path, R_OK) == 0 ? .present : .unreadable
    }
}
