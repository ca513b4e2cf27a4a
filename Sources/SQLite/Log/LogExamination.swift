/// The search for transactions that SQLite's recovery has dropped from a log, and the log's repair.
///
/// Recovery takes frames from the log's start, up to the last transaction before the first frame
/// that contradicts its checksum (<https://sqlite.org/fileformat2.html#wal_file_format>). Behind
/// that frame there may be
/// - nothing of this generation: the ordinary case;
/// - frames of a transaction that was never finished: its process was killed. The frame that ends
///   a transaction is written last;
/// - finished transactions that are dropped because a frame before them is damaged. A power cut
///   leaves the same where the disk had written a later frame before an earlier one.
///
/// A frame stores the checksum over all frames up to itself. So a frame is as it was written if its
/// checksum follows from the checksum that the frame before it stores, whatever the earlier frames
/// hold.
struct LogExamination {
    enum Finding {
        /// No finished transaction was dropped.
        case nothing
        /// With these bytes, recovery takes everything.
        case mendable([UInt8])
        /// A finished transaction was dropped.
        case dropped
    }

    private var log: LogImage
    private let recovered: Int
    private var isMended = false

    /// - Parameter recovered: The number of frames that recovery took.
    init(_ log: LogImage, recovered: Int) {
        self.log = log
        self.recovered = recovered
    }

    /// - Parameter isInDatabase: A function that tells whether a page of the database file, by its
    ///   number, has this content.
    mutating func finding(
        _ isInDatabase: (UInt32, ArraySlice<UInt8>) throws(SQLiteError) -> Bool
    ) throws(SQLiteError) -> Finding {
        if recovered == 0, !log.isHeaderValid {
            guard log.mendHeader() else {
                return try findingWithoutHeader(isInDatabase) ? .dropped : .nothing
            }
            isMended = true
        }
        var frame = recovered + 1
        var committed = recovered
        while frame <= log.frameCount, mend(frame) {
            if log.isCommit(frame) { committed = frame }
            frame += 1
        }
        // A refused commit leaves whole frames for a moment, which recovery did not take.
        if isMended, committed > recovered { return .mendable(log.bytes) }
        return isAnyFinished(from: frame) ? .dropped : .nothing
    }

    /// Corrects one frame, if one byte of it is wrong.
    ///
    /// - Returns: Whether the frame now follows on the frame before it.
    private mutating func mend(_ frame: Int) -> Bool {
        if log.follows(frame) {
            // The checksum covers everything but the salts.
            if !isOfGeneration(frame) {
                log.setSalts(of: frame)
                isMended = true
            }
            return true
        }
        guard isOfGeneration(frame) else { return false }
        let damage = damage(of: frame)
        if damage.isOfChecksum, !isFollowed(frame) {
            var corrected = log
            corrected.setChecksum(damage.sum, of: frame)
            let isSure = frame < log.frameCount && corrected.follows(frame + 1)
            if isSure || damage.corrections.isEmpty {
                log = corrected
                isMended = true
                return true
            }
        }
        guard let correction = damage.corrections.first else { return false }
        let isUnique =
            damage.corrections.count == 1
            && (!damage.isOfChecksum || isFollowed(frame))
        let isOfContent = damage.corrections.allSatisfy { $0.index >= 2 }
        guard isUnique || isOfContent && isReplaced(frame) else { return false }
        log.apply(correction, to: frame)
        isMended = true
        return true
    }

    /// The possible places of one wrong byte in a frame.
    private struct Damage {
        /// The checksum computed over the present bytes.
        let sum: LogChecksum
        /// Whether the wrong byte may be in the stored checksum. The next frame follows on the
        /// checksum as it was written.
        let isOfChecksum: Bool
        let corrections: [LogChecksum.Correction]

        var isOneByte: Bool { isOfChecksum || !corrections.isEmpty }
    }

    private func damage(of frame: Int) -> Damage {
        let (before, after) = (log.checksum(of: frame - 1), log.checksum(of: frame))
        let words = log.words(of: frame)
        let sum = before.adding(words)
        return Damage(
            sum: sum,
            isOfChecksum: sum.isWithinOneByte(of: after),
            corrections: before.corrections(of: words, endingIn: after)
        )
    }

    /// Whether the frame's checksum is the one that was written.
    private func isFollowed(_ frame: Int) -> Bool {
        frame < log.frameCount && isOfGeneration(frame + 1) && log.follows(frame + 1)
    }

    /// Whether a later frame, of a transaction that recovery will take, has the same page, so that
    /// no process ever reads the content of this frame.
    private func isReplaced(_ frame: Int) -> Bool {
        var isSeen = false
        var next = frame + 1
        while next <= log.frameCount, isOfGeneration(next), log.follows(next) {
            if log.page(of: next) == log.page(of: frame) { isSeen = true }
            if isSeen, log.isCommit(next) { return true }
            next += 1
        }
        return false
    }

    private func isOfGeneration(_ frame: Int) -> Bool { log.salts(of: frame) == log.salts }

    /// - Parameter frame: The first frame that cannot be corrected.
    private func isAnyFinished(from frame: Int) -> Bool {
        guard frame <= log.frameCount else { return false }
        let damage = damage(of: frame)
        let isCommit =
            log.isCommit(frame)
            || damage.corrections.contains { $0.index == 1 && $0.word != 0 }
        if isOfGeneration(frame), damage.isOneByte, isCommit { return true }
        return (frame..<log.frameCount).contains {
            let later = $0 + 1
            return isOfGeneration(later) && log.isCommit(later) && log.follows(later)
        }
    }

    /// A header is written for each generation, and synced before the generation's first frame. A
    /// header torn by a power cut leaves the frames of the generation before, which are in the
    /// database.
    private func findingWithoutHeader(
        _ isInDatabase: (UInt32, ArraySlice<UInt8>) throws(SQLiteError) -> Bool
    ) throws(SQLiteError) -> Bool {
        guard log.frameCount > 1 else { return false }
        var log = log
        var proof: Int?
        for isBigEndian in [false, true] where proof == nil {
            log.isBigEndian = isBigEndian
            proof = (2...log.frameCount).first(where: log.follows)
        }
        guard let proof else { return false }
        let generation = log.salts(of: proof)
        var frames: [UInt32: Int] = [:]
        var isFinished = false
        for frame in 1...log.frameCount where log.salts(of: frame) == generation {
            frames[log.page(of: frame)] = frame
            if log.isCommit(frame), frame > 1, log.follows(frame) { isFinished = true }
        }
        guard isFinished else { return false }
        for (page, frame) in frames {
            if try !isInDatabase(page, log.content(of: frame)) { return true }
        }
        return false
    }
}
