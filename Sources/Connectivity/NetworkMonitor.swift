#if canImport(Network)
    import Network
#endif

/// The states of this machine's connection: the current one first, then each that differs from
/// the one before.
///
/// ```swift
/// for await state in NetworkMonitor() {
///     print(state.isConnected, state.connectionType)
/// }
/// ```
///
/// Driven by the system's events (rtnetlink on Linux, `NWPathMonitor` on Apple systems), it costs
/// nothing between them. Each iteration has one descriptor on Linux and no thread of its own;
/// both the iteration and the descriptor end when its task is cancelled or its iterator goes.
///
/// A slow consumer misses states in between and gets the newest; ``NetworkState/arrivals`` counts
/// what it missed. What comes and goes within the microseconds of one look at the tables is not
/// seen.
///
/// Where the system does not say (no netlink, as in some sandboxes), the state is connected, of
/// unknown type, and stays so: nothing waits for news that never come. Read ``NetworkState`` for
/// what "connected" does not mean.
///
/// - SeeAlso: [rtnetlink(7)](https://man7.org/linux/man-pages/man7/rtnetlink.7.html)
public struct NetworkMonitor: AsyncSequence, Sendable {
    public typealias Element = NetworkState
    public typealias Failure = Never

    /// A sequence that listens once it is iterated.
    public init() {}

    /// Starts to listen.
    public func makeAsyncIterator() -> Iterator { Iterator() }

    #if canImport(Network)
        /// One who listens.
        public struct Iterator: AsyncIteratorProtocol {
            private var paths = NWPathMonitor().makeAsyncIterator()
            private var history = NetworkHistory()
            private var last: NetworkState?

            /// - Returns: `nil` once the task is cancelled.
            public mutating func next() async -> NetworkState? {
                while let path = await paths.next() {
                    let state = history.observe(NetworkObservation(path))
                    if state != last {
                        last = state
                        return state
                    }
                }
                return nil
            }
        }
    #elseif os(Linux)
        /// One who listens.
        public struct Iterator: AsyncIteratorProtocol {
            private var states = NetlinkSource.states().makeAsyncIterator()
            private var last: NetworkState?

            /// - Returns: `nil` once the task is cancelled.
            public mutating func next() async -> NetworkState? {
                while let state = await states.next() {
                    if state != last {
                        last = state
                        return state
                    }
                }
                return nil
            }
        }
    #endif
}

#if canImport(Network)
    /// The name of an interface, or the address of a gateway.
    typealias NetworkWay = String

    extension NetworkObservation {
        init(_ path: NWPath) {
            isConnected = path.status == .satisfied
            connectionType =
                if path.usesInterfaceType(.wifi) {
                    .wifi
                } else if path.usesInterfaceType(.cellular) {
                    .cellular
                } else if path.usesInterfaceType(.wiredEthernet) {
                    .ethernet
                } else {
                    .unknown
                }
            ways =
                isConnected
                ? Set(path.availableInterfaces.map(\.name))
                    .union(path.gateways.map(\.debugDescription))
                : []
        }
    }
#endif
