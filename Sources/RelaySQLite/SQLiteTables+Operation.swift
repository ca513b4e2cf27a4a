import OutboxCore
import RelayRules
import RelayServer
import SQLite

/// What relay processes know of each other, and of themselves.
extension SQLiteTables {
    func nextTurn(of pace: PaceName) throws -> WallTime? {
        try database.first(
            "SELECT next FROM relay_pace WHERE name = ?",
            .text(pace.rawValue)
        ) { WallTime(millisecondsSinceEpoch: $0.integer(0)) }
    }

    func setNextTurn(_ turn: WallTime, of pace: PaceName) throws {
        try database.run(
            "INSERT OR REPLACE INTO relay_pace(name, next) VALUES(?, ?)",
            .text(pace.rawValue),
            .integer(turn.millisecondsSinceEpoch)
        )
    }

    func lastMovement() throws -> WallTime? {
        try database.first("SELECT at FROM relay_movement") {
            WallTime(millisecondsSinceEpoch: $0.integer(0))
        }
    }

    func noteMovement(at now: WallTime) throws {
        try database.run(
            "INSERT OR REPLACE INTO relay_movement(id, at) VALUES(0, ?)",
            .integer(now.millisecondsSinceEpoch)
        )
    }

    func runningTime() throws -> Milliseconds {
        let time = try database.first("SELECT milliseconds FROM relay_running") { $0.integer(0) }
        return Milliseconds(time ?? 0)
    }

    func setRunningTime(_ time: Milliseconds) throws {
        try database.run(
            "INSERT OR REPLACE INTO relay_running(id, milliseconds) VALUES(0, ?)",
            .integer(time.count)
        )
    }

    func tryWriting(at now: WallTime) throws {
        try database.run(
            "INSERT OR REPLACE INTO relay_trial(id, at) VALUES(0, ?)",
            .integer(now.millisecondsSinceEpoch)
        )
    }
}
