import OutboxCore

/// Corrections that a drain makes in the storage, besides outcomes.
extension Outbox {
    /// Corrects entries of earlier processes: waits written under another wall clock, and
    /// operations that were parked for want of a handler and have one now.
    func recoverWaits(now: WallTime, handled: Set<OperationKind>) {
        do {
            try clampWaits(now: now)
            try requeueParked { $0.lastError == .noHandler && handled.contains($0.kind) }
        } catch {
            log(OutboxEvent(.queueNotRead, reason: ReasonCode(failure: error)))
        }
    }

    /// Ends the waits for `cause`, or a step of them, and logs them. A failure is logged and not
    /// thrown.
    ///
    /// - Parameter last: The end of the step before; `nil` for the first step.
    /// - Returns: The end of this step; `nil` when no step follows.
    func endWaits(for cause: WaitCause, after last: WaitPosition?, now: WallTime) -> WaitPosition? {
        do {
            guard last == nil else { return try storage.endWaits(for: cause, after: last) }
            return try endLoggedWaits(for: cause, now: now) {
                try storage.endWaits(for: cause, after: nil)
            }
        } catch {
            log(OutboxEvent(.queueNotRead, reason: ReasonCode(failure: error)))
            return nil
        }
    }

    /// Ends the waits for `cause`, and logs the waits whose time has not come at `now`.
    func endLoggedWaits(for cause: WaitCause, now: WallTime) throws {
        try endLoggedWaits(for: cause, now: now) { try storage.endWaits(for: cause) }
    }

    private func endLoggedWaits<Result>(
        for cause: WaitCause,
        now: WallTime,
        _ end: () throws -> Result
    ) throws -> Result {
        let most = 100
        // A log without these lines is no reason to let the operations wait.
        let ended = (try? storage.entries(waitingFor: cause, beyond: now, limit: most + 1)) ?? []
        let result = try end()
        for entry in ended.prefix(most) { log(OutboxEvent(.waitEnded(cause), entry)) }
        if ended.count > most { log(OutboxEvent(.waitEnded(cause))) }
        return result
    }

    /// The envelope under which an unreadable entry is quarantined; `nil` keeps the stored bytes.
    func underLanePolicy(_ entry: StoredEntry) -> Envelope? {
        guard let envelope = try? Envelope(decoding: entry.envelope),
            envelope.id == entry.operationID, let lane = envelope.orderingKey
        else { return nil }
        let parked = envelope.parked(lanePolicy(lane))
        return parked == envelope ? nil : parked
    }

    /// Cuts waits that this policy cannot have written.
    private func clampWaits(now: WallTime) throws {
        for cause in [WaitCause.backoff, .network, .server] {
            let farthest = now.advanced(by: policy.longestWait(for: cause))
            while true {
                let waiting = try storage.entries(waitingFor: cause, beyond: farthest, limit: 100)
                var clamped = 0
                for entry in waiting {
                    guard let envelope = try? Envelope(decoding: entry.envelope),
                        let next = envelope.clampingWait(to: policy, now: now)
                    else { continue }
                    try storage.requeue(entry.id, as: next)
                    let wait = next.nextEligibleAt.since(now)
                    log(OutboxEvent(.waitCut(cause, wait), next, reason: next.lastError))
                    clamped += 1
                }
                if clamped == 0 { break }
            }
        }
    }
}
