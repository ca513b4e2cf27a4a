import Testing

@testable import RelayServer

@Suite("Replies of a mail server")
struct SMTPReplyReaderTests {
    private func replies(_ text: String) throws(SMTPReplyError) -> [SMTPReply] {
        var reader = SMTPReplyReader()
        var replies: [SMTPReply] = []
        for byte in text.utf8 {
            if let reply = try reader.read(byte) { replies.append(reply) }
        }
        return replies
    }

    @Test("are read with the code and the enhanced code of the last line")
    func codes() throws {
        let read = try replies("250-2.1.0 a\r\n250 2.1.5 b\r\n551-5.1.6 x\n551 y\n354\r\n")
        #expect(read.map(\.code) == [250, 551, 354])
        #expect(read[0].enhancedCode == EnhancedCode(ofLine: "250 2.1.5 b".utf8))
        #expect(read[0].enhancedCode?.detail == 5)
        #expect(read[1].enhancedCode == nil && read[2].enhancedCode == nil)
    }

    @Test(
        "that are none are refused",
        arguments: ["\r\n", "25\r\n", "25x ok\r\n", "250ok\r\n", "150 no\r\n", "650 no\r\n", "x\n"]
    )
    func malformed(text: String) {
        #expect(throws: SMTPReplyError.malformed) { try replies(text) }
    }

    @Test("are read up to their limits, and no byte further")
    func limits() throws {
        let longest = "250 " + String(repeating: "x", count: SMTPReplyReader.longestLine - 4)
        #expect(try replies(longest + "\n").count == 1)
        #expect(throws: SMTPReplyError.longLine) { try replies(longest + "x") }
        let most = String(repeating: "250-x\r\n", count: SMTPReplyReader.mostLines - 1)
        #expect(try replies(most + "250 x\r\n").count == 1)
        #expect(throws: SMTPReplyError.manyLines) { try replies(most + "250-x\r\n") }
    }

    @Test("name the extensions behind the first line, in letters of both cases")
    func extensions() throws {
        let all = try replies(
            "250-pipelining.example\r\n250-Pipelining\r\n250-STARTTLS\r\n250-auth login PLAIN\r\n"
                + "250-SIZE 1000\r\n250 DSN\r\n"
        )[0].extensions
        #expect(all.isPipelining && all.hasStartTLS && all.hasAuthentication)
        #expect(all.mechanism == .plain && all.longestMessage == 1000)
        let none = try replies("250-PIPELINING\r\n250-XPIPELINING\r\n250 SIZE 0\r\n")[0].extensions
        #expect(none == SMTPExtensions())
        let login = try replies("250-x\r\n250 AUTH CRAM-MD5 LOGIN\r\n")[0].extensions
        #expect(login.mechanism == .login)
        let other = try replies("250-x\r\n250 AUTH CRAM-MD5\r\n")[0].extensions
        #expect(other.hasAuthentication && other.mechanism == nil)
        // Of one reply, nothing is in the next one.
        #expect(
            try replies("250-x\r\n250 PIPELINING\r\n250 ok\r\n")[1].extensions == SMTPExtensions()
        )
    }
}
