import Outbox
import OutboxCore
import RelayServer
import SQLite

/// The parts of the relay's secret, see ``RelaySecret``.
enum SealedSecret: CaseIterable {
    /// The key of what is stored, such as the keys of addresses.
    case lasting
    /// The key of what leaves the relay: links, tags and cursors.
    case replaceable

    /// The column of `relay_secret`.
    var column: String {
        switch self {
        case .lasting: "sealed"
        case .replaceable: "replaceable"
        }
    }

    /// The identifier that the part is sealed under.
    var id: OperationID {
        switch self {
        case .lasting: OperationID(high: 0, low: 0)
        case .replaceable: OperationID(high: 0, low: 1)
        }
    }

    /// New bytes of the part, sealed.
    func random(sealedBy sealer: Sealer) throws -> [UInt8] {
        try sealer.seal(.random(count: 32), id: id, kind: .secret, createdAt: .distantPast)
    }

    func opened(_ sealed: [UInt8], by sealer: Sealer) throws -> [UInt8] {
        try sealer.open(sealed, id: id, kind: .secret, createdAt: .distantPast)
    }
}

/// The relay's secret as it is stored.
struct SealedSecrets: Sendable {
    private let lasting: [UInt8]
    /// `nil` where a build that knew one part made the secret, and none was replaced since.
    private let replaceable: [UInt8]?

    /// - Returns: `nil` where no secret is stored. A database that no build of two parts has opened
    ///   has no column for the second one.
    init?(in database: Connection) throws {
        let hasTwo = try RelaySchema.has("replaceable", in: "relay_secret", database)
        let columns = hasTwo ? "sealed, replaceable" : "sealed, NULL"
        let parts = try database.first("SELECT \(columns) FROM relay_secret") { row in
            (lasting: row.blob(0), replaceable: row.optionalBlob(1))
        }
        guard let parts else { return nil }
        (lasting, replaceable) = parts
    }

    private init(lasting: [UInt8], replaceable: [UInt8]) {
        self.lasting = lasting
        self.replaceable = replaceable
    }

    static func random(sealedBy sealer: Sealer) throws -> SealedSecrets {
        SealedSecrets(
            lasting: try SealedSecret.lasting.random(sealedBy: sealer),
            replaceable: try SealedSecret.replaceable.random(sealedBy: sealer)
        )
    }

    func opened(by sealer: Sealer) throws -> RelaySecret {
        RelaySecret(
            bytes: try SealedSecret.lasting.opened(lasting, by: sealer),
            replaceable: try replaceable.map {
                try SealedSecret.replaceable.opened($0, by: sealer)
            }
        )
    }

    func insert(in database: Connection) throws {
        try database.run(
            "INSERT INTO relay_secret(id, sealed, replaceable) VALUES(0, ?, ?)",
            .blob(lasting),
            replaceable.map { .blob($0) } ?? .null
        )
    }
}
