import MemoCore
import OutboxCore
import StoreCore

/// The handler of memos.
extension App {
    func attemptMemo(
        _ envelope: Envelope,
        _ payload: [UInt8],
        _ then: @escaping (DeliveryMachine.Outcome) -> Void
    ) {
        guard let token = context.store.state.account.token else {
            return then(.park(.unauthorized))
        }
        context.host.exchange(.memo(envelope.id, token: token, body: payload)) { exchange in
            switch exchange {
            case .answered(let answer):
                self.relayReached(true)
                let now = self.context.clock.now
                if let allowance = answer.allowance(now: now) {
                    self.drain.allow(allowance, after: envelope.id)
                }
                then(answer.outcome(for: envelope.id, now: now))
                if answer.refusesToken { self.signIn.refused(token) }
            case .failed(let failure):
                if failure == .unreachable { self.relayReached(false) }
                then(failure.outcome)
            }
        }
    }

    private func relayReached(_ isReached: Bool) {
        guard context.store.state.isRelayReached != isReached else { return }
        context.change { $0.isRelayReached = isReached }
    }
}
