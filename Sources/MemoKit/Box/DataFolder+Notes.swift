import LibC
public import MemoCore
public import OutboxCore

extension DataFolder {
    private var agentFailureFile: String { path + "/agent.failed" }

    /// The type of the failure that ended the last agent; `nil` when that agent worked.
    public var agentFailure: String? {
        guard let line = Self.line(of: agentFailureFile) else { return nil }
        let code = ReasonCode(utf8: line)
        return code.isPlain ? code.description : nil
    }

    /// Notes why an agent could not work; `nil` when an agent works. A note that cannot be written
    /// is left out: the log has it, too.
    package func noteAgentFailure(_ type: String?) {
        guard let type else {
            unlink(agentFailureFile)
            return
        }
        Self.write(type, to: agentFailureFile)
    }

    private var relayAbsenceFile: String { path + "/relay.absent" }

    /// The time since which the relay has not answered a memo; `nil` when it answered the last one.
    public var relayAbsence: RelayAbsence? {
        let parts = Self.line(of: relayAbsenceFile)?.split(separator: 0x20) ?? []
        guard parts.count == 2, let since = Int64(String(decoding: parts[0], as: UTF8.self))
        else { return nil }
        let reason = ReasonCode(utf8: Array(parts[1]))
        guard reason.isPlain else { return nil }
        return RelayAbsence(since: WallTime(millisecondsSinceEpoch: since), reason: reason)
    }

    /// Notes the end of an attempt: `nil` for an answer of the relay about the memo, else the reason
    /// for another attempt. A note that cannot be written is left out: the queue has the reason, too.
    package func noteAttempt(failedBecause reason: ReasonCode?, at now: WallTime) {
        let known = relayAbsence
        guard let reason, WayOut(lastError: reason) != .open else {
            if known != nil { unlink(relayAbsenceFile) }
            return
        }
        guard known?.reason != reason else { return }
        let since = known?.since ?? now
        Self.write("\(since.millisecondsSinceEpoch) \(reason)", to: relayAbsenceFile)
    }

    private var newsFile: String { path + "/news" }

    /// The agent's last questions for news; `nil` before the first one.
    package var news: NewsNote? {
        let parts = Self.line(of: newsFile)?.split(separator: 0x20) ?? []
        let times = parts.compactMap { Int64(String(decoding: $0, as: UTF8.self)) }
        guard times.count == 2, parts.count == 2 else { return nil }
        return NewsNote(
            asked: WallTime(millisecondsSinceEpoch: times[0]),
            read: times[1] < 0 ? nil : WallTime(millisecondsSinceEpoch: times[1])
        )
    }

    /// Notes that the agent has asked the relay for news.
    ///
    /// - Parameter isRead: Whether the relay told them.
    package func noteNews(isRead: Bool, at now: WallTime) {
        let read = isRead ? now : news?.read
        Self.write(
            "\(now.millisecondsSinceEpoch) \(read?.millisecondsSinceEpoch ?? -1)",
            to: newsFile
        )
    }

    /// Whether the agent that holds the lock looks at the outbox from time to time by itself,
    /// because there is no pipe in the folder.
    package var agentLooksByItself: Bool { Self.line(of: agentLock) == Array("looks".utf8) }

    /// Notes, in the file that the agent has locked, whether the agent looks by itself.
    package func noteAgentLooks(_ looks: Bool) {
        if looks != agentLooksByItself { Self.write(looks ? "looks" : "", to: agentLock) }
    }

    private var waitingWarningFile: String { path + "/waiting-warned" }

    /// The moment of the last warning that a memo waits for long; `nil` for none.
    var waitingWarning: WallTime? {
        let line = Self.line(of: waitingWarningFile) ?? []
        return Int64(String(decoding: line, as: UTF8.self)).map {
            WallTime(millisecondsSinceEpoch: $0)
        }
    }

    /// Notes the moment of a warning. Where that fails, the warning comes again.
    func noteWaitingWarning(at moment: WallTime) {
        Self.write("\(moment.millisecondsSinceEpoch)", to: waitingWarningFile)
    }

    private var ratingFile: String { path + "/rating" }

    /// When the person was asked for a rating; the rule of a new device where nothing is noted.
    public var rating: RatingRule {
        let parts = Self.line(of: ratingFile)?.split(separator: 0x20) ?? []
        let numbers = parts.compactMap { Int64(String(decoding: $0, as: UTF8.self)) }
        guard numbers.count == 3, parts.count == 3 else { return RatingRule() }
        func time(_ number: Int64) -> WallTime? {
            number < 0 ? nil : WallTime(millisecondsSinceEpoch: number)
        }
        return RatingRule(
            sentAtShowing: numbers[0],
            shownAt: time(numbers[1]),
            dismissedAt: time(numbers[2])
        )
    }

    /// Notes when the person was asked for a rating. Where that fails, the question comes again.
    public func noteRating(_ rule: RatingRule) {
        let times = [rule.shownAt, rule.dismissedAt].map { $0?.millisecondsSinceEpoch ?? -1 }
        Self.write("\(rule.sentAtShowing) \(times[0]) \(times[1])", to: ratingFile)
    }

    private static func line(of path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 128)
        let count = read(descriptor, &bytes, bytes.count)
        return count >= 0 ? Array(bytes[..<count].prefix { $0 != 0x0A }) : nil
    }

    private static func write(_ line: String, to path: String) {
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW
        let descriptor = open(path, flags, 0o600)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let bytes = line.isEmpty ? [] : Array(line.utf8) + [0x0A]
        _ = LibC.write(descriptor, bytes, bytes.count)
    }
}

/// The times of the questions for news.
package struct NewsNote: Hashable {
    /// The end of the last question.
    package let asked: WallTime
    /// The end of the last question that the relay answered; `nil` for none.
    package let read: WallTime?
}

/// A time in which the relay answers no memo.
public struct RelayAbsence: Hashable, Sendable {
    /// The first attempt without an answer.
    public let since: WallTime
    /// The reason of the latest attempt.
    public let reason: ReasonCode
}

extension MemoError {
    /// The type of an error that keeps an agent from working, for the log and the diagnosis.
    package var agentFailure: String {
        switch self {
        case .agentSilent: "agent.silent"
        case .readOnly: "agent.folder-read-only"
        case .diskFull: "agent.disk-full"
        case .folderUnusable: "agent.folder-unusable"
        case .busy: "agent.database-busy"
        default: "agent.cannot-work"
        }
    }
}
