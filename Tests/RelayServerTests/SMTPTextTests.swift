import Testing

@testable import RelayServer

@Suite("A message behind DATA")
struct SMTPTextTests {
    /// The bytes of a message on the wire.
    private func sent(_ message: [UInt8], chunkSize: Int) -> [UInt8] {
        var text = SMTPText(message, chunkSize: chunkSize)
        var sent: [UInt8] = []
        while true {
            let chunk = text.next()
            chunk.forEachPiece { sent += $0 }
            if chunk.isLast { return sent }
        }
    }

    /// What a server reads (RFC 5321, section 4.5.2); `nil` where bytes are left behind the final dot, or
    /// none ends the message.
    private func received(_ sent: [UInt8]) -> [UInt8]? {
        var message: [UInt8] = []
        var line: [UInt8] = []
        for (index, byte) in sent.enumerated() {
            line.append(byte)
            guard line.suffix(2) == [0x0D, 0x0A] else { continue }
            if line == Array(".\r\n".utf8) { return index == sent.count - 1 ? message : nil }
            message += line.first == UInt8(ascii: ".") ? line.dropFirst() : line[...]
            line = []
        }
        return nil
    }

    @Test("arrives byte for byte, whatever its dots and line ends are, and wherever it is cut")
    func everyShortMessage() {
        let alphabet = Array(".\r\na".utf8)
        var messages: [[UInt8]] = [[]]
        var longest = messages
        for _ in 1...6 {
            longest = longest.flatMap { message in alphabet.map { message + [$0] } }
            messages += longest
        }
        #expect(messages.count > 5_000)
        for message in messages {
            let isEnded = message.isEmpty || message.suffix(2) == [0x0D, 0x0A]
            let expected = isEnded ? message : message + [0x0D, 0x0A]
            for size in 1...3 where received(sent(message, chunkSize: size)) != expected {
                Issue.record("\(message) in chunks of \(size)")
            }
        }
    }

    @Test("is not copied where no dot begins a line")
    func pieces() {
        let message = Array("Subject: a.b\r\n\r\nno dot. at all\r\n".utf8)
        var text = SMTPText(message)
        var pieces = 0
        text.next().forEachPiece { _ in pieces += 1 }
        #expect(pieces == 2, "the message, and the final dot")
    }
}
