import LeaseWorlds
import OutboxCore

@testable import RelayRules

/// A step of one relay, and what the other one notices of it.
struct LeaseStep {
    enum Notice: Hashable {
        case claim
        case handOut(Set<Int>)
        case outcome(Int)
    }

    let name: String
    var relay: LeaseRelay
    var rows: LeaseRows
    var notice: Notice?
    /// The promises that it breaks.
    var broken: Set<LeasePromise> = []
    /// Whether it comes only with faults.
    var isFault = false
    /// For a question about the leases: whether the relay's share is the shard.
    var wants: Bool?
    /// Whether the relay ends with it.
    var isEnd = false

    /// All steps that a relay can take.
    static func all(
        of me: Int,
        _ relay: LeaseRelay,
        _ rows: LeaseRows,
        _ rules: LeaseRules
    ) -> [LeaseStep] {
        let maker = Maker(me: me, relay: relay, rows: rows, rules: rules)
        let steps =
            maker.questions + maker.answers + maker.lateReturns + maker.looks + maker.outcomes
            + maker.ends
        return steps.filter { !$0.isFault || rows.faults > 0 }.map { step in
            var step = step
            if step.isFault { step.rows.countFault() }
            return step
        }
    }
}

/// Makes the steps of a relay.
private struct Maker {
    let me: Int
    let relay: LeaseRelay
    let rows: LeaseRows
    let rules: LeaseRules

    private var ahead: Int { rules.ahead(me) }

    private func step(
        _ name: String,
        isFault: Bool = false,
        _ change: (inout LeaseStep) -> Void
    ) -> LeaseStep {
        var step = LeaseStep(name: "\(me): \(name)", relay: relay, rows: rows, isFault: isFault)
        change(&step)
        return step
    }

    // MARK: Leases

    /// The relay asks about the leases, renews them when it is time, and has a share of one or none.
    var questions: [LeaseStep] {
        guard relay.answer == nil else { return [] }
        let question = relay.machine.question(at: LeaseRelay.now)
        return [true, false].flatMap { wants in
            let asked = step("ask, share \(wants ? 1 : 0)") { step in
                if question.renews { step.rows.renew(by: me, ahead: ahead) }
                step.relay.answer = .view(question, view(of: step.rows, wants: wants))
                step.relay.answerIsPast = false
                step.wants = wants
            }
            var lost = step("ask, answer lost", isFault: true) { $0.rows = asked.rows }
            lost.wants = wants
            return lost.rows == rows ? [asked] : [asked, lost]
        }
    }

    /// By their order the first relay's share is the shard.
    private func view(of rows: LeaseRows, wants: Bool) -> LeaseView {
        let other = wants ? 2 : 0
        let holder = rows.holder == .relay(me) ? 1 : other
        return LeaseView(
            of: 1,
            among: [1, other],
            shards: [
                (
                    ShardClaim(shard: 0, epoch: rows.epoch),
                    rows.isFree(ahead: ahead) ? nil : holder
                )
            ]
        )
    }

    /// The relay takes an answer, and gives the shard back or claims it.
    var answers: [LeaseStep] {
        switch relay.answer {
        case .view(let question, let view): moves(question, view)
        case .claim(let epoch):
            [
                step("take claim") { step in
                    step.relay.answer = nil
                    step.relay.machine.claimed([0: epoch])
                    step.relay.isPast = relay.answerIsPast
                    step.relay.answerIsPast = false
                }
            ]
        case nil: []
        }
    }

    private func moves(_ question: LeaseMachine.Question, _ view: LeaseView) -> [LeaseStep] {
        var question = question
        switch rules.sabotage {
        case .endFromAnswer: question.begun = LeaseRelay.now
        case .noMargin: question.begun = question.begun + .milliseconds(2)
        default: break
        }
        var action: LeaseMachine.Action?
        let taken = step("take answer") { step in
            step.relay.answer = nil
            action = step.relay.machine.answered(question, view, wholePart: 1)
            step.relay.isPast = relay.answerIsPast && !step.relay.machine.epochs.isEmpty
            step.relay.answerIsPast = false
        }
        guard case .move(let returns, let claims) = action else { return [taken] }
        if !returns.isEmpty { return self.returns(taken, returns) }
        if !claims.isEmpty, rows.isFree(ahead: ahead) { return self.claims(taken) }
        return [taken]
    }

    private func returns(_ taken: LeaseStep, _ claims: Set<ShardClaim>) -> [LeaseStep] {
        var (returned, failed, late) = (taken, taken, taken)
        returned.rows.giveBack(claims, by: me)
        failed.isFault = true
        guard rows.lateReturn == nil else { return [returned, failed] }
        late.rows.lateReturn = LeaseRows.LateReturn(relay: me, claims: claims)
        late.isFault = true
        return [returned, failed, late]
    }

    /// The server performs a statement whose connection is lost.
    var lateReturns: [LeaseStep] {
        guard let late = rows.lateReturn, late.relay == me else { return [] }
        return [
            step("returned late") { step in
                step.rows.giveBack(late.claims, by: me)
                step.rows.lateReturn = nil
            }
        ]
    }

    private func claims(_ taken: LeaseStep) -> [LeaseStep] {
        var (claimed, lost, failed) = (taken, taken, taken)
        let epoch = newEpoch
        claimed.rows.claim(by: me, under: epoch, ahead: ahead)
        claimed.relay.seeClaim()
        claimed.notice = .claim
        lost = claimed
        claimed.relay.answer = .claim(epoch: epoch)
        lost.isFault = true
        failed.isFault = true
        return [claimed, lost, failed]
    }

    /// One more than the last: any number that nobody knows. Those of the two relays are odd and even.
    private var newEpoch: Int64 {
        switch rules.sabotage {
        case .epochByName: return Int64(me)
        case .epochFromOne: return rows.holder == .nobody ? 1 : rows.epoch + 1
        default: break
        }
        var epoch = Int64(me + 2)
        let late = rows.lateReturn.map { $0.claims.map(\.epoch) } ?? []
        let known = relay.epochs.union(late + [rows.epoch])
        while known.contains(epoch) { epoch += 2 }
        return epoch
    }

    // MARK: Mails

    /// The relay looks at the queue, and hands out the mails that it has found.
    var looks: [LeaseStep] {
        guard let look = relay.look else {
            let begun = step("begin look") { begin(&$0) }
            return begun.relay == relay ? [] : [begun]
        }
        let handedOut = step("hand out") { handOut(look, &$0) }
        // As mails that cannot be read, or are left alone.
        let unattempted = step("hand out in vain", isFault: true) { step in
            handOut(look, &step)
            let new = look.found.subtracting(look.inFlight)
            step.relay.attempts = relay.attempts.filter { !new.contains($0.key) }
            step.notice = nil
        }
        let failed = step("look fails", isFault: true) { step in
            step.relay.look = nil
            step.relay.machine.end(look.look)
        }
        return [handedOut, unattempted, failed]
    }

    private func ids(_ mails: Set<Int>) -> Set<OperationID> { Set(mails.map(LeaseRelay.id)) }

    private func shards(of mails: Set<Int>) -> [OperationID: Int] {
        Dictionary(uniqueKeysWithValues: mails.map { (LeaseRelay.id($0), 0) })
    }

    private func begin(_ step: inout LeaseStep) {
        let inFlight = Set(relay.attempts.keys)
        let look = step.relay.machine.beginLook(at: LeaseRelay.now)
        let found = look.epochs.isEmpty ? [] : rows.queued
        guard !found.subtracting(inFlight).isEmpty else {
            step.relay.machine.end(look, handingOut: shards(of: found), inFlight: ids(inFlight))
            return
        }
        step.relay.look = LeaseRelay.Look(
            look: look,
            found: found,
            inFlight: inFlight,
            isPast: relay.isPast
        )
    }

    private func handOut(_ look: LeaseRelay.Look, _ step: inout LeaseStep) {
        step.relay.look = nil
        let (found, inFlight) = (shards(of: look.found), ids(look.inFlight))
        if rules.sabotage == .epochAfterLook {
            step.relay.machine.end(look.look)
            let later = step.relay.machine.beginLook(at: LeaseRelay.now)
            step.relay.machine.end(later, handingOut: found, inFlight: inFlight)
        } else {
            step.relay.machine.end(look.look, handingOut: found, inFlight: inFlight)
        }
        let new = look.found.subtracting(look.inFlight)
        for mail in new {
            step.relay.attempts[mail] = LeaseRelay.Attempt(
                isPast: look.isPast,
                isOutdated: look.outdated.contains(mail)
            )
        }
        if !look.isPast { step.notice = .handOut(new) }
    }

    /// The relay records the outcomes of its attempts.
    var outcomes: [LeaseStep] {
        relay.attempts.keys.sorted().flatMap { mail in
            guard let attempt = relay.attempts[mail] else { return [LeaseStep]() }
            let fence = relay.machine.fence(of: [LeaseRelay.id(mail)])
            switch attempt.stage {
            case .underWay where rules.sabotage == .fenceOutside:
                return [
                    step("ask the fence of \(mail)") { step in
                        let isOwn = fence.isOwn(LeaseRelay.id(mail), under: rows.fence(me))
                        step.relay.attempts[mail]?.stage = .fenced(isOwn: isOwn)
                    }
                ]
            case .underWay:
                let isOwn = fence.isOwn(LeaseRelay.id(mail), under: epochs)
                return settling(mail, attempt, fence, isOwn)
            case .fenced(let isOwn): return settling(mail, attempt, fence, isOwn)
            case .answered(let lost):
                return [
                    step("take the answer of \(mail)") { step in
                        step.relay.attempts[mail] = nil
                        step.relay.machine.forget([LeaseRelay.id(mail)], lost: lost)
                        if step.relay.machine.epochs.isEmpty { step.relay.isPast = false }
                    }
                ]
            }
        }
    }

    /// What the fence finds.
    private var epochs: [Int: Int64] {
        let known = relay.machine.handedOut.values.map { ($0.shard, $0.epoch) }
        return rules.sabotage == .noEpoch && rows.holder == .relay(me)
            ? Dictionary(known, uniquingKeysWith: max) : rows.fence(me)
    }

    private func settling(
        _ mail: Int,
        _ attempt: LeaseRelay.Attempt,
        _ fence: LeaseMachine.Fence,
        _ isOwn: Bool
    ) -> [LeaseStep] {
        guard isOwn else {
            let lost = fence.claims(of: [LeaseRelay.id(mail)])
            return [
                step("refuse the outcome of \(mail)") { step in
                    step.relay.attempts[mail]?.stage = .answered(lost: lost)
                    step.broken = rules.isCalm ? [.noneRefused] : []
                }
            ]
        }
        return [true, false].flatMap { isDone in
            let recorded = step(isDone ? "remove \(mail)" : "reschedule \(mail)") { step in
                step.relay.attempts[mail] = nil
                step.relay.machine.forget([LeaseRelay.id(mail)], lost: [])
                guard rows.queued.contains(mail) else { return }
                step.rows.record(mail, isDone: isDone)
                step.notice = .outcome(mail)
                if attempt.isPast { step.broken.insert(.presentEpoch) }
                if attempt.isOvertaken { step.broken.insert(.latestHandOut) }
                if attempt.isOutdated { step.broken.insert(.latestOutcome) }
            }
            var lost = recorded
            lost.relay = relay
            lost.isFault = true
            return [recorded, lost]
        }
    }

    // MARK: The process

    /// The relay ends, or is killed, and starts again.
    var ends: [LeaseStep] {
        let killed = step("is killed", isFault: true) { step in
            step.relay = LeaseRelay()
            step.rows.end(me)
        }
        guard relay.isAtRest else { return [killed] }
        return [
            killed,
            step("ends", isFault: !rules.isCalm) { step in
                step.rows.giveAllBack(by: me)
                step.rows.end(me)
                step.relay = LeaseRelay()
                step.isEnd = true
            },
        ]
    }
}
