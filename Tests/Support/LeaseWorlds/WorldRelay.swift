import OutboxCore
import RelayRules

/// A relay of a world: a process with its machine, its clock, and the mails that it attempts.
final class WorldRelay {
    /// An attempt of a mail.
    final class Attempt {
        let mail: Int
        let shard: Int
        /// The generation of the shard in the look that found the mail.
        let generation: Int
        /// The outcomes that the mail had when it was read.
        let outcomes: Int
        /// Whether the mail server has the mail.
        var isDelivered = false
        /// What the relay heard of the mail server.
        var outcome: Outcome?
        /// Whether the outcome was recorded, whatever the relay knows of it.
        var isRecorded = false
        /// Whether a second handing over has its cause: the relay was killed or came too late, or the mail
        /// server's answer was lost.
        var isExcused = false

        init(mail: Int, shard: Int, generation: Int, outcomes: Int) {
            self.mail = mail
            self.shard = shard
            self.generation = generation
            self.outcomes = outcomes
        }
    }

    enum Outcome {
        case done
        case again(due: Int)
    }

    /// The relay's name. The order of names is random.
    let name: Int
    /// The milliseconds of the relay's clock in a second of the database's.
    let rate: Int
    /// What the relay's clock says when the database's says nothing: years, both ways.
    private let origin: Duration
    /// What the relay's wall clock is ahead of the database's, in milliseconds.
    let ahead: Int

    var machine: LeaseMachine
    /// The generations of the shards that the relay has.
    var generations: [Int: Int] = [:]
    var attempts: [Int: Attempt] = [:]
    /// The mails whose outcomes are recorded while a look is under way.
    var settledWhileLooking: Set<Int> = []

    var isAlive = true
    var isStopping = false
    var pausedUntil = 0
    /// The time up to which its questions about the leases are lost, and the queue's answers are slow.
    var cutUntil = 0
    var isLooking = false
    var isAtLeases = false
    var isSettling = false

    init(name: Int, rate: Int, ahead: Int, times: LeaseTimes) {
        self.name = name
        self.rate = rate
        self.ahead = ahead
        origin = .milliseconds(ahead)
        machine = LeaseMachine(times: times)
    }

    static let start = ContinuousClock.now

    static func id(_ mail: Int) -> OperationID { OperationID(high: 0, low: UInt64(mail)) }

    /// The time by the relay's clock.
    func time(at now: Int) -> ContinuousClock.Instant {
        Self.start + origin + .microseconds(now * rate)
    }

    /// The time that passes by the database's clock.
    func duration(of milliseconds: Milliseconds) -> Int { Int(milliseconds.count) * 1000 / rate }

    /// Whether nothing is under way, so that the relay may end.
    var isAtRest: Bool { attempts.isEmpty && !isLooking && !isAtLeases && !isSettling }
}
