import LeaseWorlds

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
