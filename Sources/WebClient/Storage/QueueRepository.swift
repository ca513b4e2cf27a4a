import MemoCore
import OutboxCore

/// The operations of the memos that wait, and the transitions that service workers have stored.
struct QueueRepository {
    let host: Host
    let vault: Vault

    // MARK: Sending

    /// Adds a memo to the outbox and to the history, and deletes its drafts; then empties the field,
    /// if `text` is all that the field holds.
    ///
    /// - Parameter then: Gets the answer of ``Host/perform(_:_:thenTaking:from:_:)``.
    func add(
        _ memo: SealedMemo,
        spending drafts: SpentDrafts,
        thenTaking text: [UInt8],
        _ then: @escaping (Answer) -> Void
    ) {
        var write = Transaction()
        memo.put(in: &write)
        drafts.delete(in: &write)
        host.perform(write, .strict, thenTaking: text, from: .memo, then)
    }

    /// Adds a memo in the place of a memo that did not arrive, whose status becomes `resent`. Fails, as
    /// overtaken, if that memo has another status by now: no memo is sent again twice.
    func add(
        _ memo: SealedMemo,
        replacing old: HistoryEntry,
        _ then: @escaping (Answer) -> Void
    ) {
        var write = Transaction()
        write.require(HistoryHead(old.status).encoded(), of: old.id.bytes, in: .history)
        memo.put(in: &write)
        write.setHead(HistoryHead(.resent).encoded(), of: old.id.bytes, in: .history)
        host.perform(write, .strict, then)
    }

    /// Counts the operations and drafts; none if the database cannot be read.
    func countUnsent(_ then: @escaping (Int) -> Void) {
        var read = Transaction()
        let (operations, drafts) = (read.count(in: .outbox), read.count(in: .drafts))
        host.read(read) { found in
            then(found[operations] + found[drafts])
        } orElse: {
            then(0)
        }
    }

    // MARK: Diagnostics

    /// Reads the first operations in the order of their heads, and the transitions that service
    /// workers have stored.
    func read(limit: UInt32, _ then: @escaping ([QueueEntry], TransitionLog) -> Void) {
        var read = Transaction()
        let operations = read.find(in: .outbox, by: .head, limit: limit, bodies: false)
        let log = read.get(.log)
        host.read(read) { found in
            then(
                found[operations].map { QueueEntry($0) },
                TransitionLog(decoding: found[log]?.body ?? [])
            )
        }
    }

    /// Reads the texts of operations from the history; `nil` stands for a text that cannot be read.
    func readTexts(of entries: [QueueEntry], _ then: @escaping ([[UInt8]?]) -> Void) {
        var read = Transaction()
        let records = entries.map { read.get($0.key, from: .history) }
        host.read(read) { found in
            let bodies = entries.indices.map { index in
                (
                    id: OperationID(bytes: entries[index].key) ?? OperationID(high: 0, low: 0),
                    body: found[records[index]]?.body ?? []
                )
            }
            vault.openTexts(bodies, then)
        }
    }

    /// Reads the transitions that service workers have stored.
    ///
    /// - Parameter then: Gets `nil` when the database could not be read.
    func readLog(_ then: @escaping (TransitionLog?) -> Void) {
        var read = Transaction()
        let stored = read.get(.log)
        host.read(read) { found in
            let log = TransitionLog(decoding: found[stored]?.body ?? [])
            then(log)
        } orElse: {
            then(nil)
        }
    }

    /// Changes the head of one operation, which becomes queued, and its status in the history.
    ///
    /// - Parameters:
    ///   - changed: Gets the head; returns the new one, or `nil` to leave all as it is.
    ///   - then: Gets whether it is changed.
    func requeue(
        _ key: [UInt8],
        _ changed: @escaping (OperationHead) -> OperationHead?,
        _ then: @escaping (Bool) -> Void
    ) {
        var read = Transaction()
        let (operation, entry) = (read.get(key, from: .outbox), read.get(key, from: .history))
        host.read(read) { found in
            guard let record = found[operation],
                let head = OperationHead(decoding: record.head), let new = changed(head)
            else { return then(false) }
            var write = Transaction()
            write.setHead(new, of: record)
            write.delete(FailureMark.key(of: key), from: .things)
            if let entry = found[entry], let head = HistoryHead(decoding: entry.head) {
                write.setHead(
                    HistoryHead(head.status.following(.queued)).encoded(),
                    of: key,
                    in: .history,
                    ifStill: entry.head
                )
            }
            host.perform(write, .relaxed) { then($0.isDone) }
        } orElse: {
            then(false)
        }
    }

    /// Deletes a memo from the outbox, so that it is never sent; from the history, too, or its
    /// status there becomes `deleted`.
    func delete(_ id: OperationID, fromHistory: Bool, _ then: @escaping (Bool) -> Void) {
        var write = Transaction()
        write.delete(id.bytes, from: .outbox)
        if fromHistory {
            write.delete(id.bytes, from: .history)
        } else {
            write.setHead(HistoryHead(.deleted).encoded(), of: id.bytes, in: .history)
        }
        host.perform(write, .strict) { then($0.isDone) }
    }
}

/// A memo that is sealed for the relay, and with that for the history.
struct SealedMemo {
    let id: OperationID
    let createdAt: WallTime
    /// The sealed request.
    let request: [UInt8]
    /// The length of the text, without a signature.
    let length: Int

    fileprivate func put(in write: inout Transaction) {
        let envelope = Envelope(id: id, kind: .memo, createdAt: createdAt)
        write.put(
            Record(key: id.bytes, head: OperationHead.queued(envelope).encoded(), body: request),
            in: .outbox
        )
        write.put(
            Record(
                key: id.bytes,
                head: HistoryHead(.queued).encoded(),
                body: HistoryText.encoded(length: length, request: request)
            ),
            in: .history
        )
    }
}
