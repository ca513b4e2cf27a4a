import OutboxCore
import RelayAPI

/// A memo that a simulated person writes.
final class WrittenMemo {
    /// Looked for wherever nothing may be readable.
    static let canary = "canary-in-a-coal-mine"

    let number: Int
    let device: Int
    /// An index into ``Plan/lanes``.
    let lane: Int?
    let lanePolicy: LanePolicy?
    /// Unlike any other's; empty for one that the relay refuses, as far as a device lets it be sent.
    let text: String
    let isRefusedByRelay: Bool
    /// Whether the mail provider will never take its mail.
    let isRefusedByProvider: Bool
    var id: OperationID?

    init(
        number: Int,
        device: Int,
        lane: (number: Int, policy: LanePolicy)?,
        isRefusedByRelay: Bool,
        length: Int,
        isRefusedByProvider: Bool,
        platform: Plan.Platform
    ) {
        self.number = number
        self.device = device
        // The web app's memos have no lanes, and it sends none without a text.
        let lane = platform == .browser ? nil : lane
        self.lane = lane?.number
        lanePolicy = lane?.policy
        self.isRefusedByRelay = isRefusedByRelay
        self.isRefusedByProvider = isRefusedByProvider
        text =
            isRefusedByRelay && platform != .browser
            ? ""
            : "memo \(number) \(Self.canary) = " + String(repeating: "é and so on. ", count: length)
    }

    /// A text that the person found in a field, put together of texts that were not sent.
    init(number: Int, device: Int, text: String) {
        self.number = number
        self.device = device
        self.text = text
        lane = nil
        lanePolicy = nil
        isRefusedByRelay = false
        isRefusedByProvider = false
    }

    /// The numbers of the memos whose texts are in this one.
    static func numbers(in text: String) -> [Int] {
        text.split(separator: canary, omittingEmptySubsequences: false).dropLast().compactMap {
            $0.split(separator: " ").last.flatMap { Int($0) }
        }
    }

    /// The text on its way. Two memos never have the same.
    var body: [UInt8] {
        get throws { try RelayJSON.encode(MemoRequest(text: text, subject: "memo \(number)")) }
    }
}
