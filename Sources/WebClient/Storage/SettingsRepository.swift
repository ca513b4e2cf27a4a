import OutboxCore

/// The stored settings, with the other records that the app begins with.
struct SettingsRepository {
    /// How many drafts of pages that ended are looked at.
    private static let draftsLooked: UInt32 = 8

    let host: Host

    /// The records that the start reads.
    struct Start {
        let keys: [[UInt8]]
        /// Whether something is stored that only a key opens.
        let hasRecords: Bool
        let account: Record?
        let settings: Record?
        let timings: Record?
        /// The latest drafts, without bodies.
        let drafts: [Record]
    }

    /// Reads the records of the start.
    ///
    /// - Parameter then: Gets the records, or the reason why the database cannot be read.
    func readStart(_ then: @escaping (StorageResult<Start>) -> Void) {
        var read = Transaction()
        let keys = read.readKeys()
        let counts = [Records.outbox, .history, .drafts, .shares, .shared].map {
            read.count(in: $0)
        }
        let (account, settings) = (read.get(.account), read.get(.settings))
        let timings = read.get(.timings)
        let drafts = read.find(
            in: .drafts,
            by: .head,
            descending: true,
            limit: Self.draftsLooked,
            bodies: false
        )
        host.perform(read, .read) { answer in
            switch answer {
            case .done(let reader):
                let found = Findings(reader)
                then(
                    .done(
                        Start(
                            keys: found[keys],
                            hasRecords: found[account] != nil || found[settings] != nil
                                || counts.contains { found[$0] > 0 },
                            account: found[account],
                            settings: found[settings],
                            timings: found[timings],
                            drafts: found[drafts]
                        )
                    )
                )
            case .failed(let name): then(.failed(StorageFailure(name)))
            }
        }
    }

    /// Reads account and settings, which are sealed.
    func read(
        _ then: @escaping (_ account: Record?, _ settings: Record?) -> Void,
        orElse failed: @escaping () -> Void
    ) {
        var read = Transaction()
        let (account, settings) = (read.get(.account), read.get(.settings))
        host.read(read, { found in then(found[account], found[settings]) }, orElse: failed)
    }
}
