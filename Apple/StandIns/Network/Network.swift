// What the sources use of Network, over paths that a test gives.

import Synchronization

/// The paths of this machine. A test gives them, and each monitor gets those that come after its
/// iteration began, the one of that moment first.
@_spi(Device) public struct Paths: Sendable {
    fileprivate var current: NWPath?
    fileprivate var listeners: [Int: AsyncStream<NWPath>.Continuation] = [:]
    fileprivate var begun = 0

    /// How many iterations have begun and not ended.
    public var listening: Int { listeners.count }
}

private let paths = Mutex(Paths())

extension Paths {
    /// The state of the paths.
    @_spi(Device) public static var now: Paths { paths.withLock { $0 } }

    /// Tells every monitor of a new path.
    @_spi(Device) public static func change(to path: NWPath) {
        paths.withLock { paths in
            paths.current = path
            for listener in paths.listeners.values { listener.yield(path) }
        }
    }

    fileprivate static func listen() -> AsyncStream<NWPath> {
        let (stream, listener) = AsyncStream<NWPath>.makeStream()
        paths.withLock { paths in
            let number = paths.begun
            paths.begun += 1
            paths.listeners[number] = listener
            if let current = paths.current { listener.yield(current) }
            listener.onTermination = { _ in forget(number) }
        }
        return stream
    }

    private static func forget(_ number: Int) {
        paths.withLock { paths in paths.listeners[number] = nil }
    }
}

public final class NWPathMonitor: AsyncSequence, Sendable {
    public typealias Element = NWPath

    public struct Iterator: AsyncIteratorProtocol {
        private var paths = Paths.listen().makeAsyncIterator()

        fileprivate init() {}

        public mutating func next() async -> NWPathMonitor.Element? {
            await paths.next(isolation: nil)
        }
    }

    public init() {}
    public func makeAsyncIterator() -> NWPathMonitor.Iterator { Iterator() }
}

public struct NWPath: Equatable, Sendable {
    public enum Status: Sendable {
        case satisfied
        case unsatisfied
    }

    public let status: NWPath.Status
    public let availableInterfaces: [NWInterface]
    private let gatewaysOfPath: [NWEndpoint]

    @_spi(Device) public init(
        _ status: NWPath.Status,
        _ interfaces: [NWInterface] = [],
        gateways: [String] = []
    ) {
        self.status = status
        availableInterfaces = interfaces
        gatewaysOfPath = gateways.map { .hostPort(host: .name($0, nil), port: .any) }
    }

    public var gateways: [NWEndpoint] { gatewaysOfPath }

    /// Apple: whether traffic on the path uses an interface of this type; that is the preferred one.
    public func usesInterfaceType(_ type: NWInterface.InterfaceType) -> Bool {
        status == .satisfied && availableInterfaces.first?.kind == type
    }
}

public struct NWInterface: Hashable, Sendable {
    public enum InterfaceType: Sendable {
        case wifi
        case cellular
        case wiredEthernet
    }

    fileprivate let kind: NWInterface.InterfaceType?
    private let nameOfInterface: String

    @_spi(Device) public init(_ name: String, _ kind: NWInterface.InterfaceType?) {
        nameOfInterface = name
        self.kind = kind
    }

    public var name: String { nameOfInterface }
}

public enum NWEndpoint: Hashable, Sendable, CustomDebugStringConvertible {
    case hostPort(host: NWEndpoint.Host, port: NWEndpoint.Port)

    public enum Host: Hashable, Sendable {
        case name(String, NWInterface?)
    }

    public struct Port: Hashable, Sendable {
        public static let any = Port()
    }

    public var debugDescription: String {
        switch self {
        case .hostPort(host: .name(let name, _), port: _): "\(name):0"
        }
    }
}
