import RelayServer
import SQLite

extension SealedSecrets {
    /// - Returns: `nil` where no secret is stored. A database that no build of two parts has opened
    ///   has no column for the second one.
    init?(in database: Connection) throws {
        let hasTwo = try RelaySchema.has("replaceable", in: "relay_secret", database)
        let columns = hasTwo ? "sealed, replaceable" : "sealed, NULL"
        let parts = try database.first("SELECT \(columns) FROM relay_secret") { row in
            (lasting: row.blob(0), replaceable: row.optionalBlob(1))
        }
        guard let parts else { return nil }
        self.init(lasting: parts.lasting, replaceable: parts.replaceable)
    }

    func insert(in database: Connection) throws {
        try database.run(
            "INSERT INTO relay_secret(id, sealed, replaceable) VALUES(0, ?, ?)",
            .blob(lasting),
            replaceable.map { .blob($0) } ?? .null
        )
    }
}
