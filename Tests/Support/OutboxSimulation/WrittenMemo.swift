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
    /// Unlike any other's; empty for one that the relay refuses.
    let text: String
    /// Whether the mail provider will never take its mail.
    let isRefusedByProvider: Bool
    var id: OperationID?

    init(
        number: Int,
        device: Int,
        lane: (number: Int, policy: LanePolicy)?,
        isEmpty: Bool,
        length: Int,
        isRefusedByProvider: Bool
    ) {
        self.number = number
        self.device = device
        self.lane = lane?.number
        lanePolicy = lane?.policy
        self.isRefusedByProvider = isRefusedByProvider
        text =
            isEmpty
            ? ""
            : "memo \(number) \(Self.canary) = " + String(repeating: "é and so on. ", count: length)
    }

    var isRefusedByRelay: Bool { text.isEmpty }

    /// The text on its way. Two memos never have the same.
    var body: [UInt8] {
        get throws { try RelayJSON.encode(MemoRequest(text: text, subject: "memo \(number)")) }
    }
}
