import OutboxCore
import RelayRules
import RelayServer
import SQLite

extension SQLiteTables {
    func requests(for subject: [UInt8], in window: RateWindow) throws -> RateUse {
        try database.first(
            "SELECT count(*), min(at) FROM code_request WHERE subject = ? AND at > ? AND at < ?",
            .blob(subject),
            .integer(window.start.millisecondsSinceEpoch),
            .integer(window.end.millisecondsSinceEpoch)
        ) { row in
            RateUse(
                count: Int(row.integer(0)),
                oldest: row.isNull(1) ? nil : WallTime(millisecondsSinceEpoch: row.integer(1))
            )
        } ?? RateUse(count: 0, oldest: nil)
    }

    func latestRequest(for subject: [UInt8]) throws -> WallTime? {
        try database.first(
            "SELECT at FROM code_request WHERE subject = ? ORDER BY at DESC LIMIT 1",
            .blob(subject)
        ) { WallTime(millisecondsSinceEpoch: $0.integer(0)) }
    }

    func insertRequest(for subject: [UInt8], at now: WallTime) throws {
        try database.run(
            "INSERT INTO code_request(subject, at) VALUES(?, ?)",
            .blob(subject),
            .integer(now.millisecondsSinceEpoch)
        )
    }

    func dropRequests(for subject: [UInt8]) throws {
        try database.run("DELETE FROM code_request WHERE subject = ?", .blob(subject))
    }

    func dropRequests(for subject: [UInt8], before window: RateWindow) throws {
        try database.run(
            "DELETE FROM code_request WHERE subject = ? AND at <= ?",
            .blob(subject),
            .integer(window.start.millisecondsSinceEpoch)
        )
    }

    func dropRequests(outside window: RateWindow) throws {
        try database.run(
            "DELETE FROM code_request WHERE at <= ? OR at >= ?",
            .integer(window.start.millisecondsSinceEpoch),
            .integer(window.end.millisecondsSinceEpoch)
        )
    }
}
