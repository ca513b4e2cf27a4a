import LibC
public import MemoCore
public import MemoKit
public import Outbox
public import OutboxCore

/// A box in a process that has an agent deliver.
extension MemoBox {
    /// Opens the folder with the keys that this process's environment asks for: the first key goes
    /// to the place that `MEMO_KEY_STORE` names, else into the keyring if the keyring is open, else
    /// into a file.
    ///
    /// - Parameters:
    ///   - folder: The folder of the person's data.
    ///   - log: Called for every transition of the outbox; see ``Outbox/OutboxEvent``. `nil`: the
    ///     transitions are appended to ``/MemoKit/DataFolder/log``.
    /// - Throws: ``/MemoKit/MemoError``.
    public convenience init(
        folder: DataFolder,
        log: (@Sendable (OutboxEvent) -> Void)? = nil
    ) throws(MemoError) {
        try self.init(folder: folder, keys: .ofEnvironment(), log: log)
    }

    /// Opens the folder, as `init(folder:log:)` does, for a command that stores no memo.
    ///
    /// - Throws: ``/MemoKit/MemoError``, as ``/MemoKit/MemoBox/reading(_:keys:)``.
    public static func reading(_ folder: DataFolder) throws(MemoError) -> MemoBox {
        try .reading(folder, keys: .ofEnvironment())
    }

    /// Calls the running agent, or starts one, so that the stored memos are delivered.
    ///
    /// - Parameters:
    ///   - call: The reason. An agent that is started does what every reason asks for.
    ///   - agent: The program that delivers; `nil` for ``AgentProgram/located()``.
    /// - Returns: ``Summons/noAccount`` when nobody is signed in; no agent was started then.
    /// - Throws: ``/MemoKit/MemoError/agentNotStarted(code:)``. What is stored stays stored.
    @discardableResult
    public func summonAgent(
        for call: Bell.Call = .outbox,
        from agent: String? = nil
    ) throws(MemoError) -> Summons {
        if BellPaths(folder: folder).ring(for: call) { return .heard }
        guard try hasAccount() else { return .noAccount }
        try AgentProgram.start(agent, folder: folder)
        return .started
    }

    /// Calls or starts an agent where somebody is signed in and the outbox has memos to deliver.
    ///
    /// A failure costs time, not a memo: the next send calls again.
    ///
    /// - Returns: `nil` when no agent was needed, or none could be called.
    @discardableResult
    public func summonAgentForRest() -> Summons? {
        guard (try? hasAccount()) == true, (try? isAnythingQueued()) == true else { return nil }
        return try? summonAgent()
    }

    /// The type of the failure that ended the last agent, for a warning; `nil` for none.
    ///
    /// - Parameter summons: The answer to the call. An agent that has heard the call works.
    public func agentFailure(after summons: Summons?) -> String? {
        summons == .started ? folder.agentFailure : nil
    }

    /// Has the agent ask the relay for news of sent memos, and waits for the answer. Where no news can
    /// come, it calls the agent like ``summonAgentForRest()``, and does not wait.
    ///
    /// A failure costs news, not a memo.
    ///
    /// - Parameter patience: The longest wait.
    /// - Returns: The age of what is known of the sent memos.
    public func askForNews(patience: Milliseconds = Milliseconds(1500)) -> NewsAge {
        guard (try? awaitsNews()) == true, (try? accountStanding()) == .signedIn else {
            summonAgentForRest()
            return .present
        }
        let clock = OutboxClock.system
        let start = clock.wallTime()
        guard (try? summonAgent(for: .news)) != nil else { return .past(folder.news?.read) }
        // The agent writes a small file, which a poll of a few microseconds reads.
        for _ in 0..<max(1, patience.count / Self.newsPoll.count) {
            usleep(UInt32(Self.newsPoll.count * 1000))
            if let news = folder.news, news.asked >= start { break }
        }
        let read = folder.news?.read
        return read.map { $0 >= start } == true ? .present : .past(read)
    }

    private static var newsPoll: Milliseconds { Milliseconds(10) }

    /// The answer to a person whose memo was stored.
    ///
    /// - Parameters:
    ///   - id: The memo.
    ///   - summons: The answer to the call of the agent; `nil` when no agent could be called.
    public func sendAnswer(
        to id: OperationID,
        after summons: Summons?
    ) throws(MemoError) -> SendAnswer {
        let isBlocked = summons == nil || agentFailure(after: summons) != nil
        return try sendAnswer(to: id, isBlocked: isBlocked)
    }
}

/// The age of what this device knows of sent memos.
public enum NewsAge: Hashable, Sendable {
    /// The relay was asked just now, or can have no news.
    case present
    /// The relay was asked last at this time; `nil` for never.
    case past(WallTime?)
}

/// The result of calling the agent.
public enum Summons: Hashable, Sendable {
    /// A running agent heard the bell.
    case heard
    /// An agent was started.
    case started
    /// Nobody is signed in; what is stored waits for `memo login`.
    case noAccount
}
