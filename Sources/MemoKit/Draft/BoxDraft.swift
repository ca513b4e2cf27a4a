import MemoCore
import Outbox
import OutboxCore
import OutboxSQLite
import SQLite
import Synchronization

/// The draft of one composer: a row of the box's table, and the lock that keeps other composers off the
/// row.
///
/// Safe to use from any thread.
final class BoxDraft: Sendable {
    private struct Claim: Sendable {
        let lock: DraftLock
        let number: Int64
    }

    private let folder: DataFolder
    private let storage: SQLiteStorage
    private let claim = Mutex<Claim?>(nil)

    /// A composer's draft, before one is claimed.
    init(folder: DataFolder, storage: SQLiteStorage) {
        self.folder = folder
        self.storage = storage
    }

    /// The draft's number; `nil` before one is claimed.
    var number: Int64? { claim.withLock { $0?.number } }

    /// The text of the claimed draft; before one is claimed, claims the preferred draft, or else the most
    /// recent one, of those that no running composer has.
    ///
    /// - Parameters:
    ///   - preferred: The number of the draft to try first.
    ///   - spared: Numbers of drafts to leave alone.
    /// - Returns: `nil` when there is none.
    func text(
        with sealer: Sealer,
        preferring preferred: Int64?,
        sparing spared: Set<Int64>
    ) throws -> String? {
        try claim.withLock { claim in
            if let number = claim?.number {
                return try stored(number)?.openedText(as: .draft, with: sealer)
            }
            let numbers = try storage.read { connection in
                // Of one millisecond, the one that began later: numbers are given in order.
                try connection.query(
                    "SELECT number FROM memo_draft"
                        + " ORDER BY number IS ? DESC, created_at DESC, number DESC LIMIT 32",
                    preferred.map { .integer($0) } ?? .null,
                    row: { $0.integer(0) }
                )
            }.filter { $0 == preferred || !spared.contains($0) }
            guard !numbers.isEmpty else { return nil }
            let lock = try DraftLock(folder: folder)
            for number in numbers where lock.take(number) {
                // Read under the claim: its last composer may have sent it a moment ago.
                let text = try stored(number)?.openedText(as: .draft, with: sealer)
                guard let text else {
                    lock.free(number)
                    continue
                }
                claim = Claim(lock: lock, number: number)
                return text
            }
            return nil
        }
    }

    /// Stores a text in place of the former one, under a new number where none is claimed.
    func save(_ sealed: SealedBytes) throws {
        let number = try claim.withLock { claim in
            let held = try claim ?? newClaim()
            claim = held
            return held.number
        }
        let columns = sealed.columns
        try storage.write { connection in
            _ = try connection.run(
                "INSERT OR REPLACE INTO memo_draft VALUES (?, ?, ?, ?)",
                .integer(number),
                columns.id,
                columns.createdAt,
                columns.record
            )
        }
    }

    /// Lets go of the claimed draft, and of its lock.
    ///
    /// - Returns: The stored draft; `nil` when none is claimed, or nothing is stored under its number.
    func release() throws -> ClosedDraft? {
        try claim.withLock { claim in
            let released = claim
            claim = nil
            guard let number = released?.number, let id = try stored(number)?.id else { return nil }
            return ClosedDraft(number: number, id: id)
        }
    }

    /// Claims a draft that an earlier box has let go of. Claims nothing when it is no longer the one
    /// that is stored, or another composer has it.
    func claim(_ draft: ClosedDraft) throws {
        try claim.withLock { claim in
            let lock = try DraftLock(folder: folder)
            guard claim == nil, lock.take(draft.number), try stored(draft.number)?.id == draft.id
            else { return }
            claim = Claim(lock: lock, number: draft.number)
        }
    }

    /// Deletes the draft of a number, as part of a transaction.
    static func delete(_ number: Int64, in connection: Connection) throws {
        try connection.run("DELETE FROM memo_draft WHERE number = ?", .integer(number))
    }

    private func stored(_ number: Int64) throws -> SealedBytes? {
        try storage.read { connection in
            let found = try connection.first(
                "SELECT id, created_at, sealed FROM memo_draft WHERE number = ?",
                .integer(number),
                row: { SealedBytes($0, from: 0) }
            )
            return found ?? nil
        }
    }

    /// Claims a number under which nothing is stored.
    private func newClaim() throws -> Claim {
        let lock = try DraftLock(folder: folder)
        var number: Int64 = 1
        while true {
            if lock.take(number) {
                if try isFree(number) { return Claim(lock: lock, number: number) }
                lock.free(number)
            }
            number += 1
        }
    }

    private func isFree(_ number: Int64) throws -> Bool {
        try storage.read { connection in
            let found = try connection.first(
                "SELECT 1 FROM memo_draft WHERE number = ?",
                .integer(number),
                row: { $0.integer(0) }
            )
            return found == nil
        }
    }
}
