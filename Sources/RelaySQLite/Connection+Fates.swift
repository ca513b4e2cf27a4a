import OutboxCore
import RelayAPI
import RelayRules
import SQLite

extension Connection {
    /// Records a memo's fate as its latest change. Does nothing for a mail that is no memo's.
    func record(_ fate: MemoFate, of mail: OperationID, at now: WallTime) throws {
        try run(
            """
            UPDATE memo SET status = ?, reason = ?, changed_at = ?,
                change = \(RelaySchema.nextChange)
            WHERE operation = ?
            """,
            .text(fate.status.rawValue),
            fate.reason.map { .text($0.description) } ?? .null,
            .integer(now.millisecondsSinceEpoch),
            .blob(mail.bytes)
        )
    }

    /// Records a bounce, once.
    func record(_ bounce: MailBounce) throws -> MailBounceResult {
        let status = try first(
            "SELECT status FROM memo WHERE operation = ?",
            .blob(bounce.mail.bytes)
        ) { DeliveryStatus(rawValue: $0.text(0)) }
        let result = MailBounceResult(status)
        if result == .recorded { try record(bounce.fate, of: bounce.mail, at: bounce.now) }
        return result
    }
}
