import Foundation
import Outbox
import OutboxCore
import OutboxTesting
import Testing

/// Holds the native build against the same files as the wasm build (`Web/run-vectors.mjs`).
@Suite struct VectorTests {
    private struct EnvelopeVector: Decodable {
        let name, hex: String
        let kind, error: String?
        let attempts: UInt32?
    }

    private struct RecordVector: Decodable {
        let name, hex, key, keyID, id, kind, plaintext: String
        let createdAt: Int64
        let error: String?
    }

    private struct IdentifierVector: Decodable {
        let time: Int64
        let random: [String]
        let text: String
    }

    private struct RetryVector: Decodable {
        let attempt, jitter: UInt32
        let milliseconds: Int64
    }

    private func vectors<Vector: Decodable>(_ name: String) throws -> [Vector] {
        let folder = URL(filePath: #filePath).appending(path: "../../../Vectors").standardized
        let data = try Data(contentsOf: folder.appending(path: "\(name).json"))
        return try JSONDecoder().decode([Vector].self, from: data)
    }

    @Test("envelopes read, write back and fail as their vectors say")
    func envelopes() throws {
        let vectors: [EnvelopeVector] = try vectors("envelopes")
        #expect(vectors.count > 10)
        for vector in vectors {
            do {
                let envelope = try Envelope(decoding: bytes(vector.hex))
                #expect(vector.error == nil, "\(vector.name)")
                #expect(envelope.encoded() == bytes(vector.hex), "\(vector.name)")
                #expect(envelope.kind.description == vector.kind, "\(vector.name)")
                #expect(envelope.attemptCount == vector.attempts, "\(vector.name)")
            } catch {
                #expect("\(error)" == vector.error, "\(vector.name)")
            }
        }
    }

    @Test("sealed records open, or are quarantined, as their vectors say")
    func records() throws {
        let vectors: [RecordVector] = try vectors("sealed-records")
        #expect(vectors.count > 8)
        let reasons: [String: QuarantineReason] = [
            "truncated": .record, "unsupportedVersion": .record, "notAuthentic": .notAuthentic,
        ]
        for vector in vectors {
            let keyID = KeyID(rawValue: try #require(UInt64(vector.keyID, radix: 16)))
            let key = SealingKey(id: keyID, bytes: bytes(vector.key))
            let outbox = Outbox(
                storage: MemoryStorage(),
                keys: MemoryKeyStore(keys: [key])
            )
            do throws {
                let payload = try outbox.sealer.open(
                    bytes(vector.hex),
                    id: try #require(OperationID(bytes: bytes(vector.id))),
                    kind: OperationKind(utf8: Array(vector.kind.utf8)),
                    createdAt: WallTime(millisecondsSinceEpoch: vector.createdAt)
                )
                #expect(vector.error == nil, "\(vector.name)")
                #expect(payload == bytes(vector.plaintext), "\(vector.name)")
            } catch let error as UnreadableRecord {
                #expect(error.reason == vector.error.flatMap { reasons[$0] }, "\(vector.name)")
            }
        }
    }

    @Test("identifiers and waits are those of their vectors")
    func identifiersAndRetries() throws {
        let identifiers: [IdentifierVector] = try vectors("identifiers")
        #expect(identifiers.count > 2)
        for vector in identifiers {
            let words = vector.random.compactMap { UInt64($0, radix: 16) }
            let time = WallTime(millisecondsSinceEpoch: vector.time)
            let id = OperationID(time: time, random: (words[0], words[1]))
            #expect(id.description == vector.text)
        }
        let retries: [RetryVector] = try vectors("device-retries")
        #expect(retries.count > 26)
        for vector in retries {
            let wait = RetryPolicy.device.delay(
                afterAttempt: vector.attempt,
                jitter: vector.jitter
            )
            #expect(wait == Milliseconds(vector.milliseconds))
        }
    }

    private func bytes(_ hex: String) -> [UInt8] {
        stride(from: 0, to: hex.utf8.count, by: 2).map { offset in
            let start = hex.index(hex.startIndex, offsetBy: offset)
            return UInt8(hex[start..<hex.index(start, offsetBy: 2)], radix: 16)!
        }
    }
}
