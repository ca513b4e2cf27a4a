// What the sources use of os, over a log in memory. Text that nobody has declared public is not in the
// log, as on a device.

public import Synchronization

/// A line of the system's log, or a signpost.
@_spi(Device) public enum LogEntry: Equatable, Sendable {
    case line(category: String, level: String, text: String)
    case event(String)
    case began(String, UInt64)
    case ended(String, UInt64)
}

@_spi(Device) public let systemLog = Mutex<[LogEntry]>([])

public struct OSLogType: Sendable {
    fileprivate let name: String

    public static let info = OSLogType(name: "info")
    public static let `default` = OSLogType(name: "default")
    public static let error = OSLogType(name: "error")
}

public struct OSLogPrivacy: Sendable {
    fileprivate let isPublic: Bool

    public static var auto: OSLogPrivacy { OSLogPrivacy(isPublic: false) }
    public static var `public`: OSLogPrivacy { OSLogPrivacy(isPublic: true) }
}

public struct OSLogStringAlignment: Sendable {
    public static var none: OSLogStringAlignment { OSLogStringAlignment() }
}

public struct OSLogInterpolation: StringInterpolationProtocol, Sendable {
    fileprivate var text = ""

    public init(literalCapacity: Int, interpolationCount: Int) {}

    public mutating func appendLiteral(_ literal: String) { text += literal }

    public mutating func appendInterpolation(
        _ argumentString: @autoclosure @escaping () -> String,
        align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto
    ) {
        text += privacy.isPublic ? argumentString() : "<private>"
    }
}

public struct OSLogMessage: ExpressibleByStringInterpolation, Sendable {
    fileprivate let text: String

    public init(stringInterpolation: OSLogInterpolation) { text = stringInterpolation.text }
    public init(stringLiteral value: String) { text = value }
}

public struct Logger: Sendable {
    fileprivate let category: String

    public init(subsystem: String, category: String) { self.category = category }

    public func log(level: OSLogType, _ message: OSLogMessage) {
        systemLog.withLock { log in
            log.append(.line(category: category, level: level.name, text: message.text))
        }
    }
}

public struct OSSignpostID: Sendable {
    fileprivate let value: UInt64

    public static let exclusive = OSSignpostID(0xEEEE_B0B5_B2B2_EEEE)

    public init(_ value: UInt64) { self.value = value }
}

public final class OSSignpostIntervalState {
    fileprivate let name: String
    fileprivate let id: OSSignpostID
    private let isEnded = Mutex(false)

    fileprivate init(name: String, id: OSSignpostID) {
        self.name = name
        self.id = id
    }

    fileprivate func end(_ name: String) {
        guard self.name == name else { fatalError("an interval ends under another name") }
        isEnded.withLock { isEnded in
            if isEnded { fatalError("an interval has ended twice") }
            isEnded = true
        }
    }
}

public struct OSSignposter: Sendable {
    private let counter: Counter

    private final class Counter: Sendable {
        let last = Mutex<UInt64>(0)
    }

    public init(logger: Logger) { counter = Counter() }

    public func makeSignpostID() -> OSSignpostID {
        OSSignpostID(
            counter.last.withLock { last in
                last += 1
                return last
            }
        )
    }

    public func emitEvent(_ name: StaticString, id: OSSignpostID = .exclusive) {
        systemLog.withLock { $0.append(.event("\(name)")) }
    }

    public func beginInterval(
        _ name: StaticString,
        id: OSSignpostID = .exclusive
    ) -> OSSignpostIntervalState {
        systemLog.withLock { $0.append(.began("\(name)", id.value)) }
        return OSSignpostIntervalState(name: "\(name)", id: id)
    }

    public func endInterval(_ name: StaticString, _ state: OSSignpostIntervalState) {
        state.end("\(name)")
        systemLog.withLock { $0.append(.ended("\(name)", state.id.value)) }
    }
}
