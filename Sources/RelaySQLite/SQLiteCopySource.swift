import LibC
import Outbox
import OutboxCore
import OutboxSQLite
package import RelayServer
import SQLite

/// The data folder from which a ``/RelayServer/StoreCopy`` reads.
///
/// It holds the folder's lock, so that no relay serves meanwhile; the mark, a row of `relay_copy`, keeps
/// relays out afterwards.
package struct SQLiteCopySource: CopySource {
    private let store: SQLiteRelayStore
    private let keyPath: String

    /// Opens the database of a folder, and brings its tables to their present form.
    ///
    /// - Throws: ``/RelayServer/StoreCopyError``. No folder, database or key is made.
    package init(folder: String) throws(StoreCopyError) {
        let secret: RelaySecret
        do throws(OperatorError) {
            secret = try OperatorDatabase(folder: folder).relaySecret()
        } catch {
            throw .source(error)
        }
        withExtendedLifetime(secret) {}
        let claim = try Self.claim(folder)
        keyPath = folder + "/key"
        do {
            store = try SQLiteRelayStore(
                folder: folder,
                keys: FileKeyStore(path: keyPath),
                claim: claim
            )
        } catch {
            throw .source(OperatorError(error))
        }
    }

    private static func claim(_ folder: String) throws(StoreCopyError) -> FileLock {
        do throws(RelayStartError) {
            return try SQLiteRelayStore.claim(folder)
        } catch {
            switch error {
            case .dataFolder(let code): throw .sourceFolder(code: code)
            default: throw .sourceInUse
            }
        }
    }

    /// Writes the folder's keys into a file, unless it holds them.
    ///
    /// - Parameter path: The path of the file, whose folder exists. The file gets mode 0600.
    /// - Throws: ``/RelayServer/StoreCopyError/otherKey`` for a file with anything else.
    package func copyKey(to path: String) throws(StoreCopyError) {
        do throws(KeyStoreError) {
            guard let keys = try KeyFile(path: keyPath).read() else { throw .missing }
            let file = KeyFile(path: path)
            if try file.read() == nil, try file.add(keys) { return }
            guard try file.read() != keys else { return }
        } catch {
            throw .key(error)
        }
        throw .otherKey
    }

    package func begin() throws -> [UInt8] {
        try store.storage.write { database in
            let isRotating = try database.first("SELECT 1 FROM key_rotation") { _ in true }
            guard isRotating == nil else { throw StoreCopyError.sourceRotates }
            if let copy = try Self.copy(in: database) { return copy }
            let new = [UInt8].random(count: 16)
            try database.run("INSERT INTO relay_copy(id, copy) VALUES(0, ?)", .blob(new))
            return new
        }
    }

    /// Lets relays serve from the folder again. What was copied stays in the target.
    ///
    /// - Returns: Whether a copy had begun.
    package func cancel() throws(StoreCopyError) -> Bool {
        do {
            return try store.storage.write { try $0.run("DELETE FROM relay_copy") > 0 }
        } catch {
            throw .source(OperatorError(error))
        }
    }

    /// The identifier of the copy that has begun; `nil` for none.
    static func copy(in database: Connection) throws -> [UInt8]? {
        try database.first("SELECT copy FROM relay_copy") { $0.blob(0) }
    }

    /// A secret of one part is one whose parts are equal.
    package func secret() throws -> SealedSecrets {
        let sealer = store.queues.sealer
        guard let stored = try store.storage.read(SealedSecrets.init(in:)) else {
            throw OperatorError.noDatabase
        }
        guard stored.replaceable == nil else { return stored }
        let bytes = try SealedSecret.lasting.opened(stored.lasting, by: sealer)
        let second = try SealedSecret.replaceable.sealed(bytes, by: sealer)
        return SealedSecrets(lasting: stored.lasting, replaceable: second)
    }

    package func rows(
        of table: CopiedTable,
        after last: [CopiedValue]
    ) throws -> [CopiedRow] {
        try store.read { database in
            try database.query(
                Self.page(of: table, isFirst: last.isEmpty),
                last.map(Value.init) + [.integer(Int64(table.rowsAtOnce))]
            ) { row in
                var values: [CopiedValue] = []
                for (index, column) in table.columns.enumerated() {
                    values.append(Self.value(row, index, column.form))
                }
                let count = table.repeats ? Int(row.integer(table.columns.count)) : 1
                return CopiedRow(values, count: count)
            }
        }
    }

    private static func page(of table: CopiedTable, isFirst: Bool) -> String {
        let key = table.key.map { "\($0.name)" }.joined(separator: ", ")
        let columns = table.columns.map { expression(of: $0, in: table) }.joined(separator: ", ")
        let places = table.key.map { _ in "?" }.joined(separator: ", ")
        return """
            SELECT \(columns)\(table.repeats ? ", count(*)" : "") FROM \(table.name)
            \(isFirst ? "" : "WHERE (\(key)) > (\(places))")
            \(table.repeats ? "GROUP BY \(key)" : "") ORDER BY \(key) LIMIT ?
            """
    }

    /// A column's value as later builds write it: earlier ones left some columns empty.
    private static func expression(
        of column: CopiedTable.Column,
        in table: CopiedTable
    ) -> String {
        switch ("\(table.name)", "\(column.name)") {
        // A mailbox that is not known counts by its account.
        case ("account", "mailbox"): "coalesce(mailbox, id)"
        case ("memo", "mailbox"): "coalesce(mailbox, account)"
        // No network has it.
        case ("device", "pair"): "coalesce(pair, X'')"
        case ("mailed_code", "language"): "coalesce(language, 'en')"
        default: "\(column.name)"
        }
    }

    private static func value(
        _ row: borrowing Row,
        _ column: Int,
        _ form: CopiedTable.Column.Form
    ) -> CopiedValue {
        guard !row.isNull(column) else { return .null }
        return switch form {
        case .integer: .integer(row.integer(column))
        case .text: .text(row.text(column))
        case .bytes: .bytes(row.blob(column))
        }
    }
}

extension Value {
    fileprivate init(_ value: CopiedValue) {
        self =
            switch value {
            case .null: .null
            case .integer(let integer): .integer(integer)
            case .text(let text): .text(text)
            case .bytes(let bytes): .blob(bytes)
            }
    }
}
