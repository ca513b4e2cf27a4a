import LibC
public import MemoCore
public import MemoKit
import Outbox
public import OutboxCore

/// Signs this device in and out: asks the relay, and keeps the answer.
public struct SignIn: Sendable {
    /// The reason for which signing in, or signing out, failed.
    public enum Failure: ExplainedError, Hashable, Sendable {
        /// The relay at this URL did not do as asked.
        case relay(RelayTrouble, at: String)
        case device(MemoError)
        /// The person gave no code. The next call goes on with the code that was mailed.
        case noCode
        /// The code is wrong, and the relay takes no other try of it.
        case noTriesLeft
        /// The code is too old.
        case expired
    }

    /// The sentence before each question for a code but the first.
    public enum Complaint: Hashable, Sendable {
        /// The code has not this number of digits. The relay was not asked.
        case wrongLength(Int)
        /// The code is wrong, and can be tried so many times more.
        case wrong(triesLeft: Int)
        /// The code was mailed at this time, and the person was asked for it before.
        case continued(since: WallTime)
        /// There is no new code yet; the former one can be tried.
        case noNewCode(RelayTrouble)

        /// Whether an empty line asks for a new code.
        var offersNewCode: Bool {
            switch self {
            case .wrongLength: false
            case .wrong, .continued, .noNewCode: true
            }
        }
    }

    private let box: MemoBox
    private let client: RelayClient
    private let memosWait: @Sendable () throws(MemoError) -> Void
    private let now: @Sendable () -> WallTime

    /// - Parameters:
    ///   - client: The client that talks to the relay.
    ///   - memosWait: Has memos delivered. Called after a sign-in while memos are queued.
    public init(
        box: MemoBox,
        client: RelayClient,
        memosWait: @escaping @Sendable () throws(MemoError) -> Void
    ) {
        self.init(
            box: box,
            client: client,
            memosWait: memosWait,
            now: OutboxClock.system.wallTime
        )
    }

    /// - Parameter now: The wall clock, by which a code gets old.
    package init(
        box: MemoBox,
        client: RelayClient,
        memosWait: @escaping @Sendable () throws(MemoError) -> Void,
        now: @escaping @Sendable () -> WallTime
    ) {
        self.box = box
        self.client = client
        self.memosWait = memosWait
        self.now = now
    }

    /// Has the relay mail a code to `address`, asks for the code, trades it for a token, and stores
    /// the token. Where an earlier call had a code mailed to the same address that can still be tried,
    /// asks for that code instead; an empty line then asks for a new one.
    ///
    /// Queues the memos again that were parked because nobody was signed in, and has them delivered.
    /// Then has the relay revoke the token of the former account.
    ///
    /// - Parameters:
    ///   - language: The language of the mail.
    ///   - askCode: Asks the person for the code. Called first with `nil`, then with the complaint
    ///     about the former code. `nil` gives up.
    /// - Returns: Whether no former token of this device is left valid.
    /// - Throws: ``Failure``. Where the new account could not be stored, the former one stays signed
    ///   in.
    @discardableResult
    public func signIn(
        _ address: String,
        at relay: RelayLocation,
        in language: Language,
        askCode: (Complaint?) async -> String?
    ) async throws(Failure) -> Bool {
        let tokens = TokenClient(relay: relay, client: client)
        let token = try await token(for: address, at: relay, from: tokens, in: language, askCode)
        let account = Account(relay: relay.text, address: address, token: token)
        let former = FormerAccount(of: box)
        do {
            try box.setAccount(account)
        } catch {
            // Nobody has this token: the relay should not keep it valid.
            _ = await revoke(account)
            throw .device(error)
        }
        // Revoking may take minutes, or may be cut short; the memos do not wait for it.
        let resumed = Result { () throws(MemoError) in try resume() }
        let isFormerRevoked =
            switch former {
            case .none: true
            case .unreadable: false
            case .some(let former): await revoke(former)
            }
        if case .failure(let error) = resumed { throw .device(error) }
        return isFormerRevoked
    }

    /// The account that a new one replaces.
    private enum FormerAccount {
        case none
        /// There is an account, and its token cannot be read.
        case unreadable
        case some(Account)

        init(of box: MemoBox) {
            if let account = try? box.account() {
                self = .some(account)
            } else {
                self = (try? box.hasAccount()) == false ? .none : .unreadable
            }
        }
    }

    /// Has the relay revoke this device's token, and deletes the account. The history stays.
    ///
    /// - Returns: Whether the relay confirmed; if not, the token is still valid at the relay.
    /// - Throws: ``MemoKit/MemoError/noAccount`` and others, inside ``Failure/device(_:)``.
    public func signOut() async throws(Failure) -> Bool {
        do throws(MemoError) {
            guard try box.hasAccount() else { throw MemoError.noAccount }
            // An account that does not open can still be forgotten.
            let account = try? box.account()
            var isRevoked = false
            if let account { isRevoked = await revoke(account) }
            try box.removeAccount()
            return isRevoked
        } catch {
            throw .device(error)
        }
    }

    private func token(
        for address: String,
        at relay: RelayLocation,
        from tokens: TokenClient,
        in language: Language,
        _ askCode: (Complaint?) async -> String?
    ) async throws(Failure) -> String {
        func newVerification() async throws(Failure) -> OpenVerification {
            let asked = now()
            let mailed: MailedCode
            do {
                mailed = try await tokens.requestCode(for: address, in: language)
            } catch {
                throw .relay(error, at: relay.text)
            }
            return OpenVerification(
                relay: relay.text,
                address: address,
                mailed: mailed,
                code: OpenCode(mailedAt: asked)
            )
        }
        var verification: OpenVerification
        var complaint: Complaint?
        if let open = openVerification(of: address, at: relay) {
            verification = open
            complaint = .continued(since: open.code.mailedAt)
        } else {
            verification = try await newVerification()
            keep(verification)
        }
        while true {
            guard let line = await askCode(complaint) else { throw .noCode }
            let code = String(line.filter { !$0.isWhitespace && $0 != "-" })
            if code.isEmpty, complaint?.offersNewCode == true {
                do {
                    verification = try await newVerification()
                    keep(verification)
                    complaint = nil
                } catch .relay(.tooManyRequests(let seconds), _) {
                    complaint = .noNewCode(.tooManyRequests(seconds: seconds))
                }
                continue
            }
            let digits = verification.mailed.digits
            guard code.utf8.count == digits, code.utf8.allSatisfy({ (0x30...0x39).contains($0) })
            else {
                complaint = .wrongLength(digits)
                continue
            }
            do {
                let token = try await tokens.confirm(
                    code,
                    for: address,
                    handle: verification.mailed.handle,
                    device: Self.deviceName
                )
                keep(nil)
                return token
            } catch .codeRejected {
                switch verification.code.rejected(at: now()) {
                case .wrong(let left): complaint = .wrong(triesLeft: left)
                case .noTriesLeft:
                    keep(nil)
                    throw .noTriesLeft
                case .expired:
                    keep(nil)
                    throw .expired
                }
                keep(verification)
            } catch {
                throw .relay(error, at: relay.text)
            }
        }
    }

    private func openVerification(
        of address: String,
        at relay: RelayLocation
    ) -> OpenVerification? {
        // One that cannot be read costs another code.
        guard let open = (try? box.openVerification()) ?? nil else { return nil }
        return open.address == address && open.relay == relay.text ? open : nil
    }

    /// Keeps a sign-in for the next call. Where that fails, the next call has another code mailed.
    private func keep(_ verification: OpenVerification?) {
        try? box.setOpenVerification(verification)
    }

    private func revoke(_ account: Account) async -> Bool {
        guard let relay = try? RelayLocation(account.relay) else { return false }
        return (try? await TokenClient(relay: relay, client: client).revoke(account.token)) != nil
    }

    private func resume() throws(MemoError) {
        try box.retryUnauthorized()
        if try box.outboxState().queued > 0 { try memosWait() }
    }

    /// The name under which the relay lists this device.
    private static var deviceName: String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "device" }
        let bytes = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return bytes.isEmpty ? "device" : String(decoding: bytes, as: UTF8.self)
    }
}

extension SignIn.Failure {
    public func sentence(in language: Language) -> String {
        switch self {
        case .relay(.unreachable, let url): language.string(CommandText.relayUnreachable, url)
        case .relay(let error, _): error.sentence(in: language)
        case .device(let error): error.sentence(in: language)
        case .noCode: language.string(.noCode)
        case .noTriesLeft: language.string(.codeNoTries)
        case .expired: language.string(CommandText.codeExpired)
        }
    }
}

extension SignIn.Complaint {
    /// The complaint, in the words of a terminal.
    package func sentence(in language: Language) -> String {
        switch self {
        case .wrongLength(let digits): language.string(AppText.codeInvalid, "\(digits)")
        case .wrong(let left): language.string(.codeWrong, "\(left)")
        case .continued(let since): language.string(.codePending, Dates.local(since))
        case .noNewCode(let trouble): trouble.sentence(in: language)
        }
    }
}
