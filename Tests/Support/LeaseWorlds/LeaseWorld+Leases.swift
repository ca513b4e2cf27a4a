import OutboxCore
import RelayRules

/// How a relay has its share of the shards, as `ShardLeases` performs what the machine decides.
extension LeaseWorld {
    func lookAtLeasesAgainAndAgain(_ relay: WorldRelay) {
        lookAtLeases(relay)
        after(relay.duration(of: Self.times.pause), of: relay) {
            $0.lookAtLeasesAgainAndAgain(relay)
        }
    }

    private func lookAtLeases(_ relay: WorldRelay) {
        guard !relay.isAtLeases else { return }
        relay.isAtLeases = true
        let time = relay.time(at: now)
        let question = relay.machine.question(at: time)
        ask(relay, about: .leases) { world in
            world.rows.answer(relay.name, renews: question.renews, at: world.time(of: relay))
        } take: { world, answer in
            guard let answer else {
                relay.isAtLeases = false
                return
            }
            world.take(answer, to: world.asked(question, at: time, relay), relay)
        }
    }

    private func take(
        _ answer: WorldRows.Answer,
        to question: LeaseMachine.Question,
        _ relay: WorldRelay
    ) {
        let action = relay.machine.answered(question, answer.view, wholePart: answer.wholePart)
        relay.generations = answer.generations.filter { relay.machine.epochs[$0.key] != nil }
        note("\(relay.name) has \(relay.machine.epochs.keys.sorted())")
        checkHolder(relay)
        switch action {
        case .beginAgain(let returns):
            move(relay, returns, []) { world in
                relay.machine.beganAgain(wholePart: answer.wholePart)
                if answer.wholePart != nil { world.lookAtLeases(relay) }
            }
        case .move(let returns, let claims): move(relay, returns, claims) { _ in }
        }
    }

    /// The question as the machine takes it. A sabotage counts the leases from another time.
    private func asked(
        _ question: LeaseMachine.Question,
        at time: ContinuousClock.Instant,
        _ relay: WorldRelay
    ) -> LeaseMachine.Question {
        switch sabotage {
        case .endFromAnswer where question.renews:
            return relay.machine.question(at: relay.time(at: now))
        case .noMargin where question.renews:
            let margin = Duration.milliseconds(Self.times.margin.count)
            return relay.machine.question(at: time + margin)
        default: return question
        }
    }

    private func move(
        _ relay: WorldRelay,
        _ returns: Set<ShardClaim>,
        _ claims: Set<Int>,
        then: @escaping (LeaseWorld) -> Void
    ) {
        guard !returns.isEmpty else { return claim(relay, claims, then: then) }
        ask(relay, about: .leases) { world in
            world.rows.giveBack(returns, by: relay.name)
            world.note("\(relay.name) gives \(returns.map(\.shard).sorted()) back")
        } take: { world, answer in
            if answer == nil {
                relay.isAtLeases = false
            } else {
                world.claim(relay, claims, then: then)
            }
        }
    }

    private func claim(
        _ relay: WorldRelay,
        _ claims: Set<Int>,
        then: @escaping (LeaseWorld) -> Void
    ) {
        guard !claims.isEmpty else {
            relay.isAtLeases = false
            return then(self)
        }
        ask(relay, about: .leases) { world in
            let got = world.rows.claim(claims, by: relay.name, at: world.time(of: relay)) { shard in
                switch world.sabotage {
                case .epochByName: Int64(relay.name)
                case .epochFromOne: shard.expires == 0 ? 1 : shard.epoch + 1
                default: shard.epoch + 1
                }
            }
            world.note("\(relay.name) gets \(got.keys.sorted())")
            return got
        } take: { world, got in
            relay.isAtLeases = false
            guard let got else { return }
            if !got.isEmpty { relay.machine.claimed(got.mapValues(\.epoch)) }
            relay.generations.merge(got.mapValues(\.generation)) { _, new in new }
            world.checkHolder(relay)
            then(world)
        }
    }

    /// The time that a relay's statements name: the database's.
    private func time(of relay: WorldRelay) -> Int {
        sabotage == .relayClock ? now + relay.ahead : now
    }

    // MARK: Promises

    /// The shards of which a relay hands mails out, as far as it knows.
    func held(by relay: WorldRelay) -> Set<Int> {
        var machine = relay.machine
        return Set(machine.beginLook(at: timeOfLook(relay)).epochs.keys)
    }

    /// The time at which the machine looks whether its leases last.
    func timeOfLook(_ relay: WorldRelay) -> ContinuousClock.Instant {
        let time = relay.time(at: now)
        return sabotage == .noEnd ? time - .seconds(86_400) : time
    }

    /// Checks that nobody else has a relay's shards. A relay gets shards by the answers alone that it takes,
    /// so that no other step can break the promise.
    private func checkHolder(_ relay: WorldRelay) {
        let held = held(by: relay)
        guard !held.isEmpty else { return }
        if rows.isWholePartTaken(at: now) {
            fail(.oneHolder, "\(relay.name) and an older relay have \(held.sorted())")
        }
        for other in relays where other !== relay && other.isAlive {
            // What the other one has is among these.
            guard !held.isDisjoint(with: other.machine.epochs.keys) else { continue }
            let both = held.intersection(self.held(by: other))
            if !both.isEmpty {
                fail(.oneHolder, "\(relay.name) and \(other.name) have \(both.sorted())")
            }
        }
    }

    /// Checks that no relay has a shard when somebody gets the whole part.
    func checkNoneHolds(_ name: String) {
        for relay in relays where relay.isAlive && !held(by: relay).isEmpty {
            fail(.oneHolder, "\(relay.name) has shards, and \(name) has all")
        }
    }
}
