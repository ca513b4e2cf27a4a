#if os(Linux)
    import ConnectivityCore
    import Dispatch
    import LibC
    import Synchronization

    /// A socket of rtnetlink, read on a serial queue whenever the kernel has sent a message.
    final class NetlinkSource: Sendable {
        private struct State {
            var session: NetlinkSession
            var history = NetworkHistory()
            /// The kernel fills at most 32 KiB of it at once, except for one huge entry.
            var buffer = [UInt8](repeating: 0, count: 65536)
        }

        /// The most bytes that are read before the queue runs other work, and before a cancellation
        /// is seen.
        private static let datagramsAtOnce = 256

        private let descriptor: Int32
        private let state: Mutex<State>
        private let files = InterfaceFiles()
        private let report: @Sendable (NetworkState) -> Void
        /// Safe to use from any thread, as all of Dispatch is.
        nonisolated(unsafe) private let source: any DispatchSourceRead

        /// The current state and those that follow. Ends with its consumer's task, or when it is
        /// dropped; the socket is then closed.
        static func states() -> AsyncStream<NetworkState> {
            AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
                guard let source = NetlinkSource({ continuation.yield($0) }) else {
                    var history = NetworkHistory()
                    continuation.yield(history.observe(.unknown))
                    return
                }
                continuation.onTermination = { _ in source.source.cancel() }
            }
        }

        /// - Returns: `nil` where there is no netlink.
        private init?(_ report: @escaping @Sendable (NetworkState) -> Void) {
            guard let (descriptor, port) = Self.open() else { return nil }
            self.descriptor = descriptor
            self.report = report
            state = Mutex(State(session: NetlinkSession(port: port)))
            let queue = DispatchQueue(label: "network")
            source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
            source.setEventHandler { self.receive() }
            source.setCancelHandler { close(descriptor) }
            // Before the source: nothing arrives unless it is asked for.
            queue.async { self.begin() }
            source.activate()
        }

        private static func open() -> (descriptor: Int32, port: UInt32)? {
            let type = Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
            let descriptor = socket(AF_NETLINK, type, Netlink.protocolRoute)
            guard descriptor >= 0 else { return nil }
            // struct sockaddr_nl: family and padding, port, groups.
            var address = (UInt32(AF_NETLINK).inMemoryOrder, UInt32(0), Netlink.groups)
            var size = socklen_t(MemoryLayout.size(ofValue: address))
            let isBound = withUnsafeMutableBytes(of: &address) { bytes in
                let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self)
                return bind(descriptor, address, size) == 0
                    && getsockname(descriptor, address, &size) == 0
            }
            guard isBound, size == MemoryLayout.size(ofValue: address) else {
                close(descriptor)
                return nil
            }
            return (descriptor, address.1)
        }

        private func begin() {
            state.withLock { state in
                let actions = state.session.overran()
                perform(actions, &state)
            }
        }

        private func receive() {
            state.withLock { state in
                for _ in 0..<Self.datagramsAtOnce {
                    guard receiveOne(&state) else { return }
                }
            }
        }

        /// - Returns: Whether there may be more.
        private func receiveOne(_ state: inout State) -> Bool {
            var sender = (UInt32(0), UInt32(0), UInt32(0))
            var size = socklen_t(MemoryLayout.size(ofValue: sender))
            let capacity = state.buffer.count
            let count = withUnsafeMutableBytes(of: &sender) { sender in
                recvfrom(
                    descriptor,
                    &state.buffer,
                    capacity,
                    Int32(MSG_TRUNC),
                    sender.baseAddress?.assumingMemoryBound(to: sockaddr.self),
                    &size
                )
            }
            let code = errno
            let actions: [NetlinkSession.Action]
            switch count {
            case 1...:
                // Only the kernel has port 0.
                guard sender.1 == 0 else { return true }
                actions = state.session.received(
                    Array(state.buffer.prefix(count)),
                    isTruncated: count > capacity
                )
            case 0:
                return true
            default:
                if code == EAGAIN { return false }
                if code == EINTR { return true }
                actions = code == ENOBUFS ? state.session.overran() : state.session.failed()
            }
            perform(actions, &state)
            return true
        }

        private func perform(_ actions: [NetlinkSession.Action], _ state: inout State) {
            for action in actions {
                switch action {
                case .send(let request):
                    if send(descriptor, request, request.count, 0) != request.count {
                        perform(state.session.failed(), &state)
                    }
                case .report(let table):
                    let observation =
                        table?.observation { files.connectionType(name: $0, index: $1) }
                        ?? .unknown
                    report(state.history.observe(observation))
                }
            }
        }
    }

    extension UInt32 {
        /// A 16-bit number followed by two bytes of padding, in the order of this machine.
        fileprivate var inMemoryOrder: UInt32 {
            UInt16(1).littleEndian == 1 ? self : self << 16
        }
    }
#endif
