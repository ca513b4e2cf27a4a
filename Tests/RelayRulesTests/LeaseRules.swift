/// A promise that a walk of relays and rows checks.
enum LeasePromise: String, Hashable, CaseIterable {
    case oneHolder = "no two relays have the shard at once"
    case presentEpoch = "an outcome is recorded under the present epoch only"
    case latestHandOut =
        "no outcome is recorded of a mail that another relay has handed out since"
    case latestOutcome =
        "no outcome replaces one that another relay has recorded since the mail was read"
    case attemptedAlone = "while no lease runs out, no two relays attempt a mail at once"
    case noneRefused = "while no lease runs out, no outcome is refused"
    case finishing = "from everywhere, either relay can have the shard and finish its mails"
}

/// A deliberate fault, which a walk must find.
enum LeaseSabotage: Hashable, CaseIterable {
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
    var broken: Set<LeasePromise> {
        switch self {
        case .noEpoch: [.presentEpoch, .latestHandOut, .latestOutcome]
        case .epochByName, .epochFromOne, .fenceOutside, .epochAfterLook: [.presentEpoch]
        case .relayClock, .noMargin, .noEnd, .endFromAnswer, .slowClock: [.oneHolder]
        }
    }
}

/// What may happen in a walk.
struct LeaseRules: Hashable {
    var mails = 1
    /// How often relays are killed, fail, and lose answers.
    var faults = 0
    /// The ticks that pass while a relay stands still that has something to do about its leases.
    var pauses = 1
    var sabotage: LeaseSabotage?

    /// Whether no lease runs out.
    var isCalm: Bool { faults == 0 && pauses == 0 }

    /// The milliseconds of a relay's clock in a tick of the database's, which is 5 milliseconds. A lease is
    /// two ticks, its margin 2 milliseconds.
    var tick: Int { sabotage == .slowClock ? 3 : 4 }

    /// The ticks by which the clock that a relay's statements use is ahead of the database's.
    func ahead(_ relay: Int) -> Int { sabotage == .relayClock ? relay * 2 : 0 }
}
