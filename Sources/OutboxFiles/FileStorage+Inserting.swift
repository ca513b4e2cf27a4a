public import Outbox
import OutboxCore

/// The insertion of operations, and its failures between writing a file and naming it.
extension FileStorage {
    /// Adds operations, durably: each file is synced, then the folder, once.
    ///
    /// Before this method returns, a crash may leave any of several operations, each of them whole.
    ///
    /// - Throws: ``/Outbox/StorageError``; ``/Outbox/OutboxError/invalidName`` for an envelope, and
    ///   ``/Outbox/OutboxError/payloadTooLong(limit:)`` for a record, that could not be read again.
    public func insert(_ operations: [SealedOperation]) throws {
        try calling {
            let names = operations.map { FileName.operation($0.envelope.id) }
            guard Set(names).count == names.count else { throw StorageError.duplicate }
            guard operations.allSatisfy(\.envelope.canBeRead) else { throw OutboxError.invalidName }
            guard operations.allSatisfy({ $0.record.count <= FileLayout.longestRecord }) else {
                throw OutboxError.payloadTooLong(limit: Self.maximumPayload)
            }
            let ids = operations.map(\.envelope.id)
            let gone = try withState { $0.goneBeforeFailure.intersection(ids) }
            try translating {
                try insertNew(operations.filter { !gone.contains($0.envelope.id) })
            }
            if !gone.isEmpty { try withState { $0.goneBeforeFailure.subtract(gone) } }
        }
    }

    // MARK: -

    private func insertNew(_ operations: [SealedOperation]) throws {
        guard !operations.isEmpty else { return }
        let names = operations.map { FileName.operation($0.envelope.id) }
        let numbers = try laneNumbers(for: operations)
        try write(try zip(operations, numbers).map(record), as: names)
        do {
            try files.syncFolder(paths.operations)
        } catch {
            try withState { state in
                let gone = try exclusively(&state) { state in takeBack(names, &state) }
                // A caller whose operations were all delivered must not be told to try again.
                guard gone.count < names.count else { return }
                state.goneBeforeFailure.formUnion(gone)
                throw error
            }
        }
    }

    /// Lane numbers behind all entries of the operations' lanes, in the order of the operations;
    /// `nil` for an operation without a lane.
    ///
    /// Another process may give the same numbers at the same time. Nobody can tell the order of
    /// such operations.
    private func laneNumbers(for operations: [SealedOperation]) throws -> [UInt64?] {
        guard operations.contains(where: { $0.envelope.orderingKey != nil }) else {
            return operations.map { _ in nil }
        }
        return try withState { state in
            try refresh(&state)
            var next: [OrderingKey: UInt64] = [:]
            return operations.map { operation in
                operation.envelope.orderingKey.map { key in
                    let number =
                        next[key]
                        ?? state.index?.nextNumber(in: key, for: operation.envelope.id) ?? 1
                    next[key] = number == .max ? .max : number + 1
                    return number
                }
            }
        }
    }

    private func record(
        of operation: SealedOperation,
        laneNumber: UInt64?
    ) throws -> FileRecord {
        var record = FileRecord(
            envelope: operation.envelope.encoded(),
            record: operation.record,
            laneNumber: laneNumber
        )
        record.waitEpoch = try epoch(for: operation.envelope)
        return record
    }

    /// Gives new files their names, all or none.
    private func write(_ records: [FileRecord], as names: [FileName]) throws {
        var temporaries: [TemporaryFile] = []
        do {
            for record in records {
                temporaries.append(
                    try TemporaryFile(holding: record.encoded(), paths: paths, files: files)
                )
            }
            try files.sync(temporaries.map(\.file))
            try withState { state in
                try exclusively(&state) { state in
                    for name in names where try files.exists(paths.operation(name)) {
                        throw StorageError.duplicate
                    }
                    try publish(names.compactMap(\.operationID), &state)
                    do {
                        for (name, temporary) in zip(names, temporaries) {
                            try temporary.rename(to: paths.operation(name))
                        }
                    } catch {
                        // Takes back all of them: a rename that failed may have happened.
                        _ = takeBack(names, &state)
                        throw error
                    }
                    for (name, record) in zip(names, records) {
                        state.index?.set(name, record.standing(of: name).applying(state.epochs))
                    }
                }
            }
        } catch {
            for temporary in temporaries { temporary.discard() }
            throw error
        }
        for temporary in temporaries { temporary.close() }
    }

    /// Undoes an insert. Call this only under the lock. A file that cannot be removed stays in the
    /// queue.
    ///
    /// - Returns: The operations whose files did not exist any more.
    private func takeBack(_ names: [FileName], _ state: inout State) -> [OperationID] {
        var gone: [OperationID] = []
        for name in names {
            do {
                if try !remove(name, &state), let id = name.operationID { gone.append(id) }
            } catch {
                state.isStale = true
            }
        }
        return gone
    }
}

extension Envelope {
    /// Whether ``init(decoding:)`` accepts the bytes of ``encoded()``.
    fileprivate var canBeRead: Bool {
        let lengths = [
            kind.utf8.count, lastError?.utf8.count ?? 0, orderingKey?.bytes.count ?? 0,
        ]
        return lengths.allSatisfy { $0 <= Self.maximumNameLength }
            && unknownFields.allSatisfy { $0.value.count <= Int(UInt16.max) }
            && (unknownFields.isEmpty || encoded().count <= FileLayout.longestEnvelope)
    }
}
