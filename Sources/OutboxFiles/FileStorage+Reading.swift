import LibC
import Outbox
import OutboxCore

/// The reading of entries. An unreadable entry is a result, not an error, unless the whole system
/// cannot read.
extension FileStorage {
    /// The number of bytes that hold the head and the envelope of nearly every file.
    private static let headRead = 4096

    /// The names of all entries. Hidden files, such as `.DS_Store`, are the system's own.
    func operationNames() throws(FileError) -> [FileName] {
        try files.names(in: paths.operations)
            .filter { $0.first != UInt8(ascii: ".") }.map(FileName.init)
    }

    /// Reads the entry's file.
    ///
    /// - Returns: `nil` when the file does not exist.
    func readRecord(_ name: FileName) throws -> FileRecord? {
        let bytes = try reading(name) { file, length in
            length <= FileLayout.longestFile ? try files.read(file, at: 0, count: length) : []
        }
        guard let bytes else { return nil }
        guard case .operation = name, let record = FileRecord(decoding: bytes) else {
            return FileRecord(salvaging: bytes)
        }
        return record
    }

    /// Reads the entry as a storage hands it out.
    ///
    /// - Parameter reason: The reason for which the entry counts as quarantined, whatever its file
    ///   says.
    /// - Returns: `nil` when the file does not exist.
    func readEntry(
        _ name: FileName,
        number: Int64,
        heldFor reason: QuarantineReason?,
        epochs: WaitEpochs
    ) throws -> StoredEntry? {
        let record: FileRecord
        do {
            guard let read = try readRecord(name) else { return nil }
            record = read
        } catch let error as FileError where error.concernsOneFile {
            return StoredEntry(
                id: EntryID(rawValue: number),
                operationID: name.operationID,
                state: .quarantined,
                envelope: [],
                record: [],
                quarantineReason: .record
            )
        }
        var bytes = record.envelope
        if record.state == .queued, let envelope = try? Envelope(decoding: bytes),
            epochs.isOver(envelope.waitCause, epoch: record.waitEpoch)
        {
            bytes = envelope.madeEligible().encoded()
        }
        return StoredEntry(
            id: EntryID(rawValue: number),
            operationID: name.operationID,
            state: reason == nil ? record.state : .quarantined,
            envelope: bytes,
            record: record.record,
            quarantineReason: reason ?? record.quarantineReason
        )
    }

    /// Reads the data that the index keeps about an entry, without the payload.
    ///
    /// - Returns: `nil` when the file does not exist.
    func readStanding(_ name: FileName) throws -> QueueIndex.Standing? {
        do {
            return try reading(name) { file, length in
                guard case .operation = name else { return .quarantined }
                var head = try files.read(file, at: 0, count: min(length, Self.headRead))
                guard let layout = FileLayout(head, fileLength: length) else {
                    return .quarantined
                }
                if layout.record.lowerBound > head.count {
                    let missing = layout.record.lowerBound - head.count
                    head += try files.read(file, at: head.count, count: missing)
                }
                guard head.count >= layout.record.lowerBound, layout.isIntact(in: head),
                    let state = OperationState(rawValue: head[FileLayout.stateOffset])
                else { return .quarantined }
                return QueueIndex.Standing(
                    of: name.operationID,
                    state: state,
                    envelope: Array(head[layout.envelope]),
                    waitEpoch: head.integer(at: FileLayout.waitEpochOffset),
                    laneNumber: FileLayout.laneNumber(of: head[layout.headEnd])
                )
            }
        } catch let error as FileError where error.concernsOneFile {
            return .held(for: .record)
        }
    }

    private func reading<Result>(
        _ name: FileName,
        _ body: (_ file: OpenFile, _ length: Int) throws -> Result
    ) throws -> Result? {
        guard let file = try files.openIfThere(try paths.operation(name)) else { return nil }
        defer { files.close(file) }
        return try body(file, try files.length(of: file))
    }
}

extension FileError {
    /// Whether another file may well be readable.
    var concernsOneFile: Bool {
        switch code {
        case EIO, EBADMSG, EOVERFLOW, EISDIR, ELOOP, EACCES, ENXIO, ESPIPE, EILSEQ: true
        default: isDamagedMetadata
        }
    }

    private var isDamagedMetadata: Bool {
        #if canImport(Darwin)
            false
        #else
            code == EUCLEAN
        #endif
    }
}
