import Outbox
import OutboxCore

extension StorageConformance {
    /// Entries under their numbers: their records, lists of them, and deleting them.
    static var entryChecks: [Check] {
        [
            Check(description: "a record is replaced in any state, and nothing else changes") {
                try $0.insert((1...3).map(operation))
                try $0.settle(.park(waiting(1, until: now, .nothing)), for: id(operation(1)))
                let second = try $0.entry(for: id(operation(2)))!
                try $0.quarantine(second.id, reason: .unknownKey, as: nil)
                for number in 1...3 {
                    let before = try $0.entry(for: id(operation(number)))!
                    try expect(
                        try $0.replaceRecord(before.id, from: before.record, to: [9, 9])
                    )
                    let after = try $0.entry(for: id(operation(number)))!
                    try expect(after.record == [9, 9] && after.id == before.id)
                    try expect(after.state == before.state && after.envelope == before.envelope)
                    try expect(after.quarantineReason == before.quarantineReason)
                }
                let eligible = try $0.eligible(at: now, limit: 9).entries
                try expect(eligible.map(\.operationID) == [id(operation(3))])
            },
            Check(description: "a record is replaced only while it is the one that is expected") {
                try $0.insert([operation(1), operation(2)])
                let entry = try $0.entry(for: id(operation(1)))!
                try expect(try !$0.replaceRecord(entry.id, from: [7], to: [9]))
                try expect(try $0.entry(for: id(operation(1)))!.record == entry.record)
                try expect(try $0.replaceRecord(entry.id, from: entry.record, to: [9]))
                try expect(try !$0.replaceRecord(entry.id, from: entry.record, to: [8]))
                try expect(try $0.entry(for: id(operation(1)))!.record == [9])
                let other = try $0.entry(for: id(operation(2)))!
                try $0.delete(other.id)
                try expect(try !$0.replaceRecord(other.id, from: other.record, to: [9]))
                try expect(try $0.entry(for: id(operation(2))) == nil)
            },
            Check(description: "a look-up reads every record that its caller does not have") {
                try $0.insert((1...4).map(operation))
                let whole = try $0.eligible(at: now, limit: 3)
                let known: Set = [id(operation(1)), id(operation(4))]
                let parts = try $0.eligible(at: now, limit: 3, withoutRecordsOf: known)
                try expect(parts.entries.map(\.id) == whole.entries.map(\.id))
                try expect(parts.entries.map(\.operationID) == whole.entries.map(\.operationID))
                try expect(parts.nextEligibleAt == whole.nextEligibleAt)
                for (part, entry) in zip(parts.entries, whole.entries).dropFirst() {
                    try expect(part.record == entry.record && part.envelope == entry.envelope)
                }
            },
            Check(description: "lists go on after the last entry seen") { storage in
                try storage.insert((1...5).map(operation))
                var seen: [OperationID?] = []
                var last: EntryID?
                while true {
                    let page = try storage.entries(in: .queued, after: last, limit: 2)
                    if page.isEmpty { break }
                    seen += page.map(\.operationID)
                    last = page.last?.id
                }
                try expect(seen == (1...5).map { id(operation($0)) })
            },
            Check(description: "a list of envelopes is the list of the entries") { storage in
                try storage.insert((1...6).map(operation))
                for number in 2...4 {
                    try storage.settle(
                        .park(waiting(number, until: now, .nothing)),
                        for: id(operation(number))
                    )
                }
                let damaged = try storage.entry(for: id(operation(5)))!
                try storage.quarantine(damaged.id, reason: .unknownKey, as: nil)
                for state in OperationState.allCases {
                    let entries = try storage.entries(in: state, after: nil, limit: 9)
                    for (last, limit) in [(EntryID?.none, 9), (entries.first?.id, 1)] {
                        let listed = try storage.envelopes(in: state, after: last, limit: limit)
                        let expected = try storage.entries(in: state, after: last, limit: limit)
                        try expect(listed.map(\.entry) == expected.map(\.id))
                        try expect(listed.map(\.bytes) == expected.map(\.envelope))
                    }
                }
            },
            Check(description: "a number that no entry has names none, however great") { storage in
                try storage.insert([operation(1), operation(2)])
                for number in [Int64.min, -1, 0, .max - 1, .max] {
                    let id = EntryID(rawValue: number)
                    try storage.quarantine(id, reason: .record, as: nil)
                    try storage.requeue(id, as: operation(1).envelope)
                    try storage.delete(id)
                    try expect(try !storage.replaceRecord(id, from: [1, 0, 255], to: [9]))
                    for state in OperationState.allCases {
                        let found = try storage.entries(in: state, after: id, limit: 9)
                        try expect(found.count == (state == .queued && number <= 0 ? 2 : 0))
                    }
                }
                try expect(try storage.counts() == OutboxCounts(queued: 2))
            },
            Check(description: "a deleted entry is gone") {
                try $0.insert([operation(1)])
                try $0.delete(try $0.eligible(at: now, limit: 1).entries[0].id)
                try expect(try $0.counts() == OutboxCounts())
            },
        ]
    }
}
