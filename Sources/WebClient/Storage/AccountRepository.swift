import OutboxCore

/// The stored account of the person.
struct AccountRepository {
    /// The head of an account that the relay has refused: as if there were none.
    private static let refusedHead: [UInt8] = [0]

    let host: Host
    let vault: Vault

    /// Reads the account.
    ///
    /// - Parameter then: Gets the record and its opened bytes, each `nil` if there is none.
    func read(_ then: @escaping (Record?, [UInt8]?) -> Void) {
        host.read(Thing.account.key, from: .things) { record in
            vault.open([Thing.account.sealed(in: record)]) { opened in
                then(record, opened[0].bytes)
            }
        }
    }

    /// Notes that the relay has refused the account, unless another account is stored by now.
    func refuse(_ account: Record, _ then: @escaping () -> Void) {
        var write = Transaction()
        write.setHead(Self.refusedHead, of: account.key, in: .things, ifStill: account.head)
        host.perform(write, .relaxed) { _ in then() }
    }

    static func isRefused(_ account: Record) -> Bool { account.head == refusedHead }

    /// Deletes everything on this device, with the key.
    func wipe(_ then: @escaping (Bool) -> Void) {
        var write = Transaction()
        for records in Records.all { write.clear(records) }
        write.clearKeys()
        host.perform(write, .strict) { then($0.isDone) }
    }
}
