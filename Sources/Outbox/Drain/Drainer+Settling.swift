import OutboxCore

/// Storing what attempts came to.
extension Drainer {
    /// Stores outcomes together, takes them from the list, and looks at the queue, once for all the
    /// places that they leave.
    ///
    /// - Returns: Whether it has looked.
    @discardableResult
    mutating func settle(
        _ outcomes: inout [DrainEvent.Settling],
        _ tasks: inout DiscardingTaskGroup
    ) -> Bool {
        guard !outcomes.isEmpty else { return false }
        let stored = store(outcomes, &tasks)
        outcomes = []
        guard !stored.isEmpty, let load = machine.transitionsStored(stored) else { return false }
        look(load, &tasks)
        return true
    }

    /// When outcomes cannot be stored together each is stored alone, so that only the one at fault
    /// is held back.
    ///
    /// - Returns: The operations whose outcomes are stored, or never will be.
    private mutating func store(
        _ outcomes: [DrainEvent.Settling],
        _ tasks: inout DiscardingTaskGroup
    ) -> [OperationID] {
        do {
            let gone = try outbox.storage.store(outcomes.map { $0.settlement })
            for outcome in outcomes {
                log(outcome)
                if gone.contains(outcome.attempt.entry) {
                    notFound.insert(outcome.attempt.handedOut)
                }
            }
            return outcomes.map { $0.settle.id }
        } catch {
            guard outcomes.count == 1 else {
                var stored: [OperationID] = []
                for outcome in outcomes { stored += store([outcome], &tasks) }
                return stored
            }
            let (attempt, id) = (outcomes[0].attempt, outcomes[0].settle.id)
            if case StorageError.corrupt = error,
                passOver(attempt.handedOut, kind: attempt.envelope.kind, error)
            {
                return [id]
            }
            holdBack(outcomes[0], error, &tasks)
            return []
        }
    }

    /// Its place stays taken until its outcome is stored, or the drain ends.
    private mutating func holdBack(
        _ outcome: DrainEvent.Settling,
        _ error: any Error,
        _ tasks: inout DiscardingTaskGroup
    ) {
        outbox.log(
            OutboxEvent(
                .outcomeNotStored,
                outcome.attempt.envelope,
                reason: ReasonCode(failure: error)
            )
        )
        let id = outcome.settle.id
        let again = machine.transitionFailed(id, jitter: outbox.clock.jitter())
        guard !isStopping else {
            _ = machine.transitionStored(id)
            return
        }
        let (clock, inbox) = (outbox.clock, inbox)
        tasks.addTask {
            await clock.sleep(again.delay)
            inbox.put(.settle(DrainEvent.Settling(attempt: outcome.attempt, settle: again.due)))
        }
    }

    private func log(_ outcome: DrainEvent.Settling) {
        switch outcome.settle.transition {
        case .remove:
            outbox.log(OutboxEvent(.delivered, outcome.attempt.envelope))
        case .reschedule(let next):
            let wait = next.nextEligibleAt.since(clock.now)
            outbox.log(OutboxEvent(.waiting(next.waitCause, wait), next, reason: next.lastError))
        case .park(let next):
            outbox.log(OutboxEvent(.parked, next, reason: next.lastError))
        }
    }
}

extension DrainEvent.Settling {
    fileprivate var settlement: Settlement {
        Settlement(
            entry: attempt.entry,
            id: attempt.envelope.id,
            transition: settle.transition
        )
    }
}
