import ConnectivityCore
import OutboxCore

/// An event from the host. Web/README.md has the numbers.
enum Event {
    /// The host is there: as a page, or as a service worker.
    case started(Start)
    /// A request was answered.
    case answered(request: UInt32, Answer)
    /// A button was used.
    case clicked(Element)
    /// The value of a field changed by typing.
    case typed(Name)
    /// A choice was made: the value of a select, `on` or nothing of a switch, or a field left.
    case chosen(Name, value: [UInt8])
    /// Escape, or `Enter` with Control or Command, was pressed in an element. `Enter` brings the
    /// element's value.
    case pressed(Name, key: [UInt8], value: [UInt8])
    case timerFired(Timer)
    /// The browser tells its connection: the present one, which may be the one before.
    case networkChanged(Connection)
    case visibilityChanged(isVisible: Bool, hasFocus: Bool)
    /// Another page, or the service worker, sent a ``Bell``.
    case rung([UInt8])
    /// The browser went back or forward, to this fragment.
    case navigated(fragment: [UInt8])
    /// A background sync; answered with `finish`.
    case synced(request: UInt32)
    /// Another app shared a text; answered with `finish`.
    case shared(request: UInt32, text: [UInt8])
    /// A newer build is installed and waits.
    case updateReady
    /// A newer build has taken over.
    case updated
    /// A dialog was closed, by a button or otherwise.
    case closed(Name)
    /// The button of a notification was pressed: the memo with this identifier is to be sent again.
    /// Answered with `finish`.
    case resendAsked(request: UInt32, id: [UInt8])

    init?(kind: EventKind, number: UInt32, bytes: [UInt8]) {
        let reader = BorderReader(bytes)
        switch kind {
        case .started: self = .started(Start(flags: number, reader))
        case .answered: self = .answered(request: number, Answer(reader))
        case .clicked: self = .clicked(Element(reader.name(), row: number, part: reader.name()))
        case .typed: self = .typed(Name(number: number))
        case .chosen: self = .chosen(Name(number: number), value: bytes)
        case .pressed:
            self = .pressed(Name(number: number), key: reader.block(), value: reader.block())
        case .timerFired:
            guard let timer = Timer(rawValue: number) else { return nil }
            self = .timerFired(timer)
        case .networkChanged: self = .networkChanged(Connection(bits: number))
        case .visibilityChanged:
            self = .visibilityChanged(isVisible: number & 1 != 0, hasFocus: number & 2 != 0)
        case .rung: self = .rung(bytes)
        case .navigated: self = .navigated(fragment: bytes)
        case .synced: self = .synced(request: number)
        case .shared: self = .shared(request: number, text: bytes)
        case .updateReady: self = .updateReady
        case .closed: self = .closed(Name(number: number))
        case .updated: self = .updated
        case .resendAsked: self = .resendAsked(request: number, id: bytes)
        }
    }
}

/// The role and the abilities of the host.
struct Start {
    enum Role: Hashable {
        case page, worker
    }

    let role: Role
    let connection: Connection
    let isVisible: Bool
    /// WebCrypto is there: the page came over https or from this machine.
    let hasCrypto: Bool
    let hasLocks: Bool
    /// Runs as an installed app, without the browser's frame.
    let isStandalone: Bool
    let hasTouch: Bool
    /// The person lets the app show notifications.
    let canNotify: Bool
    /// The languages that the person prefers, separated by commas.
    let languages: [UInt8]
    /// The query and the fragment of the page's address.
    let query: [UInt8]
    let fragment: [UInt8]
    /// Whether the field had the focus when the script began.
    let isFocused: Bool
    /// Milliseconds from the navigation to a field that takes typing.
    let timeToText: UInt32
    /// The name of the device in a list of devices.
    let device: [UInt8]
    /// The identifier under which the host keeps the page's draft until the app writes; `nil` for a
    /// worker.
    let draft: OperationID?

    init(flags: UInt32, _ reader: BorderReader) {
        role = reader.number() == 0 ? .page : .worker
        connection = Connection(bits: flags)
        isVisible = flags & 2 != 0
        hasCrypto = flags & 4 != 0
        hasLocks = flags & 8 != 0
        isStandalone = flags & 16 != 0
        hasTouch = flags & 32 != 0
        canNotify = flags & 512 != 0
        isFocused = flags & 64 != 0
        languages = reader.block()
        query = reader.block()
        fragment = reader.block()
        timeToText = reader.number()
        device = reader.block()
        draft = OperationID(bytes: reader.block())
    }
}

/// The connection, as the browser tells it.
struct Connection {
    let isConnected: Bool
    let type: ConnectionType

    /// - Parameter bits: Bit 0: `navigator.onLine`. Bits 7 and 8: the kind, where the browser tells
    ///   it. The others are of ``Start``.
    init(bits: UInt32) {
        isConnected = bits & 1 != 0
        type =
            switch bits >> 7 & 3 {
            case 1: .wifi
            case 2: .cellular
            case 3: .ethernet
            default: .unknown
            }
    }
}

/// The answer to a request: the result, or the name of an error, never its text.
enum Answer {
    case done(BorderReader)
    case failed([UInt8])

    init(_ reader: BorderReader) {
        self = reader.number() == 0 ? .done(reader) : .failed(reader.block())
    }

    var isDone: Bool {
        if case .done = self { true } else { false }
    }
}

/// The timers of the app; each runs at most once at a time.
package enum Timer: UInt32, Hashable {
    case draft = 1
    case drain, settle, ghost, notice, warning, sync, share, rating, leave, wait
}

extension Name {
    /// A number that no name has is none.
    init(number: UInt32) {
        self = Name(rawValue: UInt8(truncatingIfNeeded: number)) ?? .none
    }
}

extension BorderReader {
    func name() -> Name { Name(number: number()) }
}

@inline(never)
func utf8(_ text: StaticString) -> [UInt8] {
    text.withUTF8Buffer { Array($0) }
}
