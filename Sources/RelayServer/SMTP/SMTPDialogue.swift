/// The stage of a session that libcurl leads, and the enhanced code of the last reply.
///
/// The commands and replies are noted line by line. `QUIT` and its reply end the session and are
/// not noted. No line is kept: a line may hold a password or an address.
struct SMTPDialogue: Hashable, Sendable {
    /// The stage of the command that the last reply answers; ``SMTPStage/data`` also for the message.
    private(set) var stage = SMTPStage.opening
    /// `nil` where the server sends no such codes.
    private(set) var enhancedCode: EnhancedCode?
    private var isOver = false

    /// Notes a command that was sent.
    mutating func sent(_ line: some Sequence<UInt8>) {
        guard !isOver else { return }
        switch Array(line.prefix(4)) {
        case Array("MAIL".utf8): stage = .mail
        case Array("RCPT".utf8): stage = .recipient
        case Array("DATA".utf8): stage = .data
        case Array("QUIT".utf8): isOver = true
        default: break
        }
    }

    /// Notes a line of a reply.
    mutating func received(_ line: some Sequence<UInt8>) {
        guard !isOver else { return }
        enhancedCode = EnhancedCode(ofLine: line)
    }
}
