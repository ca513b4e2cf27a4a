import RelayRules

extension MemoSender {
    /// - Parameter names: The names of the networks, the narrowest first; see ``NetworkName``.
    init(_ device: AuthenticatedDevice, networks names: [String], secret: RelaySecret) {
        self.init(
            mailbox: secret.mailbox(of: device.address),
            createdAt: device.accountCreatedAt,
            pair: names.first.map { secret.pair(of: MailboxName(device.address), source: $0) },
            networks: names.map { secret.authenticationCode(.network, Array($0.utf8)) }
        )
    }
}
