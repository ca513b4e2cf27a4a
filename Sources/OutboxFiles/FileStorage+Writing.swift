public import Outbox
public import OutboxCore

extension FileStorage {
    /// Adds operations, durably: each file is synced, then the folder, once.
    ///
    /// Before it returns, a crash may leave any part of several operations, each of them whole.
    ///
    /// - Throws: ``/Outbox/StorageError``; ``/Outbox/OutboxError/invalidName`` for an envelope, and
    ///   ``/Outbox/OutboxError/payloadTooLong(limit:)`` for a record, that could not be read again.
    public func insert(_ operations: [SealedOperation]) throws {
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

    public func store(_ transition: DeliveryMachine.Transition, for id: OperationID) throws {
        switch transition {
        case .remove: try remove(.operation(id))
        case .reschedule(let envelope): try rewrite(.operation(id), .queued, envelope)
        case .park(let envelope): try rewrite(.operation(id), .parked, envelope)
        }
    }

    public func requeue(_ id: EntryID, as envelope: Envelope) throws {
        guard let name = try name(of: id) else { return }
        try rewrite(name, .queued, envelope)
    }

    /// Deletes an entry for good, and durably so.
    public func delete(_ id: EntryID) throws {
        if let name = try name(of: id) { try remove(name) }
        try translating { try files.syncFolder(paths.operations) }
    }

    /// Takes an entry that cannot be read out of the queue.
    ///
    /// What cannot be written now, because the disk is full or broken, must not hold up the queue:
    /// the entry then counts as quarantined while this store is open, and the next one finds out
    /// anew.
    public func quarantine(
        _ id: EntryID, reason: QuarantineReason, as envelope: Envelope?
    ) throws {
        guard let name = try name(of: id) else { return }
        do {
            try rewrite(name) { record in
                record.state = .quarantined
                record.quarantineReason = record.isRecordIntact ? reason : .record
                if let envelope { record.envelope = envelope.encoded() }
                return true
            }
        } catch is StorageError {
            try withState { state in
                var held = QueueIndex.Standing.held(for: reason)
                let lane = state.index?.standing(of: id.rawValue)?.lane
                held.lane = lane.map {
                    QueueIndex.Lane(
                        key: $0.key, number: $0.number,
                        isBlockedByIt: envelope?.blocksLane ?? $0.isBlockedByIt)
                }
                state.index?.set(name, held)
            }
        }
    }

    /// Stores `new` in place of an entry's record.
    ///
    /// - Throws: ``/Outbox/StorageError``; ``/Outbox/OutboxError/payloadTooLong(limit:)`` for a
    ///   record that could not be read again.
    public func replaceRecord(_ id: EntryID, from old: [UInt8], to new: [UInt8]) throws -> Bool {
        guard new.count <= FileLayout.longestRecord else {
            throw OutboxError.payloadTooLong(limit: Self.maximumPayload)
        }
        guard let name = try name(of: id) else { return false }
        return try rewrite(name) { record in
            guard record.record == old else { return false }
            record.replaceRecord(with: new)
            return true
        }
    }

    /// Makes every queued operation that waits for `cause` eligible at once, by one small write.
    public func endWaits(for cause: WaitCause) throws {
        try withState { state in
            try refresh(&state)
            guard cause != .nothing, state.index?.hasWaits(for: cause) == true else { return }
            try exclusively(&state) { state in
                var epochs = try readEpochs()
                epochs.end(cause)
                let temporary = try TemporaryFile(
                    holding: epochs.encoded(), paths: paths, files: files)
                do {
                    try temporary.sync()
                    try publish([ChangeRing.waits], &state)
                    try temporary.rename(to: paths.waits)
                } catch {
                    temporary.discard()
                    throw error
                }
                temporary.close()
                state.epochs = epochs
                state.index?.apply(epochs)
            }
        }
        try translating { try files.syncFolder(paths.folder) }
    }

    // MARK: -

    private func name(of id: EntryID) throws -> FileName? {
        try withState { state in
            try refresh(&state)
            return state.index?.name(of: id.rawValue)
        }
    }

    private func insertNew(_ operations: [SealedOperation]) throws {
        guard !operations.isEmpty else { return }
        let names = operations.map { FileName.operation($0.envelope.id) }
        let numbers = try laneNumbers(for: operations)
        try place(try zip(operations, numbers).map(record), as: names)
        do {
            try files.syncFolder(paths.operations)
        } catch {
            try withState { state in
                let gone = try exclusively(&state) { state in takeBack(names, &state) }
                // Whoever is told to try again must not be one whose operation was delivered.
                guard gone.count < names.count else { return }
                state.goneBeforeFailure.formUnion(gone)
                throw error
            }
        }
    }

    /// Numbers behind all that is in the operations' lanes, in their order; `nil` for those in no
    /// lane.
    ///
    /// Another process may give the same ones at the same time. That order is for nobody to tell.
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
        of operation: SealedOperation, laneNumber: UInt64?
    ) throws -> FileRecord {
        var record = FileRecord(
            envelope: operation.envelope.encoded(), record: operation.record,
            laneNumber: laneNumber)
        record.waitEpoch = try epoch(for: operation.envelope)
        return record
    }

    private func epoch(for envelope: Envelope) throws -> UInt32 {
        envelope.waitCause == .nothing ? 0 : try readEpochs()[envelope.waitCause]
    }

    /// Gives new files their names, all or none.
    private func place(_ records: [FileRecord], as names: [FileName]) throws {
        var temporaries: [TemporaryFile] = []
        do {
            for record in records {
                temporaries.append(
                    try TemporaryFile(holding: record.encoded(), paths: paths, files: files))
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
                        // All of them: a rename that failed may have happened.
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

    /// Undoes an insert. Only under the lock. What cannot be removed stays in the queue.
    ///
    /// - Returns: Those that were not there any more.
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

    private func rewrite(
        _ name: FileName, _ newState: OperationState, _ envelope: Envelope
    ) throws {
        let waitEpoch = try translating { try epoch(for: envelope) }
        try rewrite(name) { record in
            record.state = newState
            record.quarantineReason = nil
            record.envelope = envelope.encoded()
            record.waitEpoch = waitEpoch
            return true
        }
    }

    /// Replaces an entry's file, durably. One that is not there, or whose parts cannot be told
    /// apart, is left as it is, and so is one that `change` declines.
    ///
    /// - Returns: Whether it was replaced.
    @discardableResult
    private func rewrite(
        _ name: FileName, _ change: (inout FileRecord) -> Bool
    ) throws -> Bool {
        try translating {
            while true {
                guard let found = try readRecord(name) else { return false }
                guard case .operation(let id) = name, !found.envelope.isEmpty else {
                    try withState { $0.index?.set(name, .quarantined) }
                    return false
                }
                var record = found
                guard change(&record) else { return false }
                let temporary = try TemporaryFile(
                    holding: record.encoded(), paths: paths, files: files)
                var isReplaced = false
                var isGone = false
                do {
                    try temporary.sync()
                    try withState { state in
                        try exclusively(&state) { state in
                            // What another process wrote meanwhile is not undone.
                            let present = try readRecord(name)
                            isGone = present == nil
                            guard present?.encoded() == found.encoded() else { return }
                            try publish([id], &state)
                            try temporary.rename(to: paths.operation(name))
                            isReplaced = true
                            state.index?.set(
                                name, record.standing(of: name).applying(state.epochs))
                        }
                    }
                } catch {
                    temporary.discard()
                    throw error
                }
                if isReplaced {
                    temporary.close()
                    try files.syncFolder(paths.operations)
                    return true
                }
                temporary.discard()
                if isGone { return false }
            }
        }
    }

    private func remove(_ name: FileName) throws {
        try withState { state in
            _ = try exclusively(&state) { state in try remove(name, &state) }
        }
    }

    /// Only under the lock.
    ///
    /// - Returns: Whether it was there.
    private func remove(_ name: FileName, _ state: inout State) throws(FileError) -> Bool {
        let path = try paths.operation(name)
        if let id = name.operationID {
            // On a full disk removing must still work, and another process that is not told finds
            // out when it looks for the file.
            _ = try? publish([id], &state)
        }
        let wasThere = try files.remove(path)
        state.index?.remove(name)
        return wasThere
    }
}

extension FileRecord {
    fileprivate func standing(of name: FileName) -> QueueIndex.Standing {
        QueueIndex.Standing(
            of: name.operationID, state: state, envelope: envelope, waitEpoch: waitEpoch,
            laneNumber: laneNumber)
    }
}

extension Envelope {
    /// Whether ``init(decoding:)`` will take what ``encoded()`` writes.
    fileprivate var canBeRead: Bool {
        let lengths = [
            kind.utf8.count, lastError?.utf8.count ?? 0, orderingKey?.bytes.count ?? 0,
        ]
        return lengths.allSatisfy { $0 <= Self.maximumNameLength }
            && unknownFields.allSatisfy { $0.value.count <= Int(UInt16.max) }
            && (unknownFields.isEmpty || encoded().count <= FileLayout.longestEnvelope)
    }
}
