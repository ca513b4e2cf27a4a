import Hummingbird
import Logging
import NIOCore

/// The context of a request on its way to a controller.
struct RelayContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The other end of the connection: the client, or the nearest proxy.
    let peer: String?

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        peer = source.channel.remoteAddress?.ipAddress
    }
}
