// What the sources use of Network. Declarations only.

public final class NWPathMonitor: AsyncSequence, Sendable {
    public typealias Element = NWPath

    public struct Iterator: AsyncIteratorProtocol {
        public mutating func next() async -> NWPathMonitor.Element? { declared() }
    }

    public init() {}
    public func makeAsyncIterator() -> NWPathMonitor.Iterator { declared() }
}

public struct NWPath: Equatable, Sendable {
    public enum Status: Sendable {
        case satisfied
    }

    public let status: NWPath.Status
    public let availableInterfaces: [NWInterface]
    public var gateways: [NWEndpoint] { declared() }
    public func usesInterfaceType(_ type: NWInterface.InterfaceType) -> Bool { declared() }
}

public struct NWInterface: Hashable, Sendable {
    public enum InterfaceType: Sendable {
        case wifi
        case cellular
        case wiredEthernet
    }

    public var name: String { declared() }
}

public enum NWEndpoint: Hashable, Sendable, CustomDebugStringConvertible {
    public var debugDescription: String { declared() }
}

func declared() -> Never { fatalError("a stand-in has only declarations") }
