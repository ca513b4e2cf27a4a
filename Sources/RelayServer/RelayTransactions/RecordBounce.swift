import OutboxCore
package import RelayAPI
package import RelayRules

/// Records what became of a memo's mail after a mail server had taken it, once.
package struct RecordBounce: RelayTransaction {
    private let bounce: MailBounce

    package init(_ bounce: MailBounce) {
        self.bounce = bounce
    }

    package func find(in tables: some RelayReads) throws -> DeliveryStatus? {
        try tables.status(ofMail: bounce.mail)
    }

    package func decide(_ status: DeliveryStatus?) -> RelayDecision<MailBounceResult> {
        let result = MailBounceResult(status)
        let news = RelayWrite.fate(bounce.fate, ofMail: bounce.mail, at: bounce.now)
        return RelayDecision(result, writes: result == .recorded ? [news] : [])
    }
}
