import Hummingbird
import Logging
import NIOCore

/// The context of a request on its way to a controller.
struct RelayContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The other end of the connection: the client, or the nearest proxy.
    let peer: String?
    /// The connection on which the request came.
    let connection: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        connection = source.channel
        peer = source.channel.remoteAddress?.ipAddress
    }
}
