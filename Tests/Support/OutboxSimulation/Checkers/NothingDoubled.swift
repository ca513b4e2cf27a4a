import OutboxCore

/// No memo is twice in the inbox. A provider that was left in the dark may be handed the same bytes
/// again: an inbox shows mails of one Message-ID once, if they are the same to the byte.
struct NothingDoubled: Checker {
    let name = "no memo is doubled"

    private var messages: [String: [UInt8]] = [:]
    private var messageIDs: [String: String] = [:]

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
        return nil
    }
}
