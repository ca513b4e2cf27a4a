import LibC
public import MemoCore
public import MemoKit
public import MemoTexts
import Outbox
public import OutboxCore
import WireCore

/// Signs this device in and out: asks the relay, and keeps the answer.
public struct SignIn: Sendable {
    /// The reason for which signing in, or signing out, failed.
    public enum Failure: ExplainedError, Hashable, Sendable {
        /// The relay at this URL did not do as asked.
        case relay(RelayTrouble, at: String)
        /// The box of this device could not be read or written.
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
        /// The long code of the latest mail is asked for. Nothing else was tried.
        case longCode
        /// The code is wrong, and can be tried so many times more.
        case wrong(triesLeft: Int)
        /// The code was mailed at this time, and the person was asked for it before.
        case continued(since: WallTime)
        /// There is no new code yet; the former one can be tried.
        case noNewCode(RelayTrouble)

        /// Whether an empty line asks for a new code.
        var offersNewCode: Bool {
            switch self {
            case .wrongLength, .longCode: false
            case .wrong, .continued, .noNewCode: true
            }
        }
    }

    private let box: MemoBox
    private let client: RelayClient
    private let memosWait: @Sendable () throws(MemoError) -> Void
    private let now: @Sendable () -> WallTime

    /// Makes a sign-in that asks nothing yet.
    ///
    /// - Parameters:
    ///   - box: The box that keeps the account.
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
    ///   - address: The person's address, to which the relay mails the code.
    ///   - relay: The relay.
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
        let token = try await token(for: address, at: relay, in: language, askCode)
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
    /// - Throws: ``/MemoKit/MemoError/noAccount`` and others, inside ``Failure/device(_:)``.
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
        in language: Language,
        _ askCode: (Complaint?) async -> String?
    ) async throws(Failure) -> String {
        var machine = SignInMachine()
        var complaint: Complaint?
        var effect: SignInMachine.Effect?

        func request(_ request: RelayRequest) async {
            let event: SignInMachine.Event
            do {
                event = .answered(try await client.exchange(request, at: relay))
            } catch {
                event = .failed(error)
            }
            effect = machine.handle(event, now: now())
        }
        func ask(after new: Complaint?) async throws(Failure) {
            complaint = new
            guard let line = await askCode(complaint) else { throw .noCode }
            let isNewWanted = line.allSatisfy(\.isWhitespace) && complaint?.offersNewCode == true
            let event: SignInMachine.Event =
                isNewWanted ? .asked(address: Array(address.utf8)) : .entered(Array(line.utf8))
            effect = machine.handle(event, now: now())
        }

        if let open = openVerification(of: address, at: relay) {
            machine.resume(open.signIn)
            try await ask(after: .continued(since: open.code.mailedAt))
        } else {
            effect = machine.handle(.asked(address: Array(address.utf8)), now: now())
        }
        while true {
            switch effect {
            case .askCode(let address):
                let tag = language.tag.bytes
                await request(.askCode(address: address, language: tag, takesCode: true))
            case .wait(let open):
                keep(open, at: relay)
                try await ask(after: open.mailed.isLong ? .longCode : nil)
            case .confirm(let open, let code):
                await request(
                    .confirm(
                        address: open.address,
                        code: code,
                        handle: open.mailed.handle,
                        device: Array(Self.deviceName.utf8)
                    )
                )
            case .signIn(_, let token):
                keep(nil, at: relay)
                return String(decoding: token, as: UTF8.self)
            case .reject(let rejection, let open):
                let complaint = try heed(rejection, of: open, at: relay)
                try await ask(after: complaint)
            case .tellDigits(let digits): try await ask(after: .wrongLength(digits))
            case .tellLongCode: try await ask(after: .longCode)
            case .complain(.tooManyRequests(let seconds), isAsking: true) where machine.open != nil:
                try await ask(after: .noNewCode(.tooManyRequests(seconds: seconds)))
            case .complain(let trouble, _): throw .relay(trouble, at: relay.text)
            case .clear, nil: try await ask(after: complaint)
            }
        }
    }

    /// Keeps, or forgets, a sign-in whose code was rejected.
    ///
    /// - Throws: ``Failure`` where the code cannot be tried any more.
    private func heed(
        _ rejection: OpenCode.Rejection,
        of open: OpenSignIn,
        at relay: RelayLocation
    ) throws(Failure) -> Complaint {
        switch rejection {
        case .wrong(let left):
            keep(open, at: relay)
            return .wrong(triesLeft: left)
        case .noTriesLeft:
            keep(nil, at: relay)
            throw .noTriesLeft
        case .expired:
            keep(nil, at: relay)
            throw .expired
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
    private func keep(_ open: OpenSignIn?, at relay: RelayLocation) {
        try? box.setOpenVerification(open.map { OpenVerification(relay: relay.text, signIn: $0) })
    }

    private func revoke(_ account: Account) async -> Bool {
        guard let relay = try? RelayLocation(account.relay) else { return false }
        let request = RelayRequest.signOut(token: Array(account.token.utf8))
        return (try? await client.exchange(request, at: relay))?.confirmsRevocation == true
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

extension OpenVerification {
    fileprivate init(relay: String, signIn: OpenSignIn) {
        self.init(
            relay: relay,
            address: String(decoding: signIn.address, as: UTF8.self),
            mailed: signIn.mailed,
            code: signIn.code
        )
    }

    fileprivate var signIn: OpenSignIn {
        OpenSignIn(address: Array(address.utf8), mailed: mailed, code: code)
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
        case .longCode: language.string(AppText.longCode)
        case .wrong(let left): language.string(.codeWrong, "\(left)")
        case .continued(let since): language.string(.codePending, Dates.local(since))
        case .noNewCode(let trouble): trouble.sentence(in: language)
        }
    }
}
