import ConnectivityCore
import MemoCore
import MemoTexts
import OutboxCore
import StoreCore
import SyncCore
import WireCore

/// The store of the page. Views read it through `Changes` and update only the changed parts.
typealias AppStore = LocalStore<AppState>

/// All that the page shows.
struct AppState {
    /// The language that the browser prefers.
    var systemLanguage = Language.english
    /// The page has its words.
    var isShown = false
    /// The language of the texts on the page.
    var shownLanguage = Language.english
    var settings = Settings()
    var screen = Screen.compose
    var dialog: Dialog?
    var notices = Notices()
    /// The field of the settings whose value was not taken, with the reason.
    var complaint: Complaint?
    var account = Account.unknown
    /// The address of the account that has signed out here and for whose next sign-in everything is kept.
    var keptFor: [UInt8]?
    /// The connection, as the browser tells it.
    var network = NetworkState(isConnected: true, arrivals: 0)
    /// The relay answered the last request.
    var isRelayReached = true
    /// The app has left the foreground, and its content is not to be seen.
    var isCovered = false
    var isUpdateReady = false
    /// The beginning of the shared texts that wait for the person to take or discard them; `nil`
    /// while none waits.
    var offeredShare: [UInt8]?
    var hasAskedForPersistence = false
    /// The browser may delete what is stored.
    var isPersistenceRefused = false
    /// The memos that wait, and the last error of the oldest one.
    var backlog = Backlog.none
    var lastError: ReasonCode?
    /// A memo did not arrive, and the person has not seen that.
    var hasUnseenFailure = false
    /// The page is in sight.
    var isInSight = false
    /// The person lets the app show notifications.
    var canNotify = false
    /// A memo did not arrive, and the person was not asked whether the app may show notifications.
    var offersNotices = false

    /// The entries of the history on the page, the latest first.
    var history: [HistoryEntry] = []
    var historyState = HistoryState()
    var queue: [QueueEntry] = []
    /// The latest transitions of operations, the latest first.
    var log: [TransitionLog.Entry] = []
    var devices: [Device] = []
    var sharing = SharingState()
    /// The changes that wait for the person.
    var unsettled: [UnsettledChange] = []
    var timings = Timings()

    var language: Language { settings.language ?? systemLanguage }
    var notice: Notice? { notices.shown(on: screen) }
    /// The person sees the statuses of memos.
    var isHistorySeen: Bool { screen == .history && isInSight }
    /// The address of the account to which everything belongs that is stored here.
    var owner: [UInt8]? {
        if case .signedIn(let address, _) = account { address } else { keptFor }
    }
    var isHistoryEmpty: Bool { historyState.isLoaded && history.isEmpty }
    /// The way to the relay, as far as this page knows.
    var way: WayOut {
        if !network.isConnected { return .offline }
        return isRelayReached ? WayOut(lastError: lastError) : .unreached
    }
}

enum Screen: UInt8, Hashable, Comparable {
    case compose, history, settings, diagnostics

    var name: StaticString {
        switch self {
        case .compose: "compose"
        case .history: "history"
        case .settings: "settings"
        case .diagnostics: "diagnostics"
        }
    }

    static func < (left: Screen, right: Screen) -> Bool { left.rawValue < right.rawValue }

    /// The fragment of the page's address.
    var fragment: [UInt8] { self == .compose ? [] : [0x23] + utf8(name) }

    /// - Parameter fragment: Of the history it may go on with `/` and the identifier of a memo.
    init(fragment: [UInt8]) {
        self =
            switch fragment {
            case _ where fragment.isPrefixed(by: "#history"): .history
            case "#settings": .settings
            case "#diagnostics": .diagnostics
            default: .compose
            }
    }
}

/// A question that has to be answered before anything else.
enum Dialog: Hashable {
    case rating
    /// Sign out, and delete everything; so many memos and drafts have not been sent, and so many changes
    /// of what all devices share are not confirmed.
    case wipe(unsent: Int, changes: Int)
    /// Delete a memo.
    case delete(OperationID, isQueued: Bool)
    /// Sign out another device.
    case revoke(Device)
}

/// The account of this browser.
enum Account: Hashable {
    /// Not read yet.
    case unknown
    /// The stored account cannot be read: the person can only sign out.
    case unreadable
    case signedOut
    /// The relay has refused the stored token.
    case refused
    /// A code was mailed to this address, or has to be a long one.
    case codeAsked(address: [UInt8], isLong: Bool)
    case signedIn(address: [UInt8], token: [UInt8])

    var token: [UInt8]? {
        if case .signedIn(_, let token) = self { token } else { nil }
    }

    var standing: AccountStanding {
        switch self {
        case .unknown, .unreadable: .unknown
        case .signedOut: .signedOut
        case .refused: .signedOutElsewhere
        case .codeAsked: .codeAsked
        case .signedIn: .signedIn
        }
    }
}

/// The reason why the value of a field was not taken.
struct Complaint: Hashable {
    let field: Name
    let text: AppText
    var values: [[UInt8]] = []
    /// The seconds until the person may try again; `values` says them.
    var seconds: Int64?
}

/// The person's settings.
struct Settings: Hashable {
    /// The chosen language; `nil` for the browser's.
    var language: Language?
    var subject: [UInt8] = []
    var signature: [UInt8] = []
    var hasOverlay = true
}

/// The state of what all devices of the person share.
struct SharingState: Hashable {
    /// A round is under way that sends something, or the first one.
    var isSyncing = false
    /// The number of changes that the relay has not confirmed.
    var pending = 0
    /// The relay's time at the end of the last round.
    var lastSynced: WallTime?
}

/// A change that was refused, or met another device's.
struct UnsettledChange: Equatable {
    let id: ChangeID
    /// The field of the settings; `none` for a change of another record.
    let field: Name
    /// The person's value.
    let mine: [UInt8]
    /// The other device's value; `nil` for a change that was refused.
    let theirs: [UInt8]?
}

/// Another device of the same person.
struct Device: Hashable {
    let id: [UInt8]
    let name: [UInt8]
    let createdAt: Int64
    let usedAt: Int64?
    let isCurrent: Bool
}

/// The latest measurements of each kind, in microseconds, the latest first.
struct Timings: Hashable {
    static let kept = 20
    var timeToText: [Int64] = []
    var sendToReset: [Int64] = []
}
