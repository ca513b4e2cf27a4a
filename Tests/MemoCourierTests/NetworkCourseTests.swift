import ConnectivityCore
import CourierTesting
import Logging
import MemoKit
import Outbox
import Testing

@testable import MemoCourier

@Suite("The network's course")
struct NetworkCourseTests {
    private func state(_ isConnected: Bool, _ arrivals: Int) -> NetworkState {
        NetworkState(isConnected: isConnected, connectionType: .unknown, arrivals: arrivals)
    }

    /// What the outbox says after these states.
    private func isOnline(after states: NetworkState...) async throws -> Bool? {
        let device = try Device(signedInAt: nil)
        let (stream, continuation) = AsyncStream<NetworkState>.makeStream()
        for state in states { continuation.yield(state) }
        continuation.finish()
        await NetworkCourse(outbox: device.box.outbox, logger: Logger(label: "outbox")).follow(
            stream
        )
        return try device.box.outboxState().isOnline
    }

    @Test("a loss and a return are the outbox's, and a network that was always there is not news")
    func course() async throws {
        #expect(try await isOnline(after: state(true, 0)) == nil)
        #expect(try await isOnline(after: state(false, 0)) == false)
        #expect(try await isOnline(after: state(true, 0), state(false, 0)) == false)
        #expect(try await isOnline(after: state(false, 0), state(true, 1)) == true)
        #expect(try await isOnline(after: state(false, 0), state(true, 0)) == true)
        #expect(try await isOnline(after: state(true, 0), state(true, 1)) == true)
        // A way in without a default route.
        #expect(try await isOnline(after: state(false, 0), state(false, 1)) == false)
    }
}
