import OutboxCore
import RelayRules

/// How a relay looks at the queue, attempts mails, and records what became of them, as `PostgreSQLMailQueue`
/// and the drain do.
extension LeaseWorld {
    private typealias Attempt = WorldRelay.Attempt

    /// The mails that a relay attempts at once.
    private static let slots = 6

    func lookAtMailsAgainAndAgain(_ relay: WorldRelay) {
        lookAtMails(relay)
        after(pick(20..<150), of: relay) { $0.lookAtMailsAgainAndAgain(relay) }
    }

    private func lookAtMails(_ relay: WorldRelay) {
        guard !relay.isLooking, !relay.isStopping, relay.attempts.count < Self.slots else { return }
        let inFlight = Set(relay.attempts.keys)
        let look = relay.machine.beginLook(at: timeOfLook(relay))
        let shards = Set(look.epochs.keys)
        guard !shards.isEmpty else {
            relay.machine.end(look, inFlight: ids(inFlight))
            return
        }
        let generations = relay.generations
        relay.isLooking = true
        relay.settledWhileLooking = []
        ask(relay, about: .mails) { world in
            world.rows.due(in: shards, at: world.now, limit: Self.slots + 2)
        } take: { world, found in
            relay.isLooking = false
            guard let found else {
                relay.machine.end(look)
                return
            }
            let mails = found.map { (WorldRelay.id($0.number), $0.mail.shard) }
            world.end(look, relay, Dictionary(uniqueKeysWithValues: mails), inFlight)
            for (number, mail) in found
            where !inFlight.contains(number) && !relay.settledWhileLooking.contains(number)
                && relay.attempts.count < Self.slots && !relay.isStopping
            {
                // A drain leaves mails alone that it has no room for.
                if world.chance(10) { continue }
                let attempt = Attempt(
                    mail: number,
                    shard: mail.shard,
                    generation: generations[mail.shard] ?? -1,
                    outcomes: mail.outcomes.count
                )
                world.begin(attempt, relay)
            }
        }
    }

    private func end(
        _ look: LeaseMachine.Look,
        _ relay: WorldRelay,
        _ found: [OperationID: Int],
        _ inFlight: Set<Int>
    ) {
        guard sabotage == .epochAfterLook else {
            relay.machine.end(look, handingOut: found, inFlight: ids(inFlight))
            return
        }
        relay.machine.end(look)
        let later = relay.machine.beginLook(at: timeOfLook(relay))
        relay.machine.end(later, handingOut: found, inFlight: ids(inFlight))
    }

    private func ids(_ mails: Set<Int>) -> Set<OperationID> { Set(mails.map(WorldRelay.id)) }

    // MARK: Attempts

    private func begin(_ attempt: Attempt, _ relay: WorldRelay) {
        let mail = attempt.mail
        note("\(relay.name) attempts \(mail)")
        if plan.isCalm,
            let other = relays.first(where: {
                $0 !== relay && $0.isAlive && $0.attempts[mail] != nil
            })
        {
            fail(.attemptedAlone, "\(relay.name) and \(other.name) attempt \(mail)")
        }
        relay.attempts[mail] = attempt
        attempts.append(attempt)
        rows.note(handingOut: mail, under: attempt.generation, by: relay.name)
        let isLong = isTroubled && plan.has(.longAttempts) && chance(30)
        let time = isLong ? pick(Self.length..<4 * Self.length) : pick(10..<200)
        let isSilent = happens(.silentMailServer, 15)
        let isDeferred = isTroubled && chance(30)
        let isDelivered = isSilent ? chance(50) : !isDeferred
        if isSilent {
            count("silent mail servers")
            attempt.isExcused = true
        }
        after(time / 2) { _ in attempt.isDelivered = isDelivered }
        after(time, of: relay) { world in
            attempt.outcome =
                isSilent || isDeferred ? .again(due: world.now + world.pick(50..<500)) : .done
            world.settle(relay)
        }
    }

    /// Records all outcomes that there are, unless some are being recorded.
    private func settle(_ relay: WorldRelay) {
        let ended = relay.attempts.values.filter { $0.outcome != nil }
            .sorted { $0.mail < $1.mail }
        guard !relay.isSettling, !ended.isEmpty else { return }
        relay.isSettling = true
        let fence = relay.machine.fence(of: ended.map { WorldRelay.id($0.mail) })
        ask(relay, about: .outcomes) { world in
            let epochs = world.epochs(of: fence, ended, relay)
            guard world.sabotage != .fenceOutside else { return (epochs, Set<Int>()) }
            return (epochs, world.record(ended, fence, epochs, relay))
        } take: { world, answer in
            guard let (epochs, refused) = answer else { return world.settleLater(relay) }
            guard world.sabotage == .fenceOutside else {
                return world.note(ended, fence, refused, relay)
            }
            world.ask(relay, about: .outcomes) {
                $0.record(ended, fence, epochs, relay)
            } take: { world, refused in
                guard let refused else { return world.settleLater(relay) }
                world.note(ended, fence, refused, relay)
            }
        }
    }

    private func settleLater(_ relay: WorldRelay) {
        after(pick(10..<100), of: relay) { world in
            relay.isSettling = false
            world.settle(relay)
        }
    }

    /// What the fence finds.
    private func epochs(
        of fence: LeaseMachine.Fence,
        _ attempts: [Attempt],
        _ relay: WorldRelay
    ) -> [Int: Int64] {
        let epochs = rows.fence(fence.shards, relay.name, wholePart: fence.wholePart)
        guard sabotage == .noEpoch else { return epochs }
        let known = fence.claims(of: attempts.map { WorldRelay.id($0.mail) })
            .filter { epochs[$0.shard] != nil }
        return Dictionary(known.map { ($0.shard, $0.epoch) }, uniquingKeysWith: max)
    }

    /// Records the outcomes of attempts in one transaction.
    ///
    /// - Returns: The mails whose outcomes are refused.
    private func record(
        _ attempts: [Attempt],
        _ fence: LeaseMachine.Fence,
        _ epochs: [Int: Int64],
        _ relay: WorldRelay
    ) -> Set<Int> {
        var refused: Set<Int> = []
        for attempt in attempts {
            guard fence.isOwn(WorldRelay.id(attempt.mail), under: epochs) else {
                refused.insert(attempt.mail)
                continue
            }
            guard let mail = rows.queued[attempt.mail] else {
                if !attempt.isRecorded, attempt.isDelivered, !attempt.isExcused {
                    fail(.handedOverOnce, "\(relay.name) comes too late with \(attempt.mail)")
                }
                continue
            }
            check(attempt, mail, relay)
            attempt.isRecorded = true
            switch attempt.outcome {
            case .again(let due): rows.record(attempt.mail, by: relay.name, due: due)
            case .done, nil: rows.record(attempt.mail, by: relay.name, due: nil)
            }
            note("\(relay.name) records \(attempt.mail)")
        }
        return refused
    }

    private func check(_ attempt: Attempt, _ mail: WorldRows.Mail, _ relay: WorldRelay) {
        let text = "\(relay.name) records \(attempt.mail)"
        if attempt.generation != rows.shards[attempt.shard].generation {
            fail(.presentEpoch, text)
        }
        if mail.handedOut.generation > attempt.generation, mail.handedOut.by != relay.name {
            fail(.latestHandOut, text)
        }
        if mail.outcomes.dropFirst(attempt.outcomes).contains(where: { $0 != relay.name }) {
            fail(.latestOutcome, text)
        }
    }

    /// The relay learns what was recorded.
    private func note(
        _ attempts: [Attempt],
        _ fence: LeaseMachine.Fence,
        _ refused: Set<Int>,
        _ relay: WorldRelay
    ) {
        let others = attempts.filter { refused.contains($0.mail) }
        for attempt in others {
            count("refused outcomes")
            attempt.isExcused = true
            note("\(relay.name) has lost \(attempt.mail)")
            if plan.isCalm { fail(.noneRefused, "\(attempt.mail) of \(relay.name)") }
        }
        relay.machine.forget(
            attempts.map { WorldRelay.id($0.mail) },
            lost: fence.claims(of: others.map { WorldRelay.id($0.mail) })
        )
        for attempt in attempts {
            relay.attempts[attempt.mail] = nil
            if relay.isLooking { relay.settledWhileLooking.insert(attempt.mail) }
        }
        relay.isSettling = false
        settle(relay)
    }

    // MARK: A relay without shards

    /// A relay without shards hands mails over, one after another, while it has the whole part.
    func handOverAsOlder(_ name: Int) {
        guard rows.hasWholePart(name, at: now) else { return }
        let shards = Set(rows.shards.indices)
        if let (number, mail) = rows.due(in: shards, at: now, limit: 1).first {
            let attempt = Attempt(
                mail: number,
                shard: mail.shard,
                generation: rows.shards[mail.shard].generation,
                outcomes: mail.outcomes.count
            )
            attempt.isDelivered = true
            attempt.isRecorded = true
            attempts.append(attempt)
            rows.record(number, by: name, due: nil)
            note("older relay \(name) hands \(number) over")
        }
        after(100) { $0.handOverAsOlder(name) }
    }

    // MARK: Rest

    /// Checks what holds after the quiet time.
    func checkRest() {
        if !rows.queued.isEmpty { fail(.rest, "mails \(rows.queued.keys.sorted()) are queued") }
        let shares = relays.filter(\.isAlive).map { held(by: $0) }
        for shard in 0..<plan.shards where shares.filter({ $0.contains(shard) }).count != 1 {
            fail(.rest, "shard \(shard) has not one relay: \(shares)")
        }
        let sizes = shares.map(\.count)
        if sizes.max()! - sizes.min()! > 1 { fail(.evenShares, "the shares are \(sizes)") }
        for mail in 0..<plan.mails {
            let delivered = attempts.filter { $0.mail == mail && $0.isDelivered }
            if delivered.count > 1 { count("repeats") }
            let unexcused = delivered.count { !$0.isExcused }
            if delivered.isEmpty || unexcused > 1 {
                fail(
                    .handedOverOnce,
                    "mail \(mail), \(delivered.count) times, \(unexcused) of them without a cause"
                )
            }
        }
        count("mails", plan.mails)
    }
}
