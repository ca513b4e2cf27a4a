import OutboxCore

/// What an IMAP server has answered to the latest command, read line by line.
///
/// No line is kept: a line may hold a password or an address.
struct IMAPDialogue: Hashable, Sendable {
    /// A command, as far as its failure says something else than that of another command.
    enum Command: Hashable, Sendable {
        /// Any command before the mailbox is open.
        case opening
        case login
        case select
        case append
        case other
    }

    /// The end of a command.
    enum Status: Hashable, Sendable {
        case ok, no, bad
    }

    /// What a server tells while it opens a folder
    /// ([RFC 9051, section 6.3.2](https://www.rfc-editor.org/rfc/rfc9051#section-6.3.2)).
    struct Opened: Hashable, Sendable {
        /// The validity of the folder's identifiers.
        fileprivate(set) var validity: UInt32?
        /// The identifier that the next mail to arrive will at least have.
        fileprivate(set) var next: MailboxCopy?

        /// The folder; `nil` without a validity.
        var view: FolderView? {
            validity.map { FolderView(validity: $0, reached: max(next ?? 1, 1) - 1) }
        }
    }

    /// The latest command.
    private(set) var command = Command.opening
    /// The end of the latest command; `nil` while there is none.
    private(set) var status: Status?
    /// The response code of that end, such as `OVERQUOTA`
    /// ([RFC 5530](https://www.rfc-editor.org/rfc/rfc5530)); `nil` for none.
    private(set) var code: String?
    /// The mail that an append has made, as the folder's validity and latest identifier, where the server
    /// tells it ([RFC 4315](https://www.rfc-editor.org/rfc/rfc4315)).
    private(set) var appended: FolderView?
    /// What the server has told while it opened the folder; `nil` where the commands so far have opened
    /// none. Kept over the commands that follow.
    private(set) var opened: Opened?
    /// The mails that a search has found, in the order in which they arrived; at most
    /// ``mostFound``.
    private(set) var found: [MailboxCopy] = []
    private var tag: [UInt8] = []

    /// The number of found mails that are kept.
    static let mostFound = 1_000
    private static let longestLine = 16_384

    /// Notes a command that was sent. Any other text, such as the answer to a challenge, is not one;
    /// nor is `LOGOUT`, with which libcurl ends a connection on which a command has failed.
    mutating func sent(_ line: some Sequence<UInt8>) {
        let words = line.prefix(32).split(separator: UInt8(ascii: " "), maxSplits: 2)
        guard words.count >= 2, Self.isTag(words[0]) else { return }
        let name = String(decoding: words[1].prefix { $0 > 0x20 }, as: UTF8.self).uppercased()
        guard name != "LOGOUT" else { return }
        let known = name == "SELECT" ? Opened() : opened
        self = IMAPDialogue()
        opened = known
        tag = Array(words[0])
        command =
            switch name {
            case "CAPABILITY", "STARTTLS", "ID", "ENABLE": .opening
            case "LOGIN", "AUTHENTICATE": .login
            case "SELECT": .select
            case "APPEND": .append
            default: .other
            }
    }

    /// Notes a line of the server.
    mutating func received(_ line: some Sequence<UInt8>) {
        let words = line.prefix(Self.longestLine).split { $0 == 0x20 || $0 == 0x0D || $0 == 0x0A }
        guard words.count >= 2 else { return }
        let second = String(decoding: words[1], as: UTF8.self).uppercased()
        if words[0].elementsEqual([UInt8(ascii: "*")]) {
            receivedUntagged(second, words.dropFirst(2))
        }
        guard !tag.isEmpty, words[0].elementsEqual(tag) else { return }
        switch second {
        case "OK": status = .ok
        case "NO": status = .no
        case "BAD": status = .bad
        default: return
        }
        guard words.count >= 3, words[2].first == UInt8(ascii: "[") else { return }
        let bracket = words[2].dropFirst().prefix { $0 != UInt8(ascii: "]") }
        code = String(decoding: bracket, as: UTF8.self).uppercased()
        guard code == "APPENDUID", words.count >= 5 else { return }
        guard let validity = UInt32(String(decoding: words[3], as: UTF8.self)),
            let copy = MailboxCopy(
                String(decoding: words[4].prefix { $0 != UInt8(ascii: "]") }, as: UTF8.self)
            )
        else { return }
        appended = FolderView(validity: validity, reached: copy)
    }

    private mutating func receivedUntagged(
        _ kind: String,
        _ words: some Collection<some Collection<UInt8>>
    ) {
        let texts = words.lazy.map { String(decoding: $0, as: UTF8.self) }
        switch kind {
        case "SEARCH":
            found = Array(
                Set(found + texts.compactMap { MailboxCopy($0) }).sorted().prefix(Self.mostFound)
            )
        case "OK":
            let code = Array(texts.prefix(2))
            guard code.count == 2 else { return }
            let number = UInt32(code[1].prefix { $0 != "]" })
            switch code[0].uppercased() {
            case "[UIDVALIDITY": opened?.validity = number
            case "[UIDNEXT": opened?.next = number
            default: return
            }
        default: return
        }
    }

    /// A letter and three digits, as libcurl makes them.
    private static func isTag(_ word: some Collection<UInt8>) -> Bool {
        let bytes = Array(word)
        return bytes.count == 4 && (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(bytes[0])
            && bytes.dropFirst().allSatisfy { (0x30...0x39).contains($0) }
    }
}
