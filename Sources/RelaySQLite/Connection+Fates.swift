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
}
