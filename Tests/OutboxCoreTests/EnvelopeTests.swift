import OutboxCore
import OutboxTesting
import TestSeeds
import Testing

@Suite struct EnvelopeTests {
    static let full: Envelope = {
        var envelope = Envelope(
            id: OperationID(high: 0x0123_4567_89AB_7DEF, low: 0x8123_4567_89AB_CDEF),
            kind: "memo",
            createdAt: WallTime(millisecondsSinceEpoch: 1_700_000_000_000),
            orderingKey: OrderingKey(bytes: [7, 8, 9])
        )
        envelope.attemptCount = 3
        envelope.nextEligibleAt = WallTime(millisecondsSinceEpoch: 1_700_000_004_000)
        envelope.waitCause = .server
        envelope.lastError = "relay.http.500"
        envelope.blocksLane = true
        envelope.unknownFields = [
            UnknownField(tag: 99, value: [1, 2]), UnknownField(tag: 9, value: []),
        ]
        return envelope
    }()

    @Test("every field reads back, unknown ones in their order")
    func roundTrip() throws {
        #expect(try Envelope(decoding: Self.full.encoded()) == Self.full)
        let fresh = Envelope(id: Self.full.id, kind: "x", createdAt: .distantPast)
        #expect(try Envelope(decoding: fresh.encoded()) == fresh)
        #expect(fresh.nextEligibleAt == .distantPast && fresh.attemptCount == 0)
    }

    @Test("that an operation blocks its lane is a field that says nothing else, and is there once")
    func blocksLane() throws {
        var envelope = Self.full
        envelope.unknownFields = []
        let field: [UInt8] = [8, 0, 0]
        let bytes = envelope.encoded()
        #expect(bytes.dropLast(4).suffix(3) == field[...])
        envelope.blocksLane = false
        #expect(envelope.encoded().dropLast(4) == bytes.dropLast(7))
        for extra: [UInt8] in [[8, 0, 0], [8, 0, 1, 1]] {
            let body = envelope.encoded().dropLast(4) + (extra == field ? field : []) + extra
            #expect(throws: EnvelopeError.malformed) {
                try Envelope(decoding: body + checksum(body))
            }
        }
    }

    @Test("every flipped bit is detected")
    func flips() {
        let bytes = Self.full.encoded()
        for bit in 0..<bytes.count * 8 {
            var flipped = bytes
            flipped[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(throws: EnvelopeError.self) { try Envelope(decoding: flipped) }
        }
    }

    @Test("every truncation is detected")
    func truncations() {
        let bytes = Self.full.encoded()
        for length in 0..<bytes.count {
            #expect(throws: EnvelopeError.self) {
                try Envelope(decoding: Array(bytes[..<length]))
            }
        }
        #expect(throws: EnvelopeError.corrupted) { try Envelope(decoding: bytes + [0]) }
    }

    @Test("a wait cause of a newer build reads as backing off")
    func unknownWaitCause() throws {
        let current = Self.full.encoded()
        var patched = current
        let cause = try #require(
            current.indices.first { Array(current[$0...].prefix(4)) == [5, 0, 1, 3] }
        )
        patched[cause + 3] = 77
        patched.replaceSubrange(
            patched.count - 4..<patched.count,
            with: checksum(patched.dropLast(4))
        )
        #expect(try Envelope(decoding: patched).waitCause == .backoff)
    }

    @Test("the check is the same CRC-32 whatever the length")
    func check() {
        for length in 1...32 {
            let kind = OperationKind(utf8: (0..<UInt8(length)).map { $0 &* 151 })
            let bytes = Envelope(id: Self.full.id, kind: kind, createdAt: .distantPast).encoded()
            #expect(Array(bytes.suffix(4)) == checksum(bytes.dropLast(4)))
        }
    }

    @Test(
        "random bytes never crash the reader, and what it reads it writes back",
        arguments: TestSeeds["envelope"]
    )
    func noise(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var read = 0
        for _ in 0..<20_000 {
            var bytes = (0..<Int.random(in: 0...80, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            if Bool.random(using: &random) {
                // One byte of an envelope changed, and a checksum that agrees.
                bytes = Self.full.encoded()
                bytes[Int.random(in: 1..<bytes.count - 4, using: &random)] ^= UInt8.random(
                    in: 1...255,
                    using: &random
                )
                bytes.replaceSubrange(
                    bytes.count - 4..<bytes.count,
                    with: checksum(bytes.dropLast(4))
                )
            }
            if let envelope = try? Envelope(decoding: bytes) {
                read += 1
                #expect(try Envelope(decoding: envelope.encoded()) == envelope, "\(random.seed)")
            }
        }
        #expect(read > 1000, "\(random.seed)")
    }

    /// CRC-32 written independently of the product's: polynomial division over bits.
    private func checksum(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var remainder: UInt32 = .max
        for byte in bytes {
            for bit in 0..<8 {
                let isSet = (UInt32(byte) >> UInt32(bit) ^ remainder) & 1 == 1
                remainder = remainder >> 1 ^ (isSet ? 0xEDB8_8320 : 0)
            }
        }
        return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: ~remainder >> UInt32($0)) }
    }
}
