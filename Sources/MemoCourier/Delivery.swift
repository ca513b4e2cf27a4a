import MemoCore
import MemoKit
import Outbox
import OutboxCore

/// Hands memos to the relay.
struct Delivery: Sendable {
    let box: MemoBox
    let client: RelayClient

    /// Makes one attempt. The outcome is `.done` only when the relay says that it holds this very
    /// memo. The box's outbox stores the outcome together with the history.
    func deliver(_ operation: OutboxOperation) async -> DeliveryMachine.Outcome {
        let outcome = await attempt(operation)
        box.folder.noteAttempt(
            failedBecause: outcome.reasonForRetry,
            at: OutboxClock.system.wallTime()
        )
        return outcome
    }

    private func attempt(_ operation: OutboxOperation) async -> DeliveryMachine.Outcome {
        var refused: Account?
        while true {
            let account: Account
            do {
                // Read anew each time: the person may have signed in elsewhere a moment ago.
                guard let found = try box.account() else { return .park(.unauthorized) }
                account = found
            } catch {
                return .retry("account.not-read")
            }
            // Only a refusal of the stored token is one that a person has to mend.
            if account == refused { return refusal(of: account) }
            let outcome = await outcome(of: operation, as: account)
            guard outcome == .park(.unauthorized) else { return outcome }
            refused = account
        }
    }

    /// The person reads of the refusal. Where it cannot be noted, the memo is attempted again.
    private func refusal(of account: Account) -> DeliveryMachine.Outcome {
        do {
            try box.noteRefusal(of: account)
            return .park(.unauthorized)
        } catch {
            return .retry("account.not-stored")
        }
    }

    private func outcome(
        of operation: OutboxOperation,
        as account: Account
    ) async -> DeliveryMachine.Outcome {
        guard let relay = try? RelayLocation(account.relay) else { return .park(.unauthorized) }
        do {
            let token = Array(account.token.utf8)
            let answer = try await client.exchange(
                .memo(operation.id, token: token, body: operation.payload),
                at: relay
            )
            let now = OutboxClock.system.wallTime()
            if let allowance = answer.allowance(now: now) {
                box.outbox.allow(allowance, after: operation.id)
            }
            return answer.outcome(for: operation.id, now: now)
        } catch {
            return error.outcome
        }
    }
}

extension DeliveryMachine.Outcome {
    /// The reason for another attempt; `nil` for an outcome that is final.
    fileprivate var reasonForRetry: ReasonCode? {
        switch self {
        case .done, .park: nil
        case .retry(let reason), .retryOnNetwork(let reason), .retryAfter(_, let reason): reason
        }
    }
}
