import LibC
public import MemoCore
public import MemoKit
import Outbox
import OutboxCore

/// Signs this device in and out: asks the relay, and keeps the answer.
public struct SignIn: Sendable {
    /// The reason for which signing in, or signing out, failed.
    public enum Failure: ExplainedError, Hashable, Sendable {
        case relay(RelayTrouble)
        case device(MemoError)
        /// The person gave no code.
        case noCode
    }

    /// The reason for which a code is asked for again.
    public enum Complaint: Hashable, Sendable {
        /// The code has not this number of digits. The relay was not asked.
        case wrongLength(Int)
        /// The relay says that the code is wrong, expired or used up.
        case rejected
    }

    private let box: MemoBox
    private let client: RelayClient

    public init(box: MemoBox, client: RelayClient = RelayClient()) {
        self.box = box
        self.client = client
    }

    /// Has the relay mail a code to `address`, asks for the code, trades it for a token, and stores
    /// the token.
    ///
    /// Queues the memos again that were parked because nobody was signed in, and calls an agent.
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
        let mailed: MailedCode
        do {
            mailed = try await tokens.requestCode(for: address, in: language)
        } catch {
            throw .relay(error)
        }
        let token = try await confirm(mailed, address, tokens, askCode)
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

    private func confirm(
        _ mailed: MailedCode,
        _ address: String,
        _ tokens: TokenClient,
        _ askCode: (Complaint?) async -> String?
    ) async throws(Failure) -> String {
        var complaint: Complaint?
        var tries = 0
        while true {
            guard let line = await askCode(complaint) else { throw .noCode }
            let code = String(line.filter { !$0.isWhitespace && $0 != "-" })
            guard code.utf8.count == mailed.digits,
                code.utf8.allSatisfy({ (0x30...0x39).contains($0) })
            else {
                complaint = .wrongLength(mailed.digits)
                continue
            }
            do {
                return try await tokens.confirm(
                    code,
                    for: address,
                    handle: mailed.handle,
                    device: Self.deviceName
                )
            } catch {
                tries += 1
                guard error == .codeRejected, tries < RelayLimits.codeTries else {
                    throw .relay(error)
                }
                complaint = .rejected
            }
        }
    }

    private func revoke(_ account: Account) async -> Bool {
        guard let relay = try? RelayLocation(account.relay) else { return false }
        return (try? await TokenClient(relay: relay, client: client).revoke(account.token)) != nil
    }

    private func resume() throws(MemoError) {
        try box.retryUnauthorized()
        if try box.outboxState().queued > 0 { try box.summonAgent() }
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
        case .relay(let error): error.sentence(in: language)
        case .device(let error): error.sentence(in: language)
        case .noCode: language.string(.noCode)
        }
    }

    public var exitStatus: ExitStatus {
        switch self {
        case .relay(let error): error.exitStatus
        case .device(let error): error.exitStatus
        case .noCode: .badInput
        }
    }
}

extension SignIn.Complaint {
    func sentence(in language: Language) -> String {
        switch self {
        case .wrongLength(let digits):
            String(
                decoding: language.text(AppText.codeInvalid).filled(with: [decimal(Int64(digits))]),
                as: UTF8.self
            )
        case .rejected: language.string(AppText.codeRejected)
        }
    }
}
