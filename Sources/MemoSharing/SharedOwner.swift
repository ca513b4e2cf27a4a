import MemoKit
import WireCore

/// The account whose records a database has.
///
/// A relay has one account for an address, however its letters are written.
struct SharedOwner: Hashable, Sendable {
    let relay: String
    /// In small letters.
    let address: String

    init(_ account: Account) {
        relay = account.relay
        address = account.address.lowercased()
    }

    init?(decoding bytes: [UInt8]) {
        guard let json = JSON(decoding: bytes), let relay = json["relay"]?.string,
            let address = json["address"]?.string
        else { return nil }
        self.relay = String(decoding: relay, as: UTF8.self)
        self.address = String(decoding: address, as: UTF8.self).lowercased()
    }

    var encoded: [UInt8] {
        JSON.object([
            ("address", .string(Array(address.utf8))), ("relay", .string(Array(relay.utf8))),
        ])
        .encoded()
    }
}
