import MemoCore
import NIOCore
import WireCore

/// The bounds of a client's connection to the relay. docs/threat-model.md lists the reasons.
struct ConnectionBounds: Sendable {
    /// The time without a whole request after which a connection is closed. Bytes of an incomplete
    /// header do not count.
    var idle: TimeAmount = .seconds(30)
    /// The time in which a request's body arrives, by its length; later the request is refused.
    var body = ExchangeTime()
    /// The time between the end of a request and the end of its answer, which the client reads.
    var answer: TimeAmount = .seconds(120)
    /// The time in which the rest of a body is received and dropped after an early answer.
    var drain: TimeAmount = .seconds(10)
    /// The bytes that all connections together receive in a second in order to drop them.
    var droppedPerSecond = 16 << 20
    /// The time in which a client that is turned away reads the answer, while it still sends a body.
    var turnedAway: TimeAmount = .seconds(1)
    /// The bytes that are received of one request, with header, chunk sizes and chunk extensions.
    var requestLength = RelayLimits.memoBodyLength + (1 << 20)
    /// The bytes that are received at once: the memory of a connection whose body nobody reads.
    var readLength = 8 * 1024
    /// The bytes that the system receives for a connection that nobody reads, about. By itself it takes
    /// megabytes, which the relay would have to read up to the client's end.
    var unreadLength = 64 * 1024
    /// The connections that the system keeps until the relay accepts them. The client of a further one
    /// gets no answer, and tries again after a second at the earliest.
    var unaccepted = 4096
    /// The bytes of all fields of a header.
    var headerLength = 32 * 1024
    /// The bytes of one field of a header.
    var headerFieldLength = 8 * 1024
    /// The fields of a header.
    var headerFieldCount = 100
}
