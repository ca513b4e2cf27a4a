public import Outbox
import OutboxCore

/// The contract of ``/Outbox/OutboxStorage`` as checks that every storage must pass.
///
/// ```swift
/// @Test(arguments: StorageConformance<MyStorage>.checks)
/// func conforms(_ check: StorageConformance<MyStorage>.Check) throws {
///     try check.run { try MyStorage(path: freshPath) }
/// }
/// ```
public enum StorageConformance<Storage: OutboxStorage> {
    /// A check of one guarantee.
    public struct Check: Sendable, CustomStringConvertible {
        /// The guarantee, as a sentence.
        public let description: String
        let body: @Sendable (Storage, _ seed: UInt64) throws -> Void

        init(description: String, body: @escaping @Sendable (Storage) throws -> Void) {
            self.init(description: description, drawing: { storage, _ in try body(storage) })
        }

        init(
            description: String,
            drawing body: @escaping @Sendable (Storage, UInt64) throws -> Void
        ) {
            self.description = description
            self.body = body
        }

        /// Runs the check on a fresh, empty storage.
        ///
        /// - Parameters:
        ///   - seed: The seed of a check that draws its course of events; the other checks ignore
        ///     the seed. One seed is one course.
        ///   - makeStorage: A function that makes the storage.
        /// - Throws: ``ConformanceFailure``, or the error of the storage.
        public func run(seed: UInt64 = 1, on makeStorage: () throws -> Storage) throws {
            try body(try makeStorage(), seed)
        }
    }

    /// All checks, in no particular order. Each check runs on a storage of its own.
    public static var checks: [Check] {
        generalChecks + entryChecks + settlementChecks + laneChecks + closingChecks
    }

    private static var generalChecks: [Check] {
        [
            Check(description: "eligible operations come in the order of insertion") { storage in
                let operations = (1...4).map(operation)
                for operation in operations { try storage.insert([operation]) }
                let eligible = try storage.eligible(at: now, limit: 3)
                try expect(eligible.entries.map(\.operationID) == operations.prefix(3).map(id))
                try expect(eligible.nextEligibleAt == nil)
                try expect(eligible.entries[0].record == operations[0].record)
                try expect(eligible.entries[0].envelope == operations[0].envelope.encoded())
            },
            Check(description: "an identifier that is taken is refused, and nothing is added") {
                try $0.insert([operation(1)])
                try expectThrow(StorageError.duplicate, $0) {
                    try $0.insert([operation(2), operation(1)])
                }
                try expect(try $0.counts() == OutboxCounts(queued: 1))
            },
            Check(description: "an identifier that was drawn is taken from then on") { storage in
                let drawn = operation(2)
                try storage.insert([operation(1), drawn])
                try expectThrow(StorageError.duplicate, storage) {
                    try $0.insert([
                        operation(3),
                        SealedOperation(envelope: drawn.envelope, record: drawn.record),
                    ])
                }
                try expect(try storage.counts() == OutboxCounts(queued: 2))
                let eligible = try storage.eligible(at: now, limit: 9).entries
                try expect(eligible.map(\.operationID) == [1, 2].map { id(operation($0)) })
            },
            Check(description: "a removed operation is gone, and removing it again is no error") {
                try $0.insert([operation(1), operation(2)])
                try $0.settle(.remove, for: id(operation(1)))
                try $0.settle(.remove, for: id(operation(1)))
                try expect(try $0.entry(for: id(operation(1))) == nil)
                try expect(try $0.counts() == OutboxCounts(queued: 1))
            },
            Check(description: "a rescheduled operation is not eligible before its time") {
                try $0.insert([operation(1)])
                let later = now.advanced(by: .seconds(5))
                try $0.settle(
                    .reschedule(waiting(1, until: later, .backoff)),
                    for: id(operation(1))
                )
                let before = try $0.eligible(at: now, limit: 3)
                try expect(before.entries.isEmpty && before.nextEligibleAt == later)
                let after = try $0.eligible(at: later, limit: 3)
                try expect(after.entries.count == 1 && after.nextEligibleAt == nil)
            },
            Check(description: "the next moment is told unless as many came as were asked for") {
                try $0.insert([operation(1), operation(2)])
                let later = now.advanced(by: .seconds(5))
                try $0.settle(
                    .reschedule(waiting(1, until: later, .backoff)),
                    for: id(operation(1))
                )
                try expect(try $0.eligible(at: now, limit: 1).nextEligibleAt == nil)
                try expect(try $0.eligible(at: now, limit: 2).nextEligibleAt == later)
            },
            Check(description: "unknown fields of an envelope survive a reschedule") { storage in
                var envelope = waiting(1, until: now, .backoff)
                envelope.unknownFields = [UnknownField(tag: 200, value: [1, 2, 3])]
                try storage.insert([operation(1)])
                try storage.settle(.reschedule(envelope), for: envelope.id)
                let entry = try storage.entry(for: envelope.id)
                try expect(entry.map { try Envelope(decoding: $0.envelope) } == envelope)
            },
            Check(description: "a parked operation is kept out of the queue, and listed") {
                try $0.insert([operation(1), operation(2)])
                try $0.settle(.park(waiting(1, until: now, .nothing)), for: id(operation(1)))
                try expect(try $0.eligible(at: now, limit: 3).entries.count == 1)
                try expect(try $0.counts() == OutboxCounts(queued: 1, parked: 1))
                let parked = try $0.entries(in: .parked, after: nil, limit: 10)
                try expect(parked.map(\.operationID) == [id(operation(1))])
            },
            Check(description: "a quarantined entry keeps its bytes and leaves the queue") {
                try $0.insert([operation(1)])
                let stored = try $0.eligible(at: now, limit: 1).entries[0]
                try $0.quarantine(stored.id, reason: .notAuthentic, as: nil)
                try expect(try $0.eligible(at: now, limit: 1).entries.isEmpty)
                let kept = try $0.entries(in: .quarantined, after: nil, limit: 1)
                try expect(kept.first?.record == stored.record)
                try expect(kept.first?.envelope == stored.envelope)
                try expect(kept.first?.quarantineReason == .notAuthentic)
            },
            Check(description: "any entry can be queued again") {
                try $0.insert([operation(1), operation(2)])
                try $0.settle(.park(waiting(1, until: now, .nothing)), for: id(operation(1)))
                let second = try $0.eligible(at: now, limit: 1).entries[0]
                try $0.quarantine(second.id, reason: .unknownKey, as: nil)
                for state in [OperationState.parked, .quarantined] {
                    for entry in try $0.entries(in: state, after: nil, limit: 9) {
                        let envelope = try Envelope(decoding: entry.envelope)
                        try $0.requeue(entry.id, as: envelope.madeEligible())
                    }
                }
                try expect(try $0.counts() == OutboxCounts(queued: 2))
                try expect(try $0.eligible(at: now, limit: 9).entries.count == 2)
            },
            Check(description: "the return of the network ends only waits for the network") {
                let later = now.advanced(by: .seconds(600))
                try $0.insert((1...3).map(operation))
                let causes: [(Int, WaitCause)] = [(1, .network), (2, .server), (3, .backoff)]
                for (number, cause) in causes {
                    try $0.settle(
                        .reschedule(waiting(number, until: later, cause)),
                        for: id(operation(number))
                    )
                }
                try $0.endWaits(for: .network)
                let eligible = try $0.eligible(at: now, limit: 9)
                try expect(eligible.entries.map(\.operationID) == [id(operation(1))])
                let envelope = try Envelope(decoding: eligible.entries[0].envelope)
                try expect(envelope.waitCause == .nothing && envelope.attemptCount == 1)
            },
            Check(description: "waits are listed by cause, the farthest first") {
                try $0.insert((1...3).map(operation))
                for number in 1...3 {
                    let until = now.advanced(by: .seconds(Int64(number)))
                    try $0.settle(
                        .reschedule(
                            waiting(number, until: until, number == 3 ? .server : .backoff)
                        ),
                        for: id(operation(number))
                    )
                }
                let waiting = try $0.entries(waitingFor: .backoff, beyond: now, limit: 9)
                try expect(waiting.map(\.operationID) == [2, 1].map { id(operation($0)) })
            },
            Check(description: "use is remembered") {
                try expect(try $0.isUnused())
                try $0.markUsed()
                try $0.markUsed()
                try expect(try !$0.isUnused())
            },
            Check(description: "one drainer at a time, and the role is free when it is gone") {
                var claim = try $0.claimDrain()
                try expect(claim != nil)
                try expect(try $0.claimDrain() == nil)
                // A refused claim has freed nothing.
                try expect(try $0.claimDrain() == nil)
                claim = nil
                try expect(try $0.claimDrain() != nil)
            },
            Check(description: "a record of one mebibyte comes back byte for byte") { storage in
                let bytes = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 7) }
                let large = SealedOperation(envelope: operation(1).envelope, record: bytes)
                try storage.insert([large])
                try expect(try storage.entry(for: id(large))?.record == bytes)
            },
        ]
    }

    static var now: WallTime { WallTime(millisecondsSinceEpoch: 1_800_000_000_000) }

    static func operation(_ number: Int) -> SealedOperation { operation(number, nil) }

    /// Identifiers are in the order of the numbers.
    static func operation(_ number: Int, _ lane: OrderingKey?) -> SealedOperation {
        let id = OperationID(time: now, random: (0, UInt64(number)))
        return SealedOperation(
            envelope: Envelope(id: id, kind: "conformance", createdAt: now, orderingKey: lane),
            record: [UInt8(truncatingIfNeeded: number), 0, 255]
        )
    }

    static func id(_ operation: SealedOperation) -> OperationID { operation.envelope.id }

    static func waiting(
        _ number: Int,
        until moment: WallTime,
        _ cause: WaitCause
    ) -> Envelope {
        var envelope = operation(number).envelope
        envelope.nextEligibleAt = moment
        envelope.waitCause = cause
        envelope.attemptCount = 1
        return envelope
    }

    static func expect(
        _ condition: @autoclosure () throws -> Bool,
        _ circumstances: String? = nil,
        file: String = #fileID,
        line: UInt = #line
    ) throws {
        guard try condition() else {
            throw ConformanceFailure(file: file, line: line, circumstances: circumstances)
        }
    }

    static func expectThrow(
        _ expected: StorageError,
        _ storage: Storage,
        _ circumstances: String? = nil,
        file: String = #fileID,
        line: UInt = #line,
        _ body: (Storage) throws -> Void
    ) throws {
        do {
            try body(storage)
        } catch let error as StorageError where error == expected {
            return
        }
        throw ConformanceFailure(file: file, line: line, circumstances: circumstances)
    }
}

/// A storage broke its contract.
public struct ConformanceFailure: Error, CustomStringConvertible {
    /// The file that contains the failed check, as the compiler names it.
    public let file: String
    /// The line of the failed check.
    public let line: UInt
    /// The circumstances that repeat the failure, such as the seed of a random check.
    public let circumstances: String?

    package init(file: String, line: UInt, circumstances: String?) {
        self.file = file
        self.line = line
        self.circumstances = circumstances
    }

    /// A text with the file, the line and the circumstances.
    public var description: String {
        "\(file):\(line) does not hold" + (circumstances.map { " (\($0))" } ?? "")
    }
}
