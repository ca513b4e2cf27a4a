import MemoCore
import NIOCore
import OutboxCore
import RelayAPI
import Testing

@testable import RelayServer

@Suite("The memos in work")
struct MemoWorkTests {
    private let devices = (0..<3).map { DeviceID(bits: OperationID(high: 0, low: $0)) }

    @Test("are bounded for a device, for a network and in all, until they are left")
    func bounds() throws {
        let places = MemoPlaces(MemoPlaces.Bounds(device: 2, network: 3, all: 4))
        func take(_ device: Int, _ network: String, _ count: Int = 1) -> Bool {
            (try? places.take(count, device: devices[device], network: network)) != nil
        }
        #expect(!take(0, "a", 3))
        #expect(take(0, "a") && take(0, "a"))
        #expect(!take(0, "a") && !take(0, "b"))
        #expect(take(1, "a"))
        #expect(!take(1, "a"))
        #expect(take(1, "b"))
        #expect(!take(2, "c"))
        places.leave(1, device: devices[0], network: "a")
        #expect(take(2, "c"))
        #expect(!take(2, "c"))
    }

    @Test("that are long do not keep short ones out, and leave their places also when they fail")
    func lengths() async throws {
        let work = MemoWork()
        let device = devices[0]
        func accept(_ length: Int, _ receive: () async throws -> ByteBuffer) async throws -> Int {
            try await work.withPlace(
                length: length,
                device: device,
                network: "a",
                receive: receive,
                accept: { $0.readableBytes }
            )
        }
        let body = ByteBuffer(string: "x")
        let answer = try await accept(RelayLimits.memoBodyLength) {
            await #expect(throws: Refusal.busy) {
                try await accept(RelayLimits.memoBodyLength) { body }
            }
            let short = try await accept(MemoWork.shortLength) { body }
            #expect(short == 1)
            return body
        }
        #expect(answer == 1)
        for _ in 0..<3 {
            await #expect(throws: Refusal.tooSlow) {
                try await accept(RelayLimits.memoBodyLength) { throw Refusal.tooSlow }
            }
        }
        let last = try await accept(RelayLimits.memoBodyLength) { body }
        #expect(last == 1)
    }
}
