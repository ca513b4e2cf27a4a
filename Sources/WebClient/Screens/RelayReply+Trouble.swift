import MemoCore
import OutboxCore

extension RelayReply {
    /// The notice for an answer that is not a success.
    func trouble(now: WallTime) -> Notice {
        if status == 429 { return tooManyRequests(now: now) }
        guard let problem else {
            return Notice(text: status >= 500 ? .relayFailed : .notARelay, tone: .error)
        }
        switch problem.code {
        case "invalid-address": return Notice(text: .addressInvalid, tone: .error)
        case "code-rejected": return Notice(text: .codeRejected, tone: .error)
        default: return Notice(text: .relayFailed, tone: .error)
        }
    }

    private func tooManyRequests(now: WallTime) -> Notice {
        guard let wait = wait(now: now), wait.count <= 600_000 else {
            return Notice(text: .tooManyRequestsLater, tone: .error)
        }
        return Notice(
            text: .tooManyRequests,
            values: [decimal((wait.count + 999) / 1000)],
            tone: .error
        )
    }
}
