import Outbox
import Testing

@testable import MemoProcesses

@Suite("A question about the keyring")
struct KeyringMessageTests {
    @Test("and its answer come back as they were")
    func roundTrip() {
        for operation in [KeyringRequest.Operation.read, .add, .replace, .remove] {
            let request = KeyringRequest(
                operation,
                mayAsk: operation == .add,
                patienceMilliseconds: 60_000,
                item: Array("a1".utf8),
                value: operation == .add ? [0, 1, 255] : []
            )
            #expect(KeyringRequest(decoding: request.encoded()) == request)
        }
        let answers: [KeyringAnswer] = [
            .done([]), .done([1, 2]), .unchanged, .malformed, .refused(.locked),
            .refused(.unreachable), .refused(.silent), .refused(.failed),
        ]
        for answer in answers {
            #expect(KeyringAnswer(decoding: answer.encoded()) == answer)
        }
        #expect(KeyringChannel.framed([7, 8]) == [0, 0, 0, 2, 7, 8])
        #expect(KeyringChannel.length([0, 0, 1, 0]) == 256)
    }

    @Test("that makes no sense is refused, whatever it is")
    func nonsense() {
        for bytes: [UInt8] in [
            [], [0], [9, 0, 0, 0, 0, 0, 0], [1, 2, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0, 1],
            [1, 0, 0, 0, 0, 0],
        ] {
            #expect(KeyringRequest(decoding: bytes) == nil)
        }
        for bytes: [UInt8] in [[], [1, 1], [2, 0], [3], [3, 0], [3, 9], [3, 1, 1], [4]] {
            #expect(KeyringAnswer(decoding: bytes) == nil)
        }
        #expect(KeyringChannel.length([255, 255, 255, 255]) == nil)
    }
}
