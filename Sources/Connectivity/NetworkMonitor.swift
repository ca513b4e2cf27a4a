public import ConnectivityCore

#if canImport(Network)
    import Network
#endif

/// The states of this machine's connection: the current state first, then each state that differs
/// from the one before.
///
/// ```swift
/// for await state in NetworkMonitor() {
///     print(state.isConnected, state.connectionType)
/// }
/// ```
///
/// The system's events (rtnetlink on Linux, `NWPathMonitor` on Apple systems) drive the monitor,
/// which costs nothing between two events. On Linux an iteration has one descriptor and no thread
/// of its own; the iteration ends, and the descriptor is closed, when the task is cancelled or the
/// iterator is dropped.
///
/// A slow consumer misses states in between and gets the newest;
/// ``/ConnectivityCore/NetworkState/arrivals`` counts the arrivals that the consumer missed. A
/// change that comes and goes within the microseconds of one reading of the kernel's tables is not
/// seen.
///
/// Where the system tells nothing (no netlink, as in some sandboxes), the state is "connected, of
/// unknown type" for ever, so that nothing waits for events that never come.
/// ``/ConnectivityCore/NetworkState`` says what "connected" does not mean.
///
/// - SeeAlso: [rtnetlink(7)](https://man7.org/linux/man-pages/man7/rtnetlink.7.html)
public struct NetworkMonitor: AsyncSequence, Sendable {
    public typealias Element = NetworkState
    public typealias Failure = Never

    /// Makes a sequence. Only an iteration listens to the system.
    public init() {}

    /// Starts to listen to the system's events.
    public func makeAsyncIterator() -> Iterator { Iterator() }

    #if canImport(Network)
        /// Iterates over the states of the connection.
        public struct Iterator: AsyncIteratorProtocol {
            private var paths = NWPathMonitor().makeAsyncIterator()
            private var history = NetworkHistory()
            private var last: NetworkState?

            /// Waits for the next state; `nil` when the task is cancelled.
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
        /// Iterates over the states of the connection.
        public struct Iterator: AsyncIteratorProtocol {
            private var states = NetlinkSource.states().makeAsyncIterator()
            private var last: NetworkState?

            /// Waits for the next state; `nil` when the task is cancelled.
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
