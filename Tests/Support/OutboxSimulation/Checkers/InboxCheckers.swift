import OutboxCore
import RelayAPI

/// No memo is lost whose send returned: it is in the inbox, or the person deleted it, or the person
/// sees that a party that may refuse it has refused it.
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
        guard acknowledged.contains(memo.number) else { return nil }
        if let id = memo.id, deleted.contains(id) { return nil }
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

/// No memo is twice in the inbox. A provider that was left in the dark may be handed the same bytes
/// again: an inbox shows mails of one Message-ID once, if they are the same to the byte.
struct NothingDoubled: Checker {
    let name = "no memo is doubled"

    private var messages: [String: [UInt8]] = [:]
    private var messageIDs: [String: String] = [:]
    /// The Message-IDs of the mails that hold a memo's text, by the memo's number.
    private var holders: [Int: String] = [:]

    mutating func problem(with observation: Observation, at time: Milliseconds) -> String? {
        guard case .delivered(let messageID, let message) = observation else { return nil }
        if let earlier = messages[messageID] {
            return earlier == message ? nil : "two mails of one Message-ID differ"
        }
        messages[messageID] = message
        let text = MailText.text(of: message)
        if messageIDs.updateValue(messageID, forKey: text) != nil {
            return "a memo is in the inbox under two Message-IDs: \(text.prefix(12))"
        }
        for number in WrittenMemo.numbers(in: text)
        where holders.updateValue(messageID, forKey: number) != nil {
            return "the text of memo \(number) is in two mails"
        }
        return nil
    }
}

/// Reads a mail as its reader's program does.
enum MailText {
    /// The text of a mail in quoted-printable: the decoded bytes behind the header.
    static func text(of message: [UInt8]) -> String {
        guard var place = body(of: message) else { return "" }
        let escape = UInt8(ascii: "=")
        var text: [UInt8] = []
        while place < message.count {
            let byte = message[place]
            place += 1
            // A line of a mail ends with both.
            if byte == 13, place < message.count, message[place] == 10 { continue }
            guard byte == escape else {
                text.append(byte)
                continue
            }
            let code = message[place..<min(place + 2, message.count)]
            place += code.count
            if code.elementsEqual([13, 10]) { continue }
            text += UInt8(String(decoding: code, as: UTF8.self), radix: 16).map { [$0] } ?? []
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Where the blank line behind the header ends.
    private static func body(of message: [UInt8]) -> Int? {
        var end = 4
        while end <= message.count {
            if message[end - 4] == 13, message[end - 3] == 10, message[end - 2] == 13,
                message[end - 1] == 10
            {
                return end
            }
            end += 1
        }
        return nil
    }
}
