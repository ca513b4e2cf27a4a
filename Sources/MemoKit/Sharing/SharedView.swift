public import MemoCore
public import OutboxCore
import WireCore

/// What this device last knew of the things that all devices of a person share. `memo` reads it; the
/// process that synchronises writes it. The records themselves are in a database of their own, which
/// no program opens that only stores or shows memos.
public struct SharedView: Hashable, Sendable {
    /// A memo of another device.
    public struct Memo: Hashable, Sendable {
        /// The memo.
        public var id: OperationID
        /// The status.
        public var status: HistoryStatus
        /// The name of the device that wrote the memo; `nil` for a device that is signed out.
        public var device: String?
        /// The time at which the relay accepted the memo.
        public var acceptedAt: WallTime

        /// Makes a memo.
        public init(id: OperationID, status: HistoryStatus, device: String?, acceptedAt: WallTime) {
            self.id = id
            self.status = status
            self.device = device
            self.acceptedAt = acceptedAt
        }
    }

    /// A setting that was changed here and on another device, of which a person chooses one.
    public struct Question: Hashable, Sendable {
        /// The name of the setting.
        public var setting: String
        /// The value of this device.
        public var mine: String
        /// The value of the other device.
        public var theirs: String

        /// Makes a question.
        public init(setting: String, mine: String, theirs: String) {
            self.setting = setting
            self.mine = mine
            self.theirs = theirs
        }
    }

    /// The most memos of other devices.
    public static let mostMemos = 100

    /// The URL of the relay, and the address: the account whose view this is.
    public var relay: String
    /// The address of the account.
    public var address: String
    /// The number of changes that the relay has not confirmed.
    public var pending: Int
    /// The time of the last complete reading, by the relay's clock; `nil` before the first one.
    public var lastSynced: WallTime?
    /// The settings that a person has to choose.
    public var questions: [Question] = []
    /// The memos of other devices, the latest first; at most ``mostMemos``.
    public var memos: [Memo] = []

    /// Makes the view of an account of which nothing is known.
    public init(relay: String, address: String) {
        self.relay = relay
        self.address = address
        pending = 0
    }

    /// Whether the view is that of an account.
    public func isOf(_ account: Account) -> Bool {
        relay == account.relay && address == account.address
    }
}

extension SharedView: StoredDocument {
    init?(_ json: JSON) {
        guard let relay = json.text("relay"), let address = json.text("address"),
            let pending = json["pending"]?.number, pending >= 0
        else { return nil }
        self.init(relay: relay, address: address)
        self.pending = Int(pending)
        lastSynced = json["lastSynced"]?.number.map { WallTime(millisecondsSinceEpoch: $0) }
        questions = (json["questions"]?.array ?? []).compactMap { Question($0) }
        memos = (json["memos"]?.array ?? []).prefix(Self.mostMemos).compactMap { Memo($0) }
    }

    var json: JSON {
        .object([
            ("address", .string(address)),
            ("lastSynced", lastSynced.map { .number($0.millisecondsSinceEpoch) } ?? .null),
            ("memos", .array(memos.prefix(Self.mostMemos).map(\.json))),
            ("pending", .number(Int64(pending))),
            ("questions", .array(questions.map(\.json))),
            ("relay", .string(relay)),
        ])
    }
}

extension SharedView.Memo {
    fileprivate init?(_ json: JSON) {
        guard let id = json["id"]?.string.flatMap({ OperationID(text: $0) }),
            let status = json["status"]?.string, let accepted = json["acceptedAt"]?.number
        else { return nil }
        self.init(
            id: id,
            status: HistoryStatus(
                name: status,
                reason: json["reason"]?.string.map { ReasonCode(utf8: $0) }
            ),
            device: json.text("device"),
            acceptedAt: WallTime(millisecondsSinceEpoch: accepted)
        )
    }

    fileprivate var json: JSON {
        .object([
            ("acceptedAt", .number(acceptedAt.millisecondsSinceEpoch)),
            ("device", .optional(device)),
            ("id", .string(id.text)),
            ("reason", .optional(status.reason?.description)),
            ("status", .string(status.name)),
        ])
    }
}

extension SharedView.Question {
    fileprivate init?(_ json: JSON) {
        guard let setting = json.text("setting"), let mine = json.text("mine"),
            let theirs = json.text("theirs")
        else { return nil }
        self.init(setting: setting, mine: mine, theirs: theirs)
    }

    fileprivate var json: JSON {
        .object([
            ("mine", .string(mine)), ("setting", .string(setting)), ("theirs", .string(theirs)),
        ])
    }
}
