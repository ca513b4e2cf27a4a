import PostgreSQL
import RelayServer

/// The database into which a ``/RelayServer/StoreCopy`` writes.
///
/// The transaction that begins a copy holds `relay_turn`, as those of relays do: no relay makes its secret
/// between the look for data and the note of the copy.
struct PostgreSQLCopyTarget: CopyTarget {
    let pool: Pool

    func begin(_ copy: [UInt8]) async throws -> CopyPoint {
        try await translating {
            try await pool.transaction(.readCommitted) { transaction in
                _ = try transaction.run(.turn)
                if let row = try transaction.run(.copy).first {
                    guard row.bytes(0) == copy else { throw StoreCopyError.otherCopy }
                    return try CopyPoint(row: row)
                }
                let rows = try transaction.run(
                    [.secret] + CopiedTable.all.map { .any(of: $0) }
                )
                guard rows.allSatisfy({ $0.count == 0 }) else {
                    throw StoreCopyError.targetHasData
                }
                transaction.add(.noting(copy))
                return .beginning
            }
        }
    }

    func append(
        _ rows: [CopiedRow],
        of table: CopiedTable,
        of copy: [UInt8],
        _ here: CopyPoint,
        _ next: CopyPoint
    ) async throws {
        try await translating {
            try await pool.transaction(.readCommitted) { transaction in
                try transaction.move(copy, from: here, to: next)
                for row in rows {
                    let insertion = Statement.insertion(of: row, into: table)
                    for _ in 0..<row.count { transaction.add(insertion) }
                }
            }
        }
    }

    func finish(_ copy: [UInt8], _ secret: SealedSecrets) async throws {
        try await translating {
            try await pool.transaction(.readCommitted) { transaction in
                try transaction.move(copy, from: .copied, to: .finished)
                transaction.add(.insertion(of: secret))
                transaction.add(.numberFurtherMails)
                let stored = try transaction.run(.secret).first.map(SealedSecrets.init(row:))
                guard stored == secret else {
                    throw StoreCopyError.different(tables: ["relay_secret"])
                }
            }
        }
    }

    func rows(
        of table: CopiedTable,
        after last: [CopiedValue]
    ) async throws -> [CopiedRow] {
        try await translating {
            try await pool.attempt { connection in
                try connection.run(.page(of: table, after: last)).map { row in
                    let values = table.columns.enumerated().map { index, column in
                        row.value(index, column.form)
                    }
                    return CopiedRow(
                        values,
                        count: table.repeats ? row.count(table.columns.count) : 1
                    )
                }
            }
        }
    }
}

extension Transaction {
    /// - Throws: ``/RelayServer/StoreCopyError/met`` if the copy is not at the first point.
    fileprivate func move(_ copy: [UInt8], from here: CopyPoint, to next: CopyPoint) throws {
        let moved = try run(
            Statement(
                """
                UPDATE relay_copy SET part = $4, last = $5
                WHERE id = 0 AND copy = $1 AND part = $2 AND last = $3
                """,
                [.bytes(copy)] + here.parameters + next.parameters
            )
        )
        guard moved.changed == 1 else { throw StoreCopyError.met }
    }
}

extension CopyPoint {
    /// A row with `copy`, `part` and `last`.
    fileprivate init(row: Row) throws {
        guard let last = [CopiedValue](encoded: row.bytes(2)) else { throw CorruptRow() }
        self.init(table: row.count(1), last: last)
    }

    fileprivate var parameters: [Statement.Value] { [.count(table), .bytes(last.encoded())] }
}

extension Row {
    fileprivate func value(_ column: Int, _ form: CopiedTable.Column.Form) -> CopiedValue {
        guard !isNull(column) else { return .null }
        return switch form {
        case .integer: .integer(integer(column))
        case .text: .text(text(column))
        case .bytes: .bytes(bytes(column))
        }
    }
}

extension Statement {
    fileprivate static var copy: Statement { Statement("SELECT copy, part, last FROM relay_copy") }

    fileprivate static func noting(_ copy: [UInt8]) -> Statement {
        Statement(
            "INSERT INTO relay_copy(id, copy, part, last) VALUES (0, $1, $2, $3)",
            [.bytes(copy)] + CopyPoint.beginning.parameters
        )
    }

    /// Lets mails that are queued later have greater numbers than those that were copied.
    fileprivate static var numberFurtherMails: Statement {
        Statement(
            """
            SELECT setval(pg_get_serial_sequence('outbox_operation', 'entry'), latest.entry)
            FROM (SELECT max(entry) AS entry FROM outbox_operation) AS latest
            WHERE latest.entry > 0
            """
        )
    }

    fileprivate static func any(of table: CopiedTable) -> Statement {
        Statement(joining: ["SELECT 1 FROM ", table.name, " LIMIT 1"])
    }

    fileprivate static func insertion(of row: CopiedRow, into table: CopiedTable) -> Statement {
        Statement(
            joining: ["INSERT INTO ", table.name, "("] + list(table.columns.map(\.name))
                + [") VALUES ("] + list(Array(places.prefix(table.columns.count))) + [")"],
            row.values.map(Value.init)
        )
    }

    fileprivate static func page(of table: CopiedTable, after last: [CopiedValue]) -> Statement {
        let key = list(table.key.map(\.name))
        let given = Array(places.prefix(last.count))
        return Statement(
            joining: ["SELECT "] + list(table.columns.map(\.name))
                + (table.repeats ? [", count(*)"] : []) + [" FROM ", table.name]
                + (last.isEmpty ? [] : [" WHERE ("] + key + [") > ("] + list(given) + [")"])
                + (table.repeats ? [" GROUP BY "] + key : [])
                + [" ORDER BY "] + key + [" LIMIT ", places[last.count]],
            last.map(Value.init) + [.count(table.rowsAtOnce)]
        )
    }

    private static func list(_ names: [StaticString]) -> [StaticString] {
        Array(names.map { [$0] }.joined(separator: [", "]))
    }

    /// The names of parameters: as many as the widest table has columns.
    private static let places: [StaticString] = [
        "$1", "$2", "$3", "$4", "$5", "$6", "$7", "$8", "$9", "$10", "$11", "$12", "$13", "$14",
    ]
}

extension Statement.Value {
    fileprivate init(_ value: CopiedValue) {
        self =
            switch value {
            case .null: .null
            case .integer(let integer): .integer(integer)
            case .text(let text): .text(text)
            case .bytes(let bytes): .bytes(bytes)
            }
    }
}
