package import Outbox

/// Copies all that a relay has stored in one database into another one, for a relay that moves.
///
/// Rows go as they are: what is sealed stays sealed, under the same key, and a device's token, a link in a
/// mail, and the identifier of a mail that waits are the same afterwards. The copy has a random identifier,
/// which both sides keep.
///
/// | state | source | target | who may serve |
/// |---|---|---|---|
/// | not begun | no mark | empty | the source |
/// | marked | the mark | empty | nobody |
/// | copying, at a point | the mark | the point, and the rows before it | nobody |
/// | copied | the mark | every row but the secret | nobody |
/// | finished | the mark | every row, and the secret | the target |
///
/// 1. The source is marked before the target is touched, and refuses relays from then on. It is marked
///    after the copy as well: two relays that had the same mails would both send them.
/// 2. The rows of a page, and the point behind it, are one transaction of the target. A copy that is killed
///    goes on at the point.
/// 3. The secret goes last, after every table was read again on both sides and found equal. A relay does not
///    start without a secret, and makes none while a copy has begun.
/// 4. One process copies at a time: it holds the source, and a page is written only at the point at which
///    the process has read it.
///
/// | failure | what follows |
/// |---|---|
/// | the process is killed, or a database is gone | what is stored stays; the next run goes on |
/// | the answer to a `COMMIT` is lost | the next run finds the point, before or behind the page |
/// | the target has rows of anything else, or of another copy | ``StoreCopyError``; nothing is changed in it |
/// | the source was changed in the middle, by an earlier build | the digests differ; the target never gets the secret |
/// | a row that the target refuses | the run ends at it each time; the source can serve again after a cancellation |
package struct StoreCopy<Source: CopySource, Target: CopyTarget>: Sendable {
    private let source: Source
    private let target: Target

    package init(from source: Source, to target: Target) {
        self.source = source
        self.target = target
    }

    /// Copies what is not copied yet, compares both sides, and finishes.
    ///
    /// - Returns: The digest of each table; `nil` if the copy was finished before.
    /// - Throws: ``StoreCopyError``. The copy can be continued by another run, but where the error says
    ///   otherwise.
    /// - Complexity: O(rows): each row is read twice in the source and once in the target.
    package func run() async throws(StoreCopyError) -> [CopiedTableReport]? {
        let copy = try await reading { try source.begin() }
        var point = try await writing { try await target.begin(copy) }
        guard point != .finished else { return nil }
        while point.table < CopiedTable.all.count {
            let table = CopiedTable.all[point.table]
            let last = point.last
            let rows = try await reading { try await source.rows(of: table, after: last) }
            let next = point.next(behind: rows, of: table)
            let here = point
            try await writing { try await target.append(rows, of: table, of: copy, here, next) }
            point = next
        }
        let reports = try await compare()
        let secret = try await reading { try source.secret() }
        try await writing { try await target.finish(copy, secret) }
        return reports
    }

    private func compare() async throws(StoreCopyError) -> [CopiedTableReport] {
        var reports: [CopiedTableReport] = []
        var different: [String] = []
        for table in CopiedTable.all {
            let digest = try await reading { try await source.digest(of: table) }
            let copied = try await writing { try await target.digest(of: table) }
            if digest != copied { different.append("\(table.name)") }
            reports.append(CopiedTableReport(name: "\(table.name)", digest: digest))
        }
        guard different.isEmpty else { throw .different(tables: different) }
        return reports
    }

    private func reading<Value: Sendable>(
        _ body: @Sendable () async throws -> Value
    ) async throws(StoreCopyError) -> Value {
        do {
            return try await body()
        } catch {
            throw error as? StoreCopyError ?? .source(OperatorError(error))
        }
    }

    private func writing<Value: Sendable>(
        _ body: @Sendable () async throws -> Value
    ) async throws(StoreCopyError) -> Value {
        do {
            return try await body()
        } catch {
            throw error as? StoreCopyError ?? .target(DatabaseFault(error))
        }
    }
}

/// How far a ``StoreCopy`` is.
package struct CopyPoint: Hashable, Sendable {
    /// The number of the table that is being copied, of ``CopiedTable/all``; their count behind the last.
    package let table: Int
    /// The key of the last row that was copied; empty at the beginning of the table.
    package let last: [CopiedValue]

    package init(table: Int, last: [CopiedValue] = []) {
        self.table = table
        self.last = last
    }

    /// The point before the first row.
    package static let beginning = CopyPoint(table: 0)
    /// The point behind the last row.
    package static let copied = CopyPoint(table: CopiedTable.all.count)
    /// The point behind the secret.
    package static let finished = CopyPoint(table: CopiedTable.all.count + 1)

    /// The point behind rows of a table that were read at this one.
    fileprivate func next(behind rows: [CopiedRow], of table: CopiedTable) -> CopyPoint {
        guard let last = rows.last, rows.count == table.rowsAtOnce else {
            return CopyPoint(table: self.table + 1)
        }
        return CopyPoint(table: self.table, last: table.key(of: last))
    }
}

/// A database whose tables can be read in pages.
package protocol CopiedStore: Sendable {
    /// The rows behind a key in the table's order, which is the database's own: the table's ``CopiedTable/rowsAtOnce``
    /// first ones.
    ///
    /// - Parameter last: The key; empty for the beginning.
    func rows(of table: CopiedTable, after last: [CopiedValue]) async throws -> [CopiedRow]
}

extension CopiedStore {
    /// - Complexity: O(rows of the table).
    fileprivate func digest(of table: CopiedTable) async throws -> TableDigest {
        var digest = TableDigest()
        var last: [CopiedValue] = []
        while true {
            let rows = try await rows(of: table, after: last)
            for row in rows { digest.add(row) }
            guard rows.count == table.rowsAtOnce, let end = rows.last else { return digest }
            last = table.key(of: end)
        }
    }
}

/// The side of a ``StoreCopy`` that is read. No relay serves from it while it exists.
package protocol CopySource: CopiedStore {
    /// Marks the database, so that no relay serves from it any more.
    ///
    /// - Returns: The identifier of the copy: that of an earlier call, if there was one.
    /// - Throws: ``StoreCopyError/sourceRotates``.
    func begin() throws -> [UInt8]

    /// The secret, with both parts.
    func secret() throws -> SealedSecrets
}

/// The side of a ``StoreCopy`` that is written. Each method is one transaction.
package protocol CopyTarget: CopiedStore {
    /// Notes the copy in a database without data.
    ///
    /// - Returns: The copy's point.
    /// - Throws: ``StoreCopyError/targetHasData``, ``StoreCopyError/otherCopy``.
    func begin(_ copy: [UInt8]) async throws -> CopyPoint

    /// Adds rows, and moves the copy from one point to the next.
    ///
    /// - Throws: ``StoreCopyError/met`` if the copy is at another point.
    func append(
        _ rows: [CopiedRow],
        of table: CopiedTable,
        of copy: [UInt8],
        _ here: CopyPoint,
        _ next: CopyPoint
    ) async throws

    /// Adds the secret, and moves the copy to its end.
    ///
    /// - Throws: ``StoreCopyError/met`` if not every row is copied.
    func finish(_ copy: [UInt8], _ secret: SealedSecrets) async throws
}

/// A table that was copied.
package struct CopiedTableReport: Hashable, Sendable {
    package let name: String
    package let digest: TableDigest
}

/// The reason why a ``StoreCopy`` did not come to its end.
package enum StoreCopyError: Error, Hashable, Sendable {
    /// A relay, or another command, holds the source. Nothing was changed.
    case sourceInUse
    /// The folder of the source cannot be locked; with the system's error number. Nothing was changed.
    case sourceFolder(code: Int32)
    /// A rotation of the source's key is not finished. Nothing was changed.
    case sourceRotates
    /// The source cannot be used.
    case source(OperatorError)
    /// The key file of the target holds other keys than that of the source. Nothing was changed.
    case otherKey
    /// The key file of the target cannot be read or made.
    case key(KeyStoreError)
    /// The target has data of a relay. Nothing was changed in it.
    case targetHasData
    /// The target has a part of another copy. Nothing was changed in it.
    case otherCopy
    /// Another process has gone on with the copy at the same time.
    case met
    /// The target cannot be used.
    case target(DatabaseFault)
    /// Tables of both sides differ: the source was changed after the copy had begun. Only a copy into an empty
    /// database can come to its end.
    case different(tables: [String])
}
