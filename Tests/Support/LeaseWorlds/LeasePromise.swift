/// A promise of relays that share a queue, which walks and worlds check.
package enum LeasePromise: String, Hashable, CaseIterable, Sendable {
    /// No two relays have a shard at once.
    case oneHolder = "no two relays have the shard at once"
    /// An outcome is recorded under the present epoch only.
    case presentEpoch = "an outcome is recorded under the present epoch only"
    /// No outcome is recorded of a mail that another relay has handed out since.
    case latestHandOut =
        "no outcome is recorded of a mail that another relay has handed out since"
    /// No outcome replaces one that another relay has recorded since the mail was read.
    case latestOutcome =
        "no outcome replaces one that another relay has recorded since the mail was read"
    /// While no lease runs out, no two relays attempt a mail at once.
    case attemptedAlone = "while no lease runs out, no two relays attempt a mail at once"
    /// While no lease runs out, no outcome is refused.
    case noneRefused = "while no lease runs out, no outcome is refused"
    /// Of a walk: from everywhere, either relay can have the shard and finish its mails.
    case finishing = "from everywhere, either relay can have the shard and finish its mails"
    /// Of a world: a mail is handed over again only where its outcome was not recorded, because a relay was
    /// killed, had lost the shard, or heard no answer of the mail server.
    case handedOverOnce =
        "a mail is handed over again only where its relay was killed, late, or without an answer"
    /// Of a world: after a quiet time each shard has one relay, and every mail is handed over.
    case rest = "after a quiet time each shard has one relay, and every mail is handed over"
    /// Of a world: after a quiet time no relay has two shards more than another one.
    case evenShares = "after a quiet time no relay has two shards more than another one"
}

/// A deliberate fault, which walks and worlds must find.
package enum LeaseSabotage: String, Hashable, CaseIterable, Sendable {
    /// The fence does not look at the epoch.
    case noEpoch
    /// An epoch is the name of the relay.
    case epochByName
    /// Epochs start again at 1 when the shard was given back.
    case epochFromOne
    /// Statements name the times of the relays' clocks, which differ.
    case relayClock
    /// A relay uses its leases to their end.
    case noMargin
    /// A relay does not look whether its leases last.
    case noEnd
    /// A relay counts its leases from the answer of the database.
    case endFromAnswer
    /// A relay's clock is slower than the margin allows.
    case slowClock
    /// The fence is asked before the transaction of the outcome.
    case fenceOutside
    /// A mail is handed out under the epoch that the shard has after the look.
    case epochAfterLook

    /// The promises that it must break at least.
    package var broken: Set<LeasePromise> {
        switch self {
        case .noEpoch: [.presentEpoch, .latestHandOut, .latestOutcome]
        case .epochByName, .epochFromOne, .fenceOutside, .epochAfterLook: [.presentEpoch]
        case .relayClock, .noMargin, .noEnd, .endFromAnswer, .slowClock: [.oneHolder]
        }
    }
}
