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
///
/// - Complexity: The time is O(length of the log) for each corrected frame. The memory is one frame,
///   the corrections, and, for a log without its header, one bit for each page of the database.
struct LogExamination {
    enum Finding {
        /// No finished transaction was dropped.
        case nothing
        /// With these bytes at these offsets, recovery takes more.
        case mendable([Int: UInt8])
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

    mutating func finding() throws(SQLiteError) -> Finding {
        if recovered == 0, !log.isHeaderValid {
            guard try log.mendHeader() else {
                return try isAnyMissingFromDatabase() ? .dropped : .nothing
            }
            isMended = true
        }
        var frame = recovered + 1
        var committed = recovered
        while frame <= log.frameCount, try mend(frame) {
            if try log.frame(frame).isCommit { committed = frame }
            frame += 1
        }
        // A refused commit leaves whole frames for a moment, which recovery did not take.
        if isMended, committed > recovered { return .mendable(log.corrections) }
        return try isAnyFinished(from: frame) ? .dropped : .nothing
    }

    /// Corrects one frame, if one byte of it is wrong.
    ///
    /// - Returns: Whether the frame now follows on the frame before it.
    private mutating func mend(_ frame: Int) throws(SQLiteError) -> Bool {
        let isOwn = try isOfGeneration(frame)
        let follows = try log.follows(frame)
        if follows, isOwn { return true }
        guard follows || isOwn, log.hasRoomForCorrection else { return false }
        if follows {
            // The checksum covers everything but the salts.
            try log.setSalts(of: frame)
            isMended = true
            return true
        }
        let damage = try damage(of: frame)
        if damage.isOfChecksum, try !isFollowed(frame) {
            var corrected = log
            try corrected.setChecksum(damage.sum, of: frame)
            var isSure = damage.corrections.isEmpty
            if !isSure, frame < log.frameCount { isSure = try corrected.follows(frame + 1) }
            if isSure {
                log = corrected
                isMended = true
                return true
            }
        }
        guard let correction = damage.corrections.first else { return false }
        var isSafe = damage.corrections.count == 1
        if isSafe, damage.isOfChecksum { isSafe = try isFollowed(frame) }
        if !isSafe, damage.corrections.allSatisfy({ $0.index >= 2 }) {
            isSafe = try isReplaced(frame)
        }
        guard isSafe else { return false }
        try log.apply(correction, to: frame)
        isMended = true
        return true
    }

    /// The possible offsets of one wrong byte in a frame.
    private struct Damage {
        /// The checksum computed over the present bytes.
        let sum: LogChecksum
        /// Whether the wrong byte may be in the stored checksum. The next frame follows on the
        /// checksum as it was written.
        let isOfChecksum: Bool
        let corrections: [LogChecksum.Correction]

        var isOneByte: Bool { isOfChecksum || !corrections.isEmpty }
    }

    private func damage(of frame: Int) throws(SQLiteError) -> Damage {
        let before = try log.checksum(of: frame - 1)
        let after = try log.checksum(of: frame)
        let words = try log.words(of: frame)
        let sum = before.adding(words)
        return Damage(
            sum: sum,
            isOfChecksum: sum.isWithinOneByte(of: after),
            corrections: before.corrections(of: words, endingIn: after)
        )
    }

    /// Whether the frame's checksum is the one that was written.
    private func isFollowed(_ frame: Int) throws(SQLiteError) -> Bool {
        guard frame < log.frameCount, try isOfGeneration(frame + 1) else { return false }
        return try log.follows(frame + 1)
    }

    /// Whether a later frame, of a transaction that recovery will take, has the same page, so that
    /// no process ever reads the content of this frame.
    private func isReplaced(_ frame: Int) throws(SQLiteError) -> Bool {
        let page = try log.frame(frame).page
        var isSeen = false
        var next = frame + 1
        while next <= log.frameCount, try isOfGeneration(next), try log.follows(next) {
            let header = try log.frame(next)
            if header.page == page { isSeen = true }
            if isSeen, header.isCommit { return true }
            next += 1
        }
        return false
    }

    private func isOfGeneration(_ frame: Int) throws(SQLiteError) -> Bool {
        try log.frame(frame).salts == log.header.salts
    }

    /// - Parameter frame: The first frame that cannot be corrected.
    private func isAnyFinished(from frame: Int) throws(SQLiteError) -> Bool {
        guard frame <= log.frameCount else { return false }
        let damage = try damage(of: frame)
        let isCommit =
            try log.frame(frame).isCommit
            || damage.corrections.contains { $0.index == 1 && $0.word != 0 }
        if try isOfGeneration(frame), damage.isOneByte, isCommit { return true }
        for later in stride(from: frame + 1, through: log.frameCount, by: 1) {
            let header = try log.frame(later)
            guard header.salts == log.header.salts, header.isCommit else { continue }
            if try log.follows(later) { return true }
        }
        return false
    }

    // MARK: A log without its header

    /// Whether a log without a readable header has a finished transaction that is not in the
    /// database.
    ///
    /// A header is written for each generation, and synced before the generation's first frame. A
    /// header torn by a power cut leaves the frames of the generation before, which are in the
    /// database.
    private mutating func isAnyMissingFromDatabase() throws(SQLiteError) -> Bool {
        guard let generation = try provenGeneration(), try isFinished(generation) else {
            return false
        }
        // A page's last frame is the first one from behind.
        let pages = try log.databasePages()
        var seen = [UInt64](repeating: 0, count: pages / 64 + 1)
        for frame in stride(from: log.frameCount, through: 1, by: -1) {
            let header = try log.frame(frame)
            guard header.salts == generation else { continue }
            let page = Int(header.page)
            guard page <= pages else { return true }
            let bit = UInt64(1) << (page % 64)
            guard seen[page / 64] & bit == 0 else { continue }
            seen[page / 64] |= bit
            if try !log.isInDatabase(frame) { return true }
        }
        return false
    }

    /// The salts of the first frame that follows on the frame before it, in the byte order in which
    /// one does.
    private mutating func provenGeneration() throws(SQLiteError) -> [UInt8]? {
        for isBigEndian in [false, true] {
            log.isBigEndian = isBigEndian
            for frame in stride(from: 2, through: log.frameCount, by: 1) {
                let header = try log.frame(frame)
                // Zeros follow on zeros.
                guard header.page > 0 else { continue }
                if try log.follows(frame) { return header.salts }
            }
        }
        return nil
    }

    private func isFinished(_ generation: [UInt8]) throws(SQLiteError) -> Bool {
        for frame in stride(from: 2, through: log.frameCount, by: 1) {
            let header = try log.frame(frame)
            guard header.salts == generation, header.isCommit else { continue }
            if try log.follows(frame) { return true }
        }
        return false
    }
}
