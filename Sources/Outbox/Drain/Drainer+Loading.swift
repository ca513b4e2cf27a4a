import OutboxCore

private struct Ready {
    let attempt: DrainEvent.Attempt
    let operation: OutboxOperation
}

/// Looking at the queue, and starting what is found there.
extension Drainer {
    mutating func look(_ load: DeliveryMachine.Load?, _ tasks: inout DiscardingTaskGroup) {
        var next = load
        while let load = next {
            next = nil
            do {
                let (operations, nextEligibleAt) = try read(load)
                let start = machine.loaded(
                    operations.map { $0.attempt.envelope },
                    nextEligibleAt: nextEligibleAt,
                    now: clock.now
                )
                somethingIsScheduled = nextEligibleAt != nil
                for envelope in start.attempts {
                    guard
                        let ready = operations.first(where: {
                            $0.attempt.envelope.id == envelope.id
                        })
                    else { continue }
                    attempt(ready, &tasks)
                }
                arm(start.timer)
                next = start.load
            } catch {
                outbox.log(OutboxEvent(.queueNotRead, reason: ReasonCode(failure: error)))
                somethingIsScheduled = true
                arm(machine.loadFailed(jitter: outbox.clock.jitter()))
            }
        }
    }

    /// Reads until it has what was asked for: unreadable entries are quarantined, and what can only
    /// be left alone is read past.
    private mutating func read(_ load: DeliveryMachine.Load) throws -> ([Ready], WallTime?) {
        var quarantined: Set<HandedOut> = []
        while true {
            let now = clock.now
            let known = quarantined.count + passedOver.count
            // Of each lane that is in flight one entry at most is passed over, and each entry that
            // is, or is left alone: as many as are asked for are enough to take every free place.
            let limit = load.limit + machine.flights.count + passedOver.count
            let eligible = try outbox.storage.eligible(at: now, limit: limit)
            var ready: [Ready] = []
            for entry in eligible.entries {
                // The machine would pass it over; it is not worth opening.
                if let id = entry.operationID, machine.isInFlight(id) { continue }
                if passesOver(entry.handedOut) { continue }
                do {
                    let (envelope, operation) = try outbox.read(entry)
                    ready.append(
                        Ready(
                            attempt: DrainEvent.Attempt(entry: entry.id, envelope: envelope),
                            operation: operation
                        )
                    )
                } catch let error as UnreadableRecord {
                    try quarantine(
                        entry,
                        error.reason,
                        isAgain: quarantined.contains(entry.handedOut)
                    )
                    quarantined.insert(entry.handedOut)
                }
            }
            guard known == quarantined.count + passedOver.count else { continue }
            if eligible.entries.count < limit { notFound = [] }
            return (ready, eligible.nextEligibleAt)
        }
    }

    /// - Parameter isAgain: Whether it was quarantined just before, and handed out nevertheless.
    private mutating func quarantine(
        _ entry: StoredEntry,
        _ reason: QuarantineReason,
        isAgain: Bool
    ) throws {
        do {
            guard !isAgain else { throw StorageError.corrupt }
            try outbox.storage.quarantine(entry.id, reason: reason, as: underLanePolicy(entry))
            outbox.log(OutboxEvent(.quarantined(reason)))
        } catch StorageError.corrupt {
            guard passOver(entry.handedOut, StorageError.corrupt) else {
                throw StorageError.corrupt
            }
        }
    }

    /// The envelope under which an entry is quarantined; `nil` for the bytes that are there.
    private func underLanePolicy(_ entry: StoredEntry) -> Envelope? {
        guard let envelope = try? Envelope(decoding: entry.envelope),
            envelope.id == entry.operationID, let lane = envelope.orderingKey
        else { return nil }
        let parked = envelope.parked(outbox.lanePolicy(lane))
        return parked == envelope ? nil : parked
    }

    /// Replaces the one timer.
    private mutating func arm(_ wait: Milliseconds?) {
        timer?.cancel()
        timer = nil
        timerGeneration += 1
        guard let wait else { return }
        let (generation, clock, inbox) = (timerGeneration, outbox.clock, inbox)
        timer = Task {
            await clock.sleep(wait)
            inbox.put(.timerFired(generation: generation))
        }
    }

    // MARK: Attempts

    private mutating func attempt(_ ready: Ready, _ tasks: inout DiscardingTaskGroup) {
        let (attempt, operation, inbox) = (ready.attempt, ready.operation, inbox)
        outbox.log(
            OutboxEvent(.attempting(number: operation.attemptCount + 1), attempt.envelope)
        )
        guard let handler = handlers[operation.kind] else {
            inbox.put(.attemptFinished(attempt, .park(.noHandler)))
            return
        }
        start(&tasks) {
            inbox.put(.attemptFinished(attempt, await handler(operation)))
        }
    }

    /// Runs a handler beside all others: on this thread until it first waits for something, which
    /// saves the waking of another one. When one keeps this thread from the others, the attempts
    /// that follow begin on threads of their own, for a while.
    private mutating func start(
        _ tasks: inout DiscardingTaskGroup,
        _ run: sending @escaping () async -> Void
    ) {
        guard #available(macOS 26, iOS 26, watchOS 26, tvOS 26, visionOS 26, *), startsApart == 0
        else {
            startsApart = max(0, startsApart - 1)
            tasks.addTask(operation: run)
            return
        }
        let begun = outbox.clock.monotonic()
        tasks.addImmediateTask(operation: run)
        if outbox.clock.monotonic().count - begun.count > 1 { startsApart = 100 }
    }
}
