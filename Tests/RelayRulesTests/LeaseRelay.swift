import OutboxCore

@testable import RelayRules

/// A relay with its machine, and what is under way between it and the database.
///
/// Times are told as if it were always ``now``: when time passes, the times that the machine keeps come
/// nearer, by as much as the relay's clock has gone on. So there are finitely many relays.
struct LeaseRelay: Hashable {
    /// An answer of the database that has not reached the relay.
    enum Answer: Hashable {
        case view(LeaseMachine.Question, LeaseView)
        case claim(epoch: Int64)
    }

    /// A look at the mails that has read them, and has not handed them out.
    struct Look: Hashable {
        var look: LeaseMachine.Look
        /// The mails that it found, and those that were in flight when it began.
        var found: Set<Int>
        var inFlight: Set<Int>
        /// Whether another relay has claimed the shard since the relay got the claim of this look.
        var isPast: Bool
        /// The mails of which another relay has recorded an outcome since they were read.
        var outdated: Set<Int> = []
    }

    /// An attempt of a mail.
    struct Attempt: Hashable {
        enum Stage: Hashable {
            case underWay
            /// Under the rule that the fence is outside of the transaction: it was asked.
            case fenced(isOwn: Bool)
            /// The outcome is recorded, or refused because the claim is lost, and the relay does not know it.
            case answered(lost: Set<ShardClaim>)
        }

        var stage = Stage.underWay
        /// Whether another relay has claimed the shard since the relay got the claim of this attempt.
        var isPast: Bool
        /// Whether another relay has handed the mail out since, under a later claim.
        var isOvertaken = false
        /// Whether another relay has recorded an outcome of the mail since it was read.
        var isOutdated: Bool
    }

    static let now = ContinuousClock.now

    var machine: LeaseMachine
    /// Whether another relay has claimed the shard since this one got the claim that it knows.
    var isPast = false
    var answer: Answer?
    /// Whether another relay has claimed the shard since the answer was made.
    var answerIsPast = false
    var look: Look?
    var attempts: [Int: Attempt] = [:]

    init() {
        machine = LeaseMachine(times: LeaseTimes(length: Milliseconds(10)))
        machine.beganAgain(wholePart: 1)
    }

    static func id(_ mail: Int) -> OperationID { OperationID(high: 0, low: UInt64(mail)) }

    /// Whether the relay hands mails of the shard out, as far as it knows.
    var hasShard: Bool {
        var machine = machine
        return !machine.beginLook(at: Self.now).epochs.isEmpty
    }

    /// Whether the relay is to do something about its leases before time passes.
    var isDue: Bool { answer != nil || machine.question(at: Self.now).renews }

    /// Whether nothing is under way, so that the relay may end.
    var isAtRest: Bool { answer == nil && look == nil && attempts.isEmpty }

    /// The epochs that the relay knows.
    var epochs: Set<Int64> {
        var epochs = Set(machine.epochs.values)
        epochs.formUnion(machine.handedOut.values.map(\.epoch))
        epochs.formUnion(machine.left.map(\.epoch))
        if let look { epochs.formUnion(look.look.epochs.values) }
        switch answer {
        case .view(_, let view): epochs.formUnion(view.epochs.values)
        case .claim(let epoch): epochs.insert(epoch)
        case nil: break
        }
        return epochs
    }

    // MARK: What others do

    /// Somebody has claimed the shard.
    mutating func seeClaim() {
        isPast = !machine.epochs.isEmpty
        answerIsPast = answer != nil
        look?.isPast = true
        for mail in attempts.keys { attempts[mail]?.isPast = true }
    }

    /// Another relay has handed mails out, under the present claim.
    mutating func seeHandOut(of mails: Set<Int>) {
        for mail in mails { attempts[mail]?.isOvertaken = true }
    }

    /// Another relay has recorded the outcome of a mail.
    mutating func seeOutcome(of mail: Int) {
        attempts[mail]?.isOutdated = true
        if look?.found.contains(mail) == true { look?.outdated.insert(mail) }
    }

    /// Some milliseconds have passed by the relay's clock.
    ///
    /// - Parameter looksAtEnd: Whether the relay sees that its leases come to an end.
    mutating func passTime(_ milliseconds: Int, looksAtEnd: Bool) {
        let time = Duration.milliseconds(milliseconds)
        func passed(_ moment: ContinuousClock.Instant?) -> ContinuousClock.Instant? {
            moment.map { $0 - time }.flatMap { $0 > Self.now ? $0 : nil }
        }
        if looksAtEnd { machine.end = passed(machine.end) }
        machine.nextRenewal = passed(machine.nextRenewal)
        guard case .view(var question, let view) = answer else { return }
        // Whatever renews the leases does not last longer.
        question.begun = max(question.begun - time, Self.now - .milliseconds(10))
        answer = .view(question, view)
    }
}
