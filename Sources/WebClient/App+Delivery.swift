import MemoCore
import OutboxCore
import StoreCore

/// The attempts of operations.
extension App {
    func attempt(_ envelope: Envelope, _ payload: [UInt8]) {
        let then = { outcome in self.drain.attemptEnded(envelope, outcome) }
        guard envelope.kind == .memo else { return then(.park(.noHandler)) }
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
