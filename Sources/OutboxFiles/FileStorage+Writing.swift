public import Outbox
public import OutboxCore

extension FileStorage {
    /// Records the outcomes of attempts one after the other. Removals come last, since they need no
    /// room.
    ///
    /// Before this method returns, a crash may leave any of several outcomes recorded, each of them
    /// whole, and so may an error. Recording the outcomes once more does no harm.
    ///
    /// - Returns: The outcomes whose entries no longer exist, or hold another operation.
    /// - Throws: ``/Outbox/StorageError``.
    @discardableResult
    public func settle(_ settlements: [Settlement]) throws -> [Unsettled] {
        try calling {
            var gone: [Unsettled] = []
            var delivered: [(entry: EntryID, name: FileName)] = []
            for settlement in settlements {
                let name = FileName.operation(settlement.id)
                guard try self.name(of: settlement.entry) == name else {
                    gone.append(Unsettled(settlement.entry, .gone))
                    continue
                }
                let isChanged: Bool
                switch settlement.transition {
                case .remove:
                    delivered.append((settlement.entry, name))
                    continue
                case .reschedule(let envelope): isChanged = try rewrite(name, .queued, envelope)
                case .park(let envelope): isChanged = try rewrite(name, .parked, envelope)
                }
                if !isChanged { gone.append(Unsettled(settlement.entry, .gone)) }
            }
            guard !delivered.isEmpty else { return gone }
            try withState { state in
                try exclusively(&state) { state in
                    for (entry, name) in delivered where try !remove(name, &state) {
                        gone.append(Unsettled(entry, .gone))
                    }
                }
            }
            return gone
        }
    }

    public func requeue(_ id: EntryID, as envelope: Envelope) throws {
        try calling {
            guard let name = try name(of: id) else { return }
            _ = try rewrite(name, .queued, envelope)
        }
    }

    /// Deletes an entry permanently and durably.
    public func delete(_ id: EntryID) throws {
        try calling {
            if let name = try name(of: id) { try remove(name) }
            try translating { try files.syncFolder(paths.operations) }
        }
    }

    /// Takes an entry that cannot be read out of the queue.
    ///
    /// A full or broken disk must not hold up the queue: if the quarantine cannot be written, the
    /// entry counts as quarantined while this store is open. The next store examines the entry
    /// again.
    public func quarantine(
        _ id: EntryID,
        reason: QuarantineReason,
        as envelope: Envelope?
    ) throws {
        try calling {
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
                            key: $0.key,
                            number: $0.number,
                            isBlockedByIt: envelope?.blocksLane ?? $0.isBlockedByIt
                        )
                    }
                    state.index?.set(name, held)
                }
            }
        }
    }

    /// Stores `new` in place of an entry's record.
    ///
    /// - Throws: ``/Outbox/StorageError``; ``/Outbox/OutboxError/payloadTooLong(limit:)`` for a
    ///   record that could not be read again.
    public func replaceRecord(_ id: EntryID, from old: [UInt8], to new: [UInt8]) throws -> Bool {
        try calling {
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
    }

    /// Makes every queued operation that waits for `cause` eligible at once, by one small write.
    public func endWaits(for cause: WaitCause) throws {
        try calling {
            try withState { state in
                try refresh(&state)
                guard cause != .nothing, state.index?.hasWaits(for: cause) == true else { return }
                try exclusively(&state) { state in
                    var epochs = try readEpochs()
                    epochs.end(cause)
                    let temporary = try TemporaryFile(
                        holding: epochs.encoded(),
                        paths: paths,
                        files: files
                    )
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
    }

    // MARK: -

    private func name(of id: EntryID) throws -> FileName? {
        try withState { state in
            try refresh(&state)
            return state.index?.name(of: id.rawValue)
        }
    }

    func epoch(for envelope: Envelope) throws -> UInt32 {
        envelope.waitCause == .nothing ? 0 : try readEpochs()[envelope.waitCause]
    }

    private func rewrite(
        _ name: FileName,
        _ newState: OperationState,
        _ envelope: Envelope
    ) throws -> Bool {
        let waitEpoch = try translating { try epoch(for: envelope) }
        return try rewrite(name) { record in
            record.state = newState
            record.quarantineReason = nil
            record.envelope = envelope.encoded()
            record.waitEpoch = waitEpoch
            return true
        }
    }

    /// Replaces an entry's file, durably. Leaves a file as it is if it is missing, if its parts
    /// cannot be told apart, or if `change` declines it.
    ///
    /// - Returns: Whether the file was replaced.
    @discardableResult
    private func rewrite(
        _ name: FileName,
        _ change: (inout FileRecord) -> Bool
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
                    holding: record.encoded(),
                    paths: paths,
                    files: files
                )
                var isReplaced = false
                var isGone = false
                do {
                    try temporary.sync()
                    try withState { state in
                        try exclusively(&state) { state in
                            // A change that another process made meanwhile is not undone.
                            let present = try readRecord(name)
                            isGone = present == nil
                            guard present?.encoded() == found.encoded() else { return }
                            try publish([id], &state)
                            try temporary.rename(to: paths.operation(name))
                            isReplaced = true
                            state.index?.set(
                                name,
                                record.standing(of: name).applying(state.epochs)
                            )
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

    /// Removes an entry's file. Call this only under the lock.
    ///
    /// - Returns: Whether the file existed.
    func remove(_ name: FileName, _ state: inout State) throws(FileError) -> Bool {
        let path = try paths.operation(name)
        if let id = name.operationID {
            // Removing must work on a full disk, too. A process that misses the change finds the
            // file gone when it reads the file.
            _ = try? publish([id], &state)
        }
        let wasThere = try files.remove(path)
        state.index?.remove(name)
        return wasThere
    }
}

extension FileRecord {
    func standing(of name: FileName) -> QueueIndex.Standing {
        QueueIndex.Standing(
            of: name.operationID,
            state: state,
            envelope: envelope,
            waitEpoch: waitEpoch,
            laneNumber: laneNumber
        )
    }
}
