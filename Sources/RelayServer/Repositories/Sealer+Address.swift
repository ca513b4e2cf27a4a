package import Outbox
package import OutboxCore
package import RelayRules

extension Sealer {
    /// Opens the address of an account.
    ///
    /// - Parameters:
    ///   - sealed: The column `account.address`.
    ///   - account: The identifier of the account.
    ///   - createdAt: The time at which the account was made.
    /// - Throws: `UnreadableRecord` for bytes that no key opens, ``CorruptRow`` for a text that is no
    ///   address, `KeyStoreError`.
    package func address(
        _ sealed: [UInt8],
        of account: OperationID,
        createdAt: WallTime
    ) throws -> MailAddress {
        let text = try open(sealed, id: account, kind: .address, createdAt: createdAt)
        guard let address = MailAddress(String(decoding: text, as: UTF8.self)) else {
            throw CorruptRow()
        }
        return address
    }
}
