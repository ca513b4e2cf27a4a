import MemoCore
import NIOCore
import OutboxCore
import RelayAPI
import Synchronization
import Testing

@testable import RelayRules
@testable import RelayServer

@Suite("The memos in work")
struct MemoWorkTests {
    private let mailboxes = (0..<4).map { MailboxID(bits: OperationID(high: 0, low: $0)) }

    /// A clock that a test moves.
    private final class Time: Sendable {
        private let now = Mutex(NIODeadline.uptimeNanoseconds(0))
        func read() -> NIODeadline { now.withLock { $0 } }
        func pass(_ time: TimeAmount) { now.withLock { $0 = $0 + time } }
    }

    private func memo(_ id: OperationID) -> MemosUnderWay.Key {
        MemosUnderWay.Key(mailbox: mailboxes[0], id: id)
    }

    private func sender(_ mailbox: Int, _ site: String) -> MemoSlots.Sender {
        MemoSlots.Sender(mailbox: mailboxes[mailbox], site: site)
    }

    @Test("are bounded for a mailbox, for a site and in all, until they are left")
    func bounds() throws {
        let slots = MemoSlots(MemoSlots.Bounds(mailbox: 2, site: 3, all: 4))
        func take(_ mailbox: Int, _ site: String, _ count: Int = 1) -> MemoSlots.Slot? {
            try? slots.take(count, for: sender(mailbox, site))
        }
        #expect(take(0, "a", 3) == nil)
        let first = try #require(take(0, "a"))
        #expect(take(0, "a") != nil)
        #expect(take(0, "a") == nil && take(0, "b") == nil)
        #expect(take(1, "a") != nil)
        #expect(take(1, "a") == nil)
        #expect(take(1, "b") != nil)
        #expect(take(2, "c") == nil)
        slots.leave(first)
        slots.leave(first)
        #expect(take(2, "c") != nil)
        #expect(take(2, "c") == nil)
    }

    @Test("lose the slot of the body that is furthest behind the least rate, and of no other")
    func slowest() throws {
        let time = Time()
        let slots = MemoSlots(MemoSlots.Bounds(mailbox: 9, site: 9, all: 4), now: time.read)
        let lost = Mutex<[Int]>([])
        /// Takes slots, and notes when they are lost.
        func begin(_ number: Int, _ count: Int = 1) throws -> MemoSlots.Slot {
            let slot = try slots.take(count, for: sender(0, "\(number)"))
            slots.onLoss(of: slot) { lost.withLock { $0.append(number) } }
            return slot
        }
        let (slow, slower, quick) = (try begin(0), try begin(1), try begin(2))
        let whole = try begin(3)
        // Nobody is behind yet.
        #expect(throws: Refusal.busy) { try slots.take(1, for: sender(1, "z")) }
        time.pass(.seconds(4))
        slots.arrived(4 * MemoSlots.leastRate - 1, for: slow)
        slots.arrived(4, for: slower)
        slots.arrived(4 * MemoSlots.leastRate, for: quick)
        #expect(slots.keep(whole))
        // Two slots are not to be had, so that nobody loses one for nothing.
        #expect(throws: Refusal.busy) { try slots.take(3, for: sender(1, "z")) }
        #expect(lost.withLock { $0 } == [])
        _ = try slots.take(1, for: sender(1, "z"))
        #expect(lost.withLock { $0 } == [1])
        #expect(!slots.keep(slower))
        slots.leave(slower)
        _ = try begin(4)
        #expect(lost.withLock { $0 } == [1, 0])
        #expect(throws: Refusal.busy) { try slots.take(1, for: sender(1, "z")) }
        #expect(slots.keep(quick))
    }

    @Test("of a mailbox or a site lose no slot to a memo that another bound keeps out")
    func scope() throws {
        let time = Time()
        let slots = MemoSlots(MemoSlots.Bounds(mailbox: 1, site: 2, all: 9), now: time.read)
        let others = try slots.take(1, for: sender(0, "a"))
        slots.onLoss(of: others) {}
        let own = try slots.take(1, for: sender(1, "a"))
        slots.onLoss(of: own) {}
        time.pass(.seconds(9))
        _ = try slots.take(1, for: sender(1, "b"))
        #expect(!slots.keep(own))
        #expect(slots.keep(others))
    }

    @Test("that are short take a slot when they have arrived: bodies that trickle keep nobody out")
    func trickles() async throws {
        let work = MemoWork(now: Time().read)
        let honest = sender(0, "a")
        let stranger = sender(1, "b")
        try await withThrowingTaskGroup(of: Void.self) { group in
            let begun = AsyncStream.makeStream(of: Void.self)
            for _ in 0..<300 {
                group.addTask {
                    _ = try? await work.withSlot(
                        length: MemoWork.shortLength,
                        memo: memo(.new()),
                        sender: stranger,
                        receive: { _ in
                            begun.continuation.yield()
                            try await Task.sleep(for: .seconds(3600))
                            return ByteBuffer()
                        },
                        accept: { $0.readableBytes }
                    )
                }
            }
            var count = 0
            for await _ in begun.stream {
                count += 1
                if count == 300 { break }
            }
            let answer = try await work.withSlot(
                length: 10,
                memo: memo(.new()),
                sender: honest,
                receive: { _ in ByteBuffer(string: "x") },
                accept: { $0.readableBytes }
            )
            #expect(answer == 1)
            group.cancelAll()
        }
    }

    @Test("that are long end when they are slow and another needs the slot")
    func slowUpload() async throws {
        let time = Time()
        let work = MemoWork(now: time.read)
        let body = ByteBuffer(string: "x")
        @Sendable func accept(
            _ mailbox: Int,
            _ site: String,
            _ receive:
                @escaping @Sendable (@escaping @Sendable (Int) -> Void) async throws ->
                ByteBuffer
        ) async throws -> Int {
            try await work.withSlot(
                length: 8 << 20,
                memo: memo(.new()),
                sender: sender(mailbox, site),
                receive: receive,
                accept: { $0.readableBytes }
            )
        }
        let begun = AsyncStream.makeStream(of: Void.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for mailbox in 0..<4 {
                group.addTask {
                    await #expect(throws: Refusal.busy) {
                        try await accept(mailbox, "\(mailbox)") { arrived in
                            arrived(1)
                            begun.continuation.yield()
                            try await Task.sleep(for: .seconds(3600))
                            return ByteBuffer()
                        }
                    }
                }
            }
            var count = 0
            for await _ in begun.stream {
                count += 1
                if count == 4 { break }
            }
            await #expect(throws: Refusal.busy) { try await accept(0, "z") { _ in body } }
            time.pass(.seconds(5))
            for mailbox in 0..<4 {
                #expect(try await accept(mailbox, "\(mailbox)") { _ in body } == 1)
            }
            try await group.waitForAll()
        }
    }

    @Test("that are long do not keep short ones out, and leave their slots also when they fail")
    func lengths() async throws {
        let work = MemoWork(now: Time().read)
        let sender = sender(0, "a")
        @Sendable func accept(
            _ length: Int,
            _ receive: @escaping @Sendable () async throws -> ByteBuffer
        ) async throws -> Int {
            try await work.withSlot(
                length: length,
                memo: memo(.new()),
                sender: sender,
                receive: { _ in try await receive() },
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
