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

    /// A device of the person.
    public struct Device: Hashable, Sendable {
        /// The relay's opaque name of the device.
        public var id: [UInt8]
        /// The name that the device gave itself.
        public var name: String
        /// The time at which the device was signed in.
        public var createdAt: WallTime
        /// Whether it is this device; `false` for all while the relay has never said so.
        public var isCurrent: Bool

        /// Makes a device.
        public init(id: [UInt8], name: String, createdAt: WallTime, isCurrent: Bool) {
            self.id = id
            self.name = name
            self.createdAt = createdAt
            self.isCurrent = isCurrent
        }
    }

    /// A setting that was changed here and on another device, of which a person chooses one; or a change of
    /// this device that the relay does not take.
    public struct Question: Hashable, Sendable {
        /// The name of the setting.
        public var setting: String
        /// The value of this device.
        public var mine: String
        /// The value of the other device, or at the relay.
        public var theirs: String
        /// Whether the relay has refused the change, and no other device has changed the setting.
        public var isRefused: Bool

        /// Makes a question.
        public init(setting: String, mine: String, theirs: String, isRefused: Bool = false) {
            self.setting = setting
            self.mine = mine
            self.theirs = theirs
            self.isRefused = isRefused
        }
    }

    /// The most memos of other devices.
    public static let mostMemos = 100
    /// The most devices.
    public static let mostDevices = 100

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
    /// The devices, without those that this device has signed out: the newest first; at most
    /// ``mostDevices``.
    public var devices: [Device] = []

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
        devices = (json["devices"]?.array ?? []).prefix(Self.mostDevices)
            .compactMap { Device($0) }
    }

    var json: JSON {
        .object([
            ("address", .string(address)),
            ("devices", .array(devices.prefix(Self.mostDevices).map(\.json))),
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

extension SharedView.Device {
    fileprivate init?(_ json: JSON) {
        guard let id = json["id"]?.string, let name = json.text("name"),
            let created = json["createdAt"]?.number
        else { return nil }
        self.init(
            id: Array(id),
            name: name,
            createdAt: WallTime(millisecondsSinceEpoch: created),
            isCurrent: json["isCurrent"]?.bool ?? false
        )
    }

    fileprivate var json: JSON {
        .object([
            ("createdAt", .number(createdAt.millisecondsSinceEpoch)), ("id", .string(id)),
            ("isCurrent", .bool(isCurrent)), ("name", .string(name)),
        ])
    }
}

extension SharedView.Question {
    fileprivate init?(_ json: JSON) {
        guard let setting = json.text("setting"), let mine = json.text("mine"),
            let theirs = json.text("theirs")
        else { return nil }
        self.init(
            setting: setting,
            mine: mine,
            theirs: theirs,
            isRefused: json["refused"]?.bool ?? false
        )
    }

    fileprivate var json: JSON {
        .object([
            ("mine", .string(mine)), ("refused", .bool(isRefused)), ("setting", .string(setting)),
            ("theirs", .string(theirs)),
        ])
    }
}
