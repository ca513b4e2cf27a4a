package import OutboxCore
package import RelayAPI
package import RelayRules

/// Applies a change of an account's settings, at most once, if the settings have the version that the
/// change was made on. The answer is kept with it.
package struct ChangeSettings: RelayTransaction {
    package struct Found {
        let settings: SharedSettings?
        let ledger: ChangeLedger?
        /// The nodes that are forgotten when one more has a ledger.
        let stale: [[UInt8]]
        let lastChange: Int64
        let use: MemoUse
    }

    private let change: SettingsChange
    private let now: WallTime

    package init(_ change: SettingsChange, at now: WallTime) {
        self.change = change
        self.now = now
    }

    package func find(in tables: some RelayReads) throws -> Found {
        let account = change.account
        let steps = SettingsRate.steps(at: now)
        return Found(
            settings: try tables.settings(of: account),
            ledger: try tables.ledger(of: change.name.node, account),
            stale: try tables.nodes(of: account, beyond: ChangeLedger.mostNodes - 1),
            lastChange: try tables.lastChange(of: account),
            use: try tables.use(.stepped(key: change.rateKey, steps))
        )
    }

    package func decide(_ found: Found) -> RelayDecision<SettingsDecision> {
        var ledger = found.ledger ?? ChangeLedger()
        if let earlier = ledger.earlier(change.name) {
            return RelayDecision(SettingsDecision(earlier, found.settings))
        }
        if let wait = SettingsRate.wait(after: found.use, at: now) {
            return RelayDecision(.wait(wait))
        }
        ledger.settle(through: change.settledThrough)
        let time = ledger.time(of: change.name, stamped: change.time, at: now)
        var writes: [RelayWrite] = []
        let decision: SettingsDecision
        if (found.settings?.version ?? 0) != change.madeOn {
            ledger.hear(change.name, at: time, .conflict)
            decision = .conflict(found.settings, time: time)
        } else if let reason = change.refusal(on: found.settings) {
            ledger.hear(change.name, at: time, .refused(reason: reason))
            decision = .refused(reason: reason, found.settings)
        } else {
            let version = found.lastChange + 1
            ledger.hear(change.name, at: time, .accepted(version: version))
            decision = .accepted(version: version, time: time)
            writes = [
                .settings(
                    change.applied(to: found.settings, at: time, version: version),
                    of: change.account,
                    at: now
                )
            ]
        }
        if found.ledger == nil {
            writes += found.stale.map { .dropLedger(of: $0, change.account) }
        }
        return RelayDecision(
            decision,
            writes: writes + [
                .ledger(ledger, of: change.name.node, change.account, at: now),
                .count(key: change.rateKey, SettingsRate.steps(at: now)),
            ]
        )
    }
}

/// Reads the settings of an account. Writes nothing.
package struct FindSettings: RelayTransaction {
    private let account: AccountID

    package init(of account: AccountID) {
        self.account = account
    }

    package func find(in tables: some RelayReads) throws -> SharedSettings? {
        try tables.settings(of: account)
    }

    package func decide(_ found: SharedSettings?) -> RelayDecision<SharedSettings?> {
        RelayDecision(found)
    }
}

/// Looks for the answer to a change that was heard before. Writes nothing.
package struct FindAnswer: RelayTransaction {
    package enum Asked: Hashable, Sendable {
        /// The device asks alone.
        case question
        /// The change comes with the question.
        case change
    }

    private let name: ChangeName
    private let account: AccountID
    private let asked: Asked

    package init(to name: ChangeName, of account: AccountID, _ asked: Asked) {
        self.name = name
        self.account = account
        self.asked = asked
    }

    package func find(
        in tables: some RelayReads
    ) throws -> (settings: SharedSettings?, ledger: ChangeLedger?) {
        (try tables.settings(of: account), try tables.ledger(of: name.node, account))
    }

    package func decide(
        _ found: (settings: SharedSettings?, ledger: ChangeLedger?)
    ) -> RelayDecision<SettingsDecision?> {
        let earlier =
            switch asked {
            case .question: found.ledger?.answer(to: name)
            case .change: found.ledger?.earlier(name)
            }
        return RelayDecision(earlier.map { SettingsDecision($0, found.settings) })
    }
}
