import MemoCore
import OutboxCore
import StoreCore

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
    var notice: Notice?
    var account = Account.unknown
    /// The browser says that there is a network.
    var isOnline = true
    /// The relay answered the last request.
    var isRelayReached = true
    /// The app has left the foreground, and its content is not to be seen.
    var isCovered = false
    var isUpdateReady = false
    /// A shared text waits for the person to take or discard it.
    var isShareOffered = false
    var hasAskedForPersistence = false

    var history = HistoryTable()
    /// The identifiers of `history`, the latest first.
    var historyOrder: [EntityID<HistoryEntry>] = []
    var historyState = HistoryState()
    var queue: [QueueEntry] = []
    var devices: [Device] = []
    var timings = Timings()

    var language: Language { settings.language ?? systemLanguage }
    var isOffline: Bool { !isOnline || !isRelayReached }
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

    init(fragment: [UInt8]) {
        self =
            switch fragment {
            case "#history": .history
            case "#settings": .settings
            case "#diagnostics": .diagnostics
            default: .compose
            }
    }
}

/// A question that has to be answered before anything else.
enum Dialog: Hashable {
    case rating
    /// Sign out, and delete everything; so many memos have not been sent.
    case wipe(unsent: Int)
    /// Delete a memo.
    case delete(OperationID, isQueued: Bool)
}

/// The account of this browser.
enum Account: Hashable {
    /// Not read yet.
    case unknown
    /// The stored account cannot be read: the person can only sign out.
    case unreadable
    case signedOut
    /// A code was mailed to this address.
    case codeAsked(address: [UInt8], code: MailedCode)
    case signedIn(address: [UInt8], token: [UInt8])

    var token: [UInt8]? {
        if case .signedIn(_, let token) = self { token } else { nil }
    }
}

/// The line of text below the field, which screen readers speak.
struct Notice: Hashable {
    enum Tone: UInt8, Hashable {
        case info, warning, error

        var name: StaticString {
            switch self {
            case .info: "info"
            case .warning: "warning"
            case .error: "error"
            }
        }
    }

    /// The action behind the notice's button.
    enum Action: UInt8, Hashable {
        case showQueue, signIn

        var text: AppText {
            switch self {
            case .showQueue: .showQueue
            case .signIn: .signIn
            }
        }
    }

    let text: AppText
    var values: [[UInt8]] = []
    var tone = Tone.info
    var action: Action?
}

/// The person's settings.
struct Settings: Hashable {
    /// The chosen language; `nil` for the browser's.
    var language: Language?
    var subject: [UInt8] = []
    var signature: [UInt8] = []
    var hasOverlay = true
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
