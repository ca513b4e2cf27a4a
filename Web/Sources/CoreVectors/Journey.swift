import OutboxCore

/// Runs the delivery machine from enqueue to removal by way of a failure and a refused removal.
/// Answers 0, or the number of the first expectation that does not hold.
@_expose(wasm, "machine_journey")
@_cdecl("machine_journey")
func machineJourney() -> Int32 {
    let now = WallTime(millisecondsSinceEpoch: 1_800_000_000_000)
    let id = OperationID(time: now, random: (1, 2))
    var envelope = Envelope(id: id, kind: "memo", createdAt: now)
    var machine = DeliveryMachine(policy: .device)
    guard machine.woken()?.limit == 3, machine.woken() == nil else { return 1 }
    var start = machine.loaded([envelope], nextEligibleAt: nil, now: now)
    guard start.attempts.count == 1, start.load != nil else { return 2 }
    start = machine.loaded([envelope], nextEligibleAt: nil, now: now)
    guard start.attempts.isEmpty else { return 3 }
    let failed = machine.attemptFinished(id, .retryOnNetwork("network"), now: now, jitter: 0)
    guard case .reschedule(let next) = failed, next.attemptCount == 1 else { return 4 }
    guard next.nextEligibleAt.since(now) == .seconds(1) else { return 5 }
    guard machine.transitionStored(id)?.limit == 3 else { return 6 }
    envelope = next.madeEligible()
    start = machine.loaded([envelope], nextEligibleAt: nil, now: now)
    guard start.attempts.count == 1 else { return 7 }
    let done = machine.attemptFinished(id, .done, now: now, jitter: 0)
    guard done == .remove else { return 8 }
    guard machine.transitionFailed(id, jitter: 0) == .seconds(1) else { return 9 }
    _ = machine.transitionStored(id)
    _ = machine.loaded([], nextEligibleAt: nil, now: now)
    return machine.isIdle ? 0 : 10
}
