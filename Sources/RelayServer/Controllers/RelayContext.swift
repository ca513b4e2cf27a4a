import Hummingbird
import Logging
import NIOCore
import RelayRules
import Synchronization

/// The context of a request on its way to a controller.
struct RelayContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The other end of the connection: the client, or the nearest proxy.
    let peer: String?
    /// The connection on which the request came.
    let connection: any Channel
    /// Whether the request's whole body arrived before the request got its task.
    var hasWholeBody = false
    /// The limits of the request's sender, as far as they are known.
    let limits = RequestLimits()

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        connection = source.channel
        peer = source.channel.remoteAddress?.ipAddress
    }
}

/// The limits of a request's sender, as a controller finds them for ``LimitsMiddleware``.
final class RequestLimits: Sendable {
    private let found = Mutex<(device: AuthenticatedDevice?, usages: [LimitUsage]?)>((nil, nil))

    /// The device whose token the request carries; `nil` without a valid token.
    var device: AuthenticatedDevice? { found.withLock { $0.device } }

    /// The latest known use of the limits; `nil` if nobody has looked.
    var usages: [LimitUsage]? { found.withLock { $0.usages } }

    /// The request carries the valid token of this device.
    func note(_ device: AuthenticatedDevice) {
        found.withLock { $0.device = device }
    }

    /// The use of the limits was read, or has changed.
    func note(_ usages: [LimitUsage]) {
        found.withLock { $0.usages = usages }
    }
}
