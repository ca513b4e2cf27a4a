import Outbox
import OutboxCore

extension StorageConformance {
    static var closingChecks: [Check] {
        [
            Check(description: "a closed storage refuses every call, and is closed once more") {
                try $0.insert([operation(1)])
                let claim = try $0.claimDrain()
                $0.close()
                for (name, call) in everyCall {
                    try expectThrow(.closed, $0, name, call)
                }
                $0.close()
                try expectThrow(.closed, $0) { _ = try $0.counts() }
                withExtendedLifetime(claim) {}
            }
        ]
    }

    private static var everyCall: [(String, (Storage) throws -> Void)] {
        let (entry, envelope) = (EntryID(rawValue: 1), operation(1).envelope)
        let removal = Settlement(entry: entry, id: envelope.id, transition: .remove)
        return [
            ("insert", { try $0.insert([operation(2)]) }),
            ("insert nothing new", { try $0.insert([operation(1), operation(1)]) }),
            ("eligible", { _ = try $0.eligible(at: now, limit: 1) }),
            ("settle", { try $0.settle([removal]) }),
            ("quarantine", { try $0.quarantine(entry, reason: .record, as: nil) }),
            ("entries(in:)", { _ = try $0.entries(in: .queued, after: nil, limit: 1) }),
            (
                "entries(waitingFor:)",
                { _ = try $0.entries(waitingFor: .backoff, beyond: now, limit: 1) }
            ),
            ("entry(for:)", { _ = try $0.entry(for: envelope.id) }),
            ("requeue", { try $0.requeue(entry, as: envelope) }),
            ("replaceRecord", { _ = try $0.replaceRecord(entry, from: [1, 0, 255], to: [1]) }),
            ("endWaits", { try $0.endWaits(for: .network) }),
            ("delete", { try $0.delete(entry) }),
            ("counts", { _ = try $0.counts() }),
            ("isUnused", { _ = try $0.isUnused() }),
            ("markUsed", { try $0.markUsed() }),
            ("damage, noticed", { _ = try $0.damage(checkingUpTo: 0) }),
            ("damage", { _ = try $0.damage(checkingUpTo: .max) }),
            ("claimDrain", { _ = try $0.claimDrain() }),
        ]
    }

    /// Closes storages over the same files in the middle of their work, and opens others at once.
    static func checkClosing(_ open: () throws -> Storage) async throws {
        try await checkClosingAmongInserts(open)
        let (first, second) = (try open(), try open())
        var claim = try first.claimDrain()
        try expect(claim != nil)
        first.close()
        try expect(try second.counts().queued >= 0)
        try expect(try second.claimDrain() == nil)
        withExtendedLifetime(claim) {}
        claim = nil
        try expect(try second.claimDrain() != nil)
    }

    /// An insert returns, and its operation is stored; or it throws
    /// ``/Outbox/StorageError/closed``, and its operation is not stored.
    private static func checkClosingAmongInserts(_ open: () throws -> Storage) async throws {
        let storage = try open()
        let operations = (1000..<1060).map(operation)
        let stored = try await withThrowingTaskGroup(of: OperationID?.self) { tasks in
            for (number, operation) in operations.enumerated() {
                tasks.addTask {
                    do {
                        try storage.insert([operation])
                        return operation.envelope.id
                    } catch StorageError.closed {
                        return nil
                    }
                }
                if number == 30 {
                    tasks.addTask {
                        storage.close()
                        return nil
                    }
                }
            }
            return try await tasks.reduce(into: Set()) { $0.formUnion($1.map { [$0] } ?? []) }
        }
        let reopened = try open()
        for operation in operations {
            let isThere = try reopened.entry(for: operation.envelope.id) != nil
            try expect(isThere == stored.contains(operation.envelope.id))
        }
    }
}
