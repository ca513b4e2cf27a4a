package import Outbox
package import OutboxCore

/// The parts of the relay's secret, see ``RelaySecret``.
package enum SealedSecret: CaseIterable {
    /// The key of what is stored, such as the keys of addresses.
    case lasting
    /// The key of what leaves the relay: links, tags and cursors.
    case replaceable

    /// The column of `relay_secret`.
    package var column: String {
        switch self {
        case .lasting: "sealed"
        case .replaceable: "replaceable"
        }
    }

    /// The identifier that the part is sealed under.
    package var id: OperationID {
        switch self {
        case .lasting: OperationID(high: 0, low: 0)
        case .replaceable: OperationID(high: 0, low: 1)
        }
    }

    /// New bytes of the part, sealed.
    package func random(sealedBy sealer: Sealer) throws -> [UInt8] {
        try sealed(.random(count: 32), by: sealer)
    }

    /// The bytes of the part, sealed.
    package func sealed(_ bytes: [UInt8], by sealer: Sealer) throws -> [UInt8] {
        try sealer.seal(bytes, id: id, kind: .secret, createdAt: .distantPast)
    }

    package func opened(_ sealed: [UInt8], by sealer: Sealer) throws -> [UInt8] {
        try sealer.open(sealed, id: id, kind: .secret, createdAt: .distantPast)
    }
}

/// The relay's secret as it is stored.
package struct SealedSecrets: Hashable, Sendable {
    package let lasting: [UInt8]
    /// `nil` where a build that knew one part made the secret, and none was replaced since.
    package let replaceable: [UInt8]?

    package init(lasting: [UInt8], replaceable: [UInt8]?) {
        self.lasting = lasting
        self.replaceable = replaceable
    }

    package static func random(sealedBy sealer: Sealer) throws -> SealedSecrets {
        SealedSecrets(
            lasting: try SealedSecret.lasting.random(sealedBy: sealer),
            replaceable: try SealedSecret.replaceable.random(sealedBy: sealer)
        )
    }

    package func opened(by sealer: Sealer) throws -> RelaySecret {
        RelaySecret(
            bytes: try SealedSecret.lasting.opened(lasting, by: sealer),
            replaceable: try replaceable.map {
                try SealedSecret.replaceable.opened($0, by: sealer)
            }
        )
    }
}

/// The database has accounts, but not the secret by which their addresses are found. Under another
/// secret every person would get a second account, and a repeated memo would be a new one.
package struct SecretMissing: Error {
    package init() {}
}
