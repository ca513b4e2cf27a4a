import Logging
import MemoCore
import MemoKit
import OutboxCore
import RelayAPI

/// Asks the relay what became of sent memos, and stores the answer. Beside the delivery: whatever
/// happens here, no memo waits for it, and another run of the agent asks again.
struct StatusReader: Sendable {
    /// The pages of one reading. The next reading goes on behind them.
    private static let mostPages = 64
    /// The longest cursor, in bytes.
    private static let longestCursor = 64

    let box: MemoBox
    let client: RelayClient
    let logger: Logger

    /// Reads until the task is cancelled: soon again at first, because mail takes a moment, later
    /// once a minute. Calls of senders, however many, keep no news away.
    ///
    /// - Parameter pause: The time between the first two readings, which then doubles.
    func follow(from pause: Duration = .seconds(5)) async {
        var pause = pause
        while !Task.isCancelled {
            await read()
            try? await Task.sleep(for: pause)
            pause = min(pause * 2, .seconds(60))
        }
    }

    /// Reads the changes behind the stored cursor. Sends no request while no sent memo waits for
    /// news, and stops when the task is cancelled.
    func read() async {
        do {
            for _ in 0..<Self.mostPages {
                guard !Task.isCancelled, try box.awaitsNews(), try await readPage() else { return }
            }
        } catch {
            guard !Task.isCancelled else { return }
            note((error as? RelayFailure)?.reason ?? "statuses.not-stored")
        }
    }

    /// - Returns: Whether there may be another page.
    private func readPage() async throws -> Bool {
        guard let account = try box.account(), let relay = try? RelayLocation(account.relay) else {
            return false
        }
        let cursor = try box.changesCursor()
        // A cursor that cannot be part of a URL is as good as none.
        let usable = cursor.flatMap { Self.isCursor($0) ? $0 : nil }
        let reply = try await client.exchange(
            "GET",
            RelayPath.memoChanges + (usable.map { "?after=" + $0 } ?? ""),
            at: relay,
            token: account.token
        )
        guard let page = reply.success(MemoChanges.self), Self.isCursor(page.cursor) else {
            return try refused(reply, cursor)
        }
        guard page.cursor != cursor else { return false }
        let changes = page.changes.compactMap { MemoChange($0) }
        return try box.store(changes, cursor: page.cursor, after: cursor) && page.more
    }

    /// Forgets a cursor that the relay does not accept.
    ///
    /// - Returns: Whether to begin anew.
    private func refused(_ reply: RelayReply, _ cursor: String?) throws -> Bool {
        guard let problem = reply.problem else {
            note(.notOurAnswer)
            return false
        }
        note(ReasonCode(utf8: Array("relay.\(problem.code.rawValue)".utf8)))
        guard cursor != nil, [400, 404, 410, 422].contains(problem.status) else { return false }
        return try box.store([], cursor: nil, after: cursor)
    }

    /// A failure costs news, not a memo.
    private func note(_ reason: ReasonCode) {
        logger.notice("statuses not read", metadata: ["error": "\(reason)"])
    }

    private static func isCursor(_ text: String) -> Bool {
        let bytes = text.utf8
        return !bytes.isEmpty && bytes.count <= longestCursor
            && bytes.allSatisfy {
                switch $0 {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: true
                default: false
                }
            }
    }
}

extension MemoChange {
    /// - Returns: `nil` for a change that no history can take.
    init?(_ told: MemoStatus) {
        guard let id = OperationID(text: told.id.utf8),
            let status = HistoryStatus(
                told: Array(told.status.rawValue.utf8),
                reason: told.reason.map { Array($0.utf8) }
            )
        else { return nil }
        self.init(id: id, status: status)
    }
}
