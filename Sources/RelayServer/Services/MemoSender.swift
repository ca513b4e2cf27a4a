import RelayRules

extension MemoSender {
    /// - Parameter names: The names of the networks, the narrowest first; see ``NetworkName``.
    init(account: AccountID?, networks names: [String], secret: RelaySecret) {
        self.init(
            account: account,
            networks: names.map { secret.authenticationCode(.network, Array($0.utf8)) }
        )
    }
}
