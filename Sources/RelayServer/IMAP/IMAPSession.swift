import CLibcurl
import Curl
import OutboxCore
import Synchronization

/// One attempt to have a mail in a folder. Blocks the thread that runs it.
final class IMAPSession: Sendable {
    private let mailbox: IMAPMailbox
    private let mail: QueuedMail
    private let connections: MailConnections<FolderView>
    private let earlier: EarlierSearches
    private let isCancelled = Atomic(false)
    /// How much of the mail libcurl has taken. Touched by the running thread only, through libcurl's
    /// callbacks.
    private let position = Atomic(0)
    /// Whether libcurl has all of the mail: from here on the server may have it.
    private let isHandedOver = Atomic(false)
    private let dialogue = Mutex(IMAPDialogue())
    private let loginRefusal = Atomic(false)
    /// The connection of this session; `nil` before the first command.
    private let lease = Mutex<MailConnections<FolderView>.Lease?>(nil)
    /// The folder that the session's connection has open; `nil` where it has none open, and where the server
    /// tells no validity.
    private let view = Mutex<FolderView?>(nil)
    /// When to give up, whatever libcurl waits for: some of its waits ignore its own time limits.
    private let deadline: Mutex<ContinuousClock.Instant>

    init(mailbox: IMAPMailbox, mail: QueuedMail, open: OpenMailbox) {
        self.mailbox = mailbox
        self.mail = mail
        connections = open.connections
        earlier = open.searches
        deadline = Mutex(.now + mailbox.server.timeout)
    }

    /// Whether the server has refused the login.
    var isLoginRefused: Bool { loginRefusal.load(ordering: .relaxed) }

    /// Ends the session within about a second, or, where the server may already have the mail, waits
    /// for ``StopTimes/answer``.
    func cancel() {
        isCancelled.store(true, ordering: .relaxed)
        deadline.withLock { $0 = min($0, .now + StopTimes.answer) }
    }

    /// Runs once.
    func run(
        _ history: AppendHistory,
        mayHaveBeenTried: Bool,
        firstWait: Milliseconds
    ) -> MailOutcome {
        guard canBeSearched else { return .tryLater("imap.identifier") }
        let append = ExactlyOnceAppend(
            commands: self,
            earlier: earlier,
            messageID: mail.messageID,
            history: history,
            mayHaveBeenTried: mayHaveBeenTried,
            firstWait: firstWait
        )
        let outcome = append.run()
        if outcome == .accepted { earlier.forget(mail.messageID) }
        if var lease = takeLease() {
            lease.knowledge = view.withLock { $0 }
            connections.giveBack(lease, isGood: outcome.isWithoutFailure)
        }
        return outcome
    }

    /// Whether the mail's identifier can stand between quotation marks in a command.
    private var canBeSearched: Bool {
        mail.messageID.utf8.allSatisfy {
            (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
        }
    }

    private func takeLease() -> MailConnections<FolderView>.Lease? {
        lease.withLock { lease in
            defer { lease = nil }
            return lease
        }
    }

    private func use(_ new: MailConnections<FolderView>.Lease) {
        lease.withLock { $0 = new }
        view.withLock { $0 = new.knowledge }
    }

    /// Performs a transfer on the session's connection. A connection that an earlier mail has left
    /// open may have been closed by the server: the first command then has a new connection.
    private func perform(_ transfer: CurlTransfer) throws(MailboxFailure) -> IMAPDialogue {
        let held = lease.withLock { $0 }
        guard let lease = held ?? connections.lease() else { throw .failed("imap.libcurl") }
        if held == nil { use(lease) }
        var result = try perform(transfer, on: lease)
        if held == nil, lease.mailsBefore > 0, result.isConnectionLost, !isToEnd {
            lease.handle.endReading()
            guard let new = connections.lease(new: true) else { throw .failed("imap.libcurl") }
            use(new)
            result = try perform(transfer, on: new)
        }
        do throws(MailboxFailure) {
            try result.check()
        } catch {
            if error == .failed("imap.login") { loginRefusal.store(true, ordering: .relaxed) }
            if result.dialogue.status == nil, let lost = takeLease() {
                connections.giveBack(lost, isGood: false)
            }
            throw error
        }
        return result.dialogue
    }

    private func perform(
        _ transfer: CurlTransfer,
        on lease: MailConnections<FolderView>.Lease
    ) throws(MailboxFailure) -> IMAPResult {
        position.store(0, ordering: .relaxed)
        dialogue.withLock { $0 = IMAPDialogue() }
        lease.handle.reset()
        guard let code = lease.handle.perform(transfer) else { throw .failed("imap.libcurl") }
        let dialogue = dialogue.withLock { $0 }
        view.withLock { view in
            if let opened = dialogue.opened { view = opened.view }
            for copy in dialogue.found { view?.note(copy) }
        }
        return IMAPResult(
            curlCode: code,
            dialogue: dialogue,
            isHandedOver: transfer.provide != nil
                && position.load(ordering: .relaxed) == mail.message.count,
            isCancelled: isCancelled.load(ordering: .relaxed)
        )
    }

    private func transfer() -> CurlTransfer {
        let server = mailbox.server
        var transfer = CurlTransfer()
        transfer.texts = [
            (CURLOPT_URL, mailbox.url),
            (CURLOPT_PROTOCOLS_STR, "imap,imaps"),
            (CURLOPT_PROXY, ""),
        ]
        if let credentials = server.credentials {
            transfer.texts.append((CURLOPT_USERNAME, credentials.user))
            transfer.texts.append((CURLOPT_PASSWORD, credentials.password))
        }
        transfer.numbers = [
            (CURLOPT_SASL_IR, 1),
            // ``MailConnections`` alone ends connections that have waited for too long.
            (CURLOPT_MAXAGE_CONN, 1 << 30),
            (CURLOPT_USE_SSL, server.useSSL),
            (CURLOPT_CONNECTTIMEOUT_MS, Int(server.connectTimeout / .milliseconds(1))),
            (CURLOPT_TIMEOUT_MS, Int(server.timeout / .milliseconds(1))),
            (CURLOPT_SERVER_RESPONSE_TIMEOUT, max(1, Int(server.responseTimeout / .seconds(1)))),
        ]
        transfer.receive = { _ in true }
        transfer.noteCommand = { line in self.dialogue.withLock { $0.sent(line) } }
        transfer.noteAnswer = { line in self.dialogue.withLock { $0.received(line) } }
        transfer.shouldStop = { self.isToEnd }
        return transfer
    }

    private func command(_ text: String) throws(MailboxFailure) -> IMAPDialogue {
        try perform(transfer(), text)
    }

    /// A command with identifiers. Where libcurl has to connect anew, and the folder with this name is
    /// another one by then, the command fails: there the identifiers would name other mails.
    private func commandOnCopies(_ text: String) throws(MailboxFailure) {
        var transfer = transfer()
        if let view = view.withLock({ $0 }) {
            transfer.texts.append((CURLOPT_URL, "\(mailbox.url);UIDVALIDITY=\(view.validity)"))
        }
        _ = try perform(transfer, text)
    }

    private func perform(
        _ transfer: CurlTransfer,
        _ text: String
    ) throws(MailboxFailure) -> IMAPDialogue {
        var transfer = transfer
        transfer.texts.append((CURLOPT_CUSTOMREQUEST, text))
        return try perform(transfer)
    }

    private func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let start = position.load(ordering: .relaxed)
        let chunk = mail.message[start...].prefix(buffer.count)
        buffer.copyBytes(from: chunk)
        position.store(start + chunk.count, ordering: .relaxed)
        if start + chunk.count == mail.message.count {
            isHandedOver.store(true, ordering: .relaxed)
        }
        return chunk.count
    }

    private var isToEnd: Bool {
        isCancelled.load(ordering: .relaxed) && !isHandedOver.load(ordering: .relaxed)
            || deadline.withLock { $0 <= .now }
    }
}

extension IMAPSession: MailboxCommands {
    /// A folder that is open shows what it held at the latest command: it is asked for news first.
    func search(from first: MailboxCopy) throws(MailboxFailure) -> FolderSearch {
        _ = try command("NOOP")
        let before = view.withLock { $0 }
        let range = first > 1 ? "UID \(first):* " : ""
        let found = try command("UID SEARCH \(range)HEADER Message-ID \"<\(mail.messageID)>\"")
            .found
        // The identifiers of another folder say nothing of what the first one has shown.
        let after = view.withLock { $0 }
        var view = before?.validity == after?.validity ? before : nil
        for copy in found { view?.note(copy) }
        // Where the range begins beyond the latest mail, it stands for that mail.
        return FolderSearch(copies: found.filter { $0 >= first }, view: view)
    }

    func append() throws(MailboxFailure) -> MailboxCopy? {
        var transfer = transfer()
        transfer.numbers.append((CURLOPT_UPLOAD, 1))
        transfer.numbers.append((CURLOPT_INFILESIZE, mail.message.count))
        transfer.provide = { self.read(into: $0) }
        guard let appended = try perform(transfer).appended else { return nil }
        return view.withLock { view in
            guard view?.validity == appended.validity else { return nil }
            view?.note(appended.reached)
            return appended.reached
        }
    }

    /// libcurl appends a mail as one that was read.
    func markUnread(_ copy: MailboxCopy) throws(MailboxFailure) {
        try commandOnCopies("UID STORE \(copy) -FLAGS.SILENT (\\Seen)")
    }

    /// A server without UIDPLUS refuses to remove these mails alone: there they stay, as deleted
    /// ones that mail programs hide.
    func remove(_ copies: [MailboxCopy]) throws(MailboxFailure) {
        guard !copies.isEmpty else { return }
        let set = copies.map { "\($0)" }.joined(separator: ",")
        try commandOnCopies("UID STORE \(set) +FLAGS.SILENT (\\Deleted)")
        do throws(MailboxFailure) {
            try commandOnCopies("UID EXPUNGE \(set)")
        } catch {
            guard error == .failed("imap.command") else { throw error }
        }
    }
}

extension MailOutcome {
    /// Whether every command of the attempt was executed: the connection may carry another mail.
    fileprivate var isWithoutFailure: Bool {
        switch self {
        case .accepted, .settling(_, after: .some): true
        case .refused, .tryLater, .unknown, .settling(_, after: nil): false
        }
    }
}
