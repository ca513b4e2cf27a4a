import HTTPTypes
import MemoCore
import NIOCore
import Outbox
import OutboxCore
import RelayAPI
import WireCore

/// Turns requests away that come too quickly from one network or site, before anything else is done
/// for them.
struct RequestGate: Sendable {
    /// The whole answer to a request that is turned away.
    struct Answer: Sendable {
        var head: HTTPResponse
        let body: ByteBuffer
    }

    let rates: RequestRates
    var clock: @Sendable () -> NIODeadline = NIODeadline.now
    var wallClock: WallClock = OutboxClock.system.wallTime
    let source: RequestSource
    let metrics: RelayMetrics
    /// The limits that a relay tells everybody, see ``LimitsMiddleware``.
    let policy: String
    /// Those whose requests the ``BackgroundThread`` answers.
    let background = BackgroundSenders()

    /// The names of a request's sender, for ``background``.
    func names(of head: HTTPRequest, from peer: SocketAddress?) -> BackgroundSenders.Names {
        BackgroundSenders.Names(
            token: head.headerFields[.authorization],
            source.rateSender(of: head.headerFields, peer: peer?.ipAddress)
        )
    }

    /// How a request that begins is answered.
    func standing(of names: BackgroundSenders.Names) -> BackgroundSenders.Standing {
        background.begun(names, at: clock())
    }

    /// Notes the status of an answer.
    func answered(_ names: BackgroundSenders.Names, with status: HTTPResponse.Status) {
        if (400..<500).contains(status.code) { background.refused(names, at: clock()) }
    }

    /// - Returns: `nil` for a request that is let in.
    func answer(to head: HTTPRequest, from peer: SocketAddress?) -> Answer? {
        guard let sender = source.rateSender(of: head.headerFields, peer: peer?.ipAddress),
            !rates.admits(sender, at: clock())
        else { return nil }
        metrics.refused(.tooManyRequests)
        for limit in Refusal.tooFast.limits { metrics.limited(limit) }
        return answer(toPath: head.path ?? "")
    }

    /// The answer to a request that is turned away.
    func answer(toPath path: String) -> Answer {
        var answer = Self.answer
        if path.hasPrefix("\(RelayPath.apiPrefix)"),
            let name = HTTPField.Name("\(RelayHeader.rateLimitPolicy)"),
            let time = HTTPField.Name("\(RelayHeader.relayTime)")
        {
            answer.head.headerFields[name] = policy
            answer.head.headerFields[time] = "\(wallClock().millisecondsSinceEpoch)"
        }
        return answer
    }

    private static let answer: Answer = {
        let refusal = Refusal.tooFast
        // A problem without words of a request encodes.
        let body = ByteBuffer(bytes: (try? RelayJSON.encode(refusal.problem)) ?? [])
        var head = HTTPResponse(status: .tooManyRequests)
        head.headerFields = [
            .contentType: "\(RelayMediaType.problem)", .cacheControl: "no-store",
            .contentLength: "\(body.readableBytes)", .connection: "close",
        ]
        if let wait = refusal.retryAfter {
            head.headerFields[.retryAfter] = String(RetryAfter.seconds(of: wait))
        }
        return Answer(head: head, body: body)
    }()
}
