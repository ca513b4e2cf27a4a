import Outbox
import OutboxCore
import OutboxSQLite
import SQLite
import Synchronization

/// The draft that one box writes, and the claim to it.
struct Composing: Sendable {
    let lock: DraftLock
    let number: Int64
}

extension MemoBox {
    /// Takes over the draft of the most recent interrupted compose, and returns its text.
    ///
    /// Leaves alone a draft that another running process is writing. Passes over a draft that does
    /// not open under the present key, and keeps that draft unchanged.
    ///
    /// - Returns: `nil` when there is none.
    /// - Throws: ``MemoError``; a key that cannot be read now is an error.
    public func draft() throws(MemoError) -> String? {
        try translatingErrors {
            try composing.withLock { composing in
                if let number = composing?.number {
                    return try storedDraft(number)?.openedText(as: .draft, with: outbox.sealer)
                }
                let numbers = try storage.read { connection in
                    try connection.query(
                        "SELECT number FROM memo_draft ORDER BY created_at DESC LIMIT 32",
                        row: { $0.integer(0) }
                    )
                }
                guard !numbers.isEmpty else { return nil }
                let lock = try DraftLock(folder: folder)
                for number in numbers where lock.take(number) {
                    // Read under the claim: its last composer may have sent it a moment ago.
                    let text = try storedDraft(number)?.openedText(
                        as: .draft,
                        with: outbox.sealer
                    )
                    guard let text else { continue }
                    composing = Composing(lock: lock, number: number)
                    return text
                }
                return nil
            }
        }
    }

    /// Replaces this box's draft, sealed and durable. An empty text discards it.
    ///
    /// Waits for the disk: call it when typing pauses rather than at each key.
    public func saveDraft(_ text: String) throws(MemoError) {
        guard !text.isEmpty else { return try discardDraft() }
        try translatingErrors {
            let sealed = try SealedBytes(
                sealing: Array(text.utf8),
                kind: .draft,
                with: outbox.sealer
            )
            let number = try composing.withLock { composing in
                if composing == nil { composing = try freeDraft() }
                return composing!.number
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
    }

    /// Deletes this box's draft. The drafts of other composers stay.
    public func discardDraft() throws(MemoError) {
        guard let number = composing.withLock({ $0?.number }) else { return }
        try translatingErrors {
            try storage.write { try Self.deleteDraft(number, in: $0) }
        }
    }

    static func deleteDraft(_ number: Int64, in connection: Connection) throws {
        try connection.run("DELETE FROM memo_draft WHERE number = ?", .integer(number))
    }

    private func storedDraft(_ number: Int64) throws -> SealedBytes? {
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
    private func freeDraft() throws -> Composing {
        let lock = try DraftLock(folder: folder)
        var number: Int64 = 1
        while true {
            if lock.take(number), try isFree(number) {
                return Composing(lock: lock, number: number)
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
