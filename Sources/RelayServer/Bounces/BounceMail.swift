package import OutboxCore
import RelayAPI
import RelayRules

/// The result of reading a mail that came to the address of bounces. Only ``undecided`` asks the
/// mail server to bring the mail again.
package enum BounceResult: Hashable, Sendable {
    /// The memo has bounced; this is stored now.
    case bounced
    /// The memo has expired; this is stored now.
    case expired
    /// The memo had its last status before: a repetition, or a mail that expired or was refused.
    case settledBefore
    /// The relay goes on trying this mail, or has not stored yet that the mail server took the mail.
    case undecided
    /// The report tells no final failure.
    case notFinal
    /// The mail is no report of a mail server.
    case noReport
    /// None of the addresses belongs to a memo of this relay.
    case noMemo
}

/// A mail that came to the address of bounces.
package struct BounceMail: Sendable {
    private let verdict: DeliveryReport.Verdict?
    private let addresses: [[UInt8]]

    /// - Parameters:
    ///   - mail: The mail, at least its first ``DeliveryReport/longestMail`` bytes.
    ///   - recipients: The address to which the mail came, as the mail server tells it. Those in the
    ///     mail's header come after them: the code in an address, not its position, is believed.
    package init(_ mail: [UInt8], to recipients: [[UInt8]]) {
        let report = DeliveryReport(mail)
        verdict = report.verdict
        addresses = recipients + report.addresses
    }

    /// Records the bounce in the store of a relay, once.
    ///
    /// - Parameters:
    ///   - now: The time of the change.
    ///   - open: Opens the store. Called only for a report that could be one of a memo: strangers can
    ///     send any other mail.
    package func record<Store: OperatedStore>(
        at now: WallTime,
        in open: () throws(OperatorError) -> Store
    ) async throws(OperatorError) -> BounceResult {
        let fate: MemoFate
        switch verdict {
        case nil: return .noReport
        case .open?: return .notFinal
        case .bounced(let reason)?: fate = .bounced(reason)
        case .expired(let reason)?: fate = .expired(reason)
        }
        guard addresses.contains(where: RelaySecret.mayHaveTag) else { return .noMemo }
        let store = try open()
        let secret = try await store.relaySecret()
        let operation = addresses.lazy.compactMap { secret.operation(bouncedTo: $0) }.first
        guard let operation else { return .noMemo }
        return switch try await store.recordBounce(MailBounce(of: operation, fate, at: now)) {
        case .recorded: fate.status == .bounced ? .bounced : .expired
        case .settledBefore: .settledBefore
        case .undecided: .undecided
        case .noMemo: .noMemo
        }
    }
}
