import CCares
import LibC
package import MailDomain

/// Asks DNS through c-ares ([c-ares.org](https://c-ares.org)): the resolvers of the system, or one of the
/// caller's. A name server's answer is bounded, in time and in size.
///
/// No search domain is appended, and no hosts file is read. A chain of aliases (CNAME) is followed as far as
/// the resolver's one answer has it. Blocks the thread that asks.
package struct CaresResolver {
    /// The bounds of questions.
    package struct Limits: Hashable, Sendable {
        /// The time for the first try of one question, in milliseconds. c-ares doubles it once.
        package var firstTry = 2000
        /// The number of tries of one question at each resolver.
        package var tries = 2
        /// The time for all questions that are asked together, in milliseconds.
        package var time = 10_000
        /// The greatest number of records of one answer.
        package var records = 64
        /// The greatest size of one TXT record, in bytes.
        package var textBytes = 4096

        /// The bounds above.
        package init() {}
    }

    private static let isReady = ares_library_init(ARES_LIB_INIT_ALL) == ARES_SUCCESS

    private let server: String?
    private let limits: Limits

    /// - Parameters:
    ///   - server: The resolver as `ADDRESS:PORT`, or `[ADDRESS]:PORT`; `nil` for those of the system.
    ///   - limits: The bounds of questions.
    package init(server: String? = nil, limits: Limits = Limits()) {
        self.server = server
        self.limits = limits
    }

    /// Whether a text names a resolver: an IP address, alone or with a port.
    package static func isServer(_ text: String) -> Bool {
        guard let channel = Channel(server: text, limits: Limits()) else { return false }
        channel.end()
        return true
    }

    /// Asks some questions at once.
    ///
    /// - Returns: An answer to each.
    package func answers(to questions: Set<DNSQuestion>) -> [DNSQuestion: DNSAnswer] {
        guard let channel = Channel(server: server, limits: limits) else {
            return questions.reduce(into: [:]) { $0[$1] = .failed(.unreachable) }
        }
        let pending = questions.map { Pending($0, limits) }
        for question in pending { channel.ask(question) }
        channel.run(until: pending, for: limits.time)
        channel.end()
        return pending.reduce(into: [:]) { $0[$1.question] = $1.answer ?? .failed(.timeout) }
    }

    /// A channel of c-ares, for one thread.
    private struct Channel {
        private let channel: ares_channel

        /// - Returns: `nil` when c-ares cannot be initialised, or does not take the server.
        init?(server: String?, limits: Limits) {
            guard CaresResolver.isReady else { return nil }
            var options = ares_options()
            options.flags = Int32(ARES_FLAG_NOSEARCH | ARES_FLAG_NOALIASES | ARES_FLAG_EDNS)
            options.timeout = Int32(limits.firstTry)
            options.tries = Int32(limits.tries)
            // Answers by UDP that no network takes apart (DNS Flag Day 2020); longer ones come by TCP.
            options.ednspsz = 1232
            let mask =
                ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_EDNSPSZ
            var channel: ares_channel?
            guard ares_init_options(&channel, &options, Int32(mask)) == ARES_SUCCESS,
                let channel
            else { return nil }
            if let server, ares_set_servers_ports_csv(channel, server) != ARES_SUCCESS {
                ares_destroy(channel)
                return nil
            }
            self.channel = channel
        }

        /// c-ares calls back once for each question: at the latest in ``end()``.
        func ask(_ question: Pending) {
            ares_query(
                channel,
                question.name,
                DNSClass.internet,
                question.type,
                { context, status, _, bytes, length in
                    guard let context else { return }
                    let pending = Unmanaged<Pending>.fromOpaque(context).takeRetainedValue()
                    pending.take(status, bytes, length)
                },
                Unmanaged.passRetained(question).toOpaque()
            )
        }

        /// Sends and receives until all questions are answered, or the time is over.
        func run(until questions: [Pending], for time: Int) {
            let end = ContinuousClock.now + .milliseconds(time)
            while questions.contains(where: { $0.answer == nil }) {
                let left = ContinuousClock.now.duration(to: end)
                guard left > .zero else { return ares_cancel(channel) }
                var sockets = [ares_socket_t](repeating: 0, count: Int(ARES_GETSOCK_MAXNUM))
                let bits = ares_getsock(channel, &sockets, Int32(sockets.count))
                var polled = Self.polled(sockets, UInt32(bitPattern: bits))
                let wait = min(wait, Int32(min(left / .milliseconds(1), 1000)) + 1)
                let count = poll(&polled, nfds_t(polled.count), wait)
                guard count > 0 else {
                    ares_process_fd(channel, Self.none, Self.none)
                    continue
                }
                for socket in polled where socket.revents != 0 {
                    let isWritable = socket.revents & Int16(POLLOUT) != 0
                    let isReadable = socket.revents & ~Int16(POLLOUT) != 0
                    ares_process_fd(
                        channel,
                        isReadable ? socket.fd : Self.none,
                        isWritable ? socket.fd : Self.none
                    )
                }
            }
        }

        /// Ends the channel and all its questions.
        func end() { ares_destroy(channel) }

        private static let none: ares_socket_t = -1

        /// The time until c-ares has to try again, in milliseconds; at most a second.
        private var wait: Int32 {
            var most = timeval(tv_sec: 1, tv_usec: 0)
            var next = timeval()
            guard let wait = ares_timeout(channel, &most, &next)?.pointee else { return 1000 }
            return Int32(wait.tv_sec * 1000 + Int(wait.tv_usec) / 1000)
        }

        /// The bits of `ares_getsock`: the lower ones for reading, the upper ones for writing.
        private static func polled(_ sockets: [ares_socket_t], _ bits: UInt32) -> [pollfd] {
            sockets.indices.compactMap { index in
                var events: Int32 = 0
                if bits & 1 << index != 0 { events |= Int32(POLLIN) }
                if bits & 1 << (index + sockets.count) != 0 { events |= Int32(POLLOUT) }
                guard events != 0 else { return nil }
                return pollfd(fd: sockets[index], events: Int16(events), revents: 0)
            }
        }
    }
}

/// A question that has been asked, and its answer once there is one. For one thread.
private final class Pending {
    let question: DNSQuestion
    private let limits: CaresResolver.Limits
    private(set) var answer: DNSAnswer?

    init(_ question: DNSQuestion, _ limits: CaresResolver.Limits) {
        self.question = question
        self.limits = limits
    }

    var name: String {
        switch question {
        case .texts(let name), .exchangers(let name), .ipv4(let name), .ipv6(let name): name
        case .names(let address): address.reverseName
        }
    }

    var type: Int32 {
        switch question {
        case .texts: DNSType.txt
        case .exchangers: DNSType.mx
        case .ipv4: DNSType.a
        case .ipv6: DNSType.aaaa
        case .names: DNSType.ptr
        }
    }

    func take(_ status: Int32, _ bytes: UnsafeMutablePointer<UInt8>?, _ length: Int32) {
        guard status == ARES_SUCCESS, let bytes else {
            answer = DNSAnswer(status: status)
            return
        }
        let reply = CaresReply(bytes: bytes, length: length)
        answer =
            switch question {
            case .texts: reply.texts(limits)
            case .exchangers: reply.exchangers(limits)
            case .ipv4: reply.ipv4(limits)
            case .ipv6: reply.ipv6(limits)
            case .names(let address): reply.names(of: address, limits)
            }
    }
}

/// The numbers of [RFC 1035, section 3.2](https://www.rfc-editor.org/rfc/rfc1035#section-3.2).
private enum DNSType {
    static let a: Int32 = 1
    static let ptr: Int32 = 12
    static let mx: Int32 = 15
    static let txt: Int32 = 16
    static let aaaa: Int32 = 28
}

private enum DNSClass {
    static let internet: Int32 = 1
}

extension DNSAnswer {
    /// The answer for a status of c-ares that is no success.
    init(status: Int32) {
        self =
            switch status {
            case ARES_ENODATA, ARES_ENOTFOUND: .nothing
            case ARES_ETIMEOUT, ARES_ECANCELLED, ARES_EDESTRUCTION: .failed(.timeout)
            case ARES_EREFUSED, ARES_ENOTIMP, ARES_EFORMERR: .failed(.refused)
            case ARES_ECONNREFUSED: .failed(.unreachable)
            case ARES_EBADRESP: .failed(.unreadable)
            case ARES_EBADNAME, ARES_EBADSTR: .failed(.badName)
            default: .failed(.server)
            }
    }
}
