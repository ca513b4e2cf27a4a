import OutboxCore
import RelayAPI

/// No memo is lost whose send returned: it is in the inbox, or the person deleted it, or the person
/// sees that it was refused by somebody who may.
struct NothingLost: Checker {
    let name = "no acknowledged memo is lost"

    /// The relay's patience, in hand-overs: a mail that was tried less often must not expire.
    private static let fewestTries = 9

    private var acknowledged: Set<Int> = []
    private var deleted: Set<OperationID> = []
    private var delivered: Set<String> = []
    private var tries: [String: Int] = [:]

    mutating func problem(with observation: Observation, at time: Milliseconds) -> String? {
        switch observation {
        case .acknowledged(let memo): acknowledged.insert(memo.number)
        case .deleting(let id): deleted.insert(id)
        case .handedOver(let message): tries[MailText.text(of: message), default: 0] += 1
        case .delivered(_, let message): delivered.insert(MailText.text(of: message))
        case .found(let memo, let onDevice, let status):
            return lossOf(memo, onDevice, status)
        default: break
        }
        return nil
    }

    private func lossOf(
        _ memo: WrittenMemo,
        _ onDevice: Observation.OnDevice?,
        _ status: DeliveryStatus?
    ) -> String? {
        guard acknowledged.contains(memo.number), let id = memo.id, !deleted.contains(id) else {
            return nil
        }
        if delivered.contains(memo.text), !memo.text.isEmpty { return nil }
        let place =
            "on device \(onDevice.map { "\($0)" } ?? "no more"), "
            + "at relay \(status?.rawValue ?? "unknown")"
        if memo.isRefusedByRelay {
            if case .parked = onDevice { return nil }
            return "memo \(memo.number), which the relay refuses, is not parked: \(place)"
        }
        if memo.isRefusedByProvider, status == .bounced { return nil }
        if status == .expired, tries[memo.text, default: 0] >= Self.fewestTries { return nil }
        return "memo \(memo.number) is not in the inbox: \(place)"
    }
}
