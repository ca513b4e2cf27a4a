package import OutboxCore
import RelayAPI

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

extension OperatorDatabase {
    /// Records a bounce in the data folder of a relay, once. Opens the database only for a report
    /// that could be one of a memo: strangers can send any other mail.
    ///
    /// - Parameters:
    ///   - mail: The mail, at least its first ``DeliveryReport/longestMail`` bytes.
    ///   - recipients: The address to which the mail came, as the mail server tells it. Those in the
    ///     mail's header come after them: the code in an address, not its position, is believed.
    ///   - folder: The data folder.
    ///   - now: The time of the change.
    package static func recordBounce(
        _ mail: [UInt8],
        to recipients: [[UInt8]],
        in folder: String,
        at now: WallTime
    ) throws(OperatorError) -> BounceResult {
        let report = DeliveryReport(mail)
        let fate: MemoFate
        switch report.verdict {
        case nil: return .noReport
        case .open?: return .notFinal
        case .bounced(let reason)?: fate = .bounced(reason)
        case .expired(let reason)?: fate = .expired(reason)
        }
        guard (recipients + report.addresses).contains(where: RelaySecret.mayHaveTag) else {
            return .noMemo
        }
        return try OperatorDatabase(folder: folder).record(fate, report, to: recipients, at: now)
    }

    private func record(
        _ fate: MemoFate,
        _ report: DeliveryReport,
        to recipients: [[UInt8]],
        at now: WallTime
    ) throws(OperatorError) -> BounceResult {
        let secret = try relaySecret()
        let addresses = recipients + report.addresses
        let operation = addresses.lazy.compactMap { secret.operation(bouncedTo: $0) }.first
        guard let operation else { return .noMemo }
        let bounce = MailBounce(of: operation, fate, at: now)
        return switch try write({ try $0.record(bounce) }) {
        case .recorded: fate.status == .bounced ? .bounced : .expired
        case .settledBefore: .settledBefore
        case .undecided: .undecided
        case .noMemo: .noMemo
        }
    }
}
