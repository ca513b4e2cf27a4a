package import OutboxCore
package import RelayRules

/// Takes the next turn of a pace, or puts the next turns off. The outcome is the wait until the turn, or
/// until the rest is over.
package struct KeepPace: RelayTransaction {
    package enum Step: Hashable, Sendable {
        /// Takes a turn; the next one is a pause later.
        case turn(pause: Milliseconds)
        /// Lets nothing begin for a while.
        case rest(Milliseconds)
    }

    private let pace: PaceName
    private let step: Step
    private let now: WallTime

    package init(_ pace: PaceName, _ step: Step, at now: WallTime) {
        self.pace = pace
        self.step = step
        self.now = now
    }

    package func find(in tables: some RelayReads) throws -> WallTime? {
        try tables.nextTurn(of: pace)
    }

    package func decide(_ next: WallTime?) -> RelayDecision<Milliseconds> {
        var shared = SharedPace(next: next)
        let wait: Milliseconds
        switch step {
        case .turn(let pause): wait = shared.take(pause: pause, at: now)
        case .rest(let time):
            shared.rest(for: time, at: now)
            wait = time
        }
        return RelayDecision(wait, writes: shared.next.map { [.nextTurn($0, of: pace)] } ?? [])
    }
}
