import LibC
public import MemoCore
public import MemoKit
import Outbox
import OutboxCore
import RelayAPI

/// Signs this device in and out: asks the relay, and keeps the answer.
public struct SignIn: Sendable {
    /// Why nobody was signed in.
    public enum Failure: ExplainedError, Hashable, Sendable {
        case relay(TokenClient.Failure)
        case device(MemoError)
        /// No code was given.
        case noCode
    }

    /// Why a code was not right.
    public enum Complaint: Hashable, Sendable {
        /// It has not six digits. The relay was not asked.
        case notSixDigits
        /// The relay says that it is wrong, expired or used up.
        case rejected
    }

    /// The relay burns a code after so many wrong tries.
    public static let maximumTries = 5

    private let box: MemoBox
    private let client: RelayClient

    public init(box: MemoBox, client: RelayClient = RelayClient()) {
        self.box = box
        self.client = client
    }

    /// Has a code mailed to `address`, asks for it, and keeps the token that it is traded for.
    ///
    /// Memos that were parked because nobody was signed in are queued again, and an agent is called.
    ///
    /// - Parameters:
    ///   - language: The language of the mail.
    ///   - askCode: Called with the reason why the code before was not right, first with `nil`.
    ///     Answers `nil` to give up.
    /// - Throws: ``Failure``. Whoever was signed in before still is.
    public func signIn(
        _ address: String,
        at relay: RelayLocation,
        in language: Language,
        askCode: (Complaint?) async -> String?
    ) async throws(Failure) {
        let tokens = TokenClient(relay: relay, client: client)
        do {
            try await tokens.requestCode(for: address, in: language)
        } catch {
            throw .relay(error)
        }
        let token = try await confirm(address, tokens, askCode)
        let account = Account(relay: relay.text, address: address, token: token)
        let former = try? box.account()
        do {
            try box.setAccount(account)
        } catch {
            // A token that nobody has is of use to nobody.
            _ = await revoke(account)
            throw .device(error)
        }
        if let former { _ = await revoke(former) }
        do {
            try resume()
        } catch {
            throw .device(error)
        }
    }

    /// Has the relay revoke this device's token, and forgets the account. History stays.
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
        _ address: String,
        _ tokens: TokenClient,
        _ askCode: (Complaint?) async -> String?
    ) async throws(Failure) -> String {
        var complaint: Complaint?
        var tries = 0
        while true {
            guard let line = await askCode(complaint) else { throw .noCode }
            let code = String(line.filter { !$0.isWhitespace && $0 != "-" })
            guard code.utf8.count == RelayLimits.codeLength,
                code.utf8.allSatisfy({ (0x30...0x39).contains($0) })
            else {
                complaint = .notSixDigits
                continue
            }
            do {
                return try await tokens.confirm(code, for: address, device: Self.deviceName)
            } catch {
                tries += 1
                guard error == .codeRejected, tries < Self.maximumTries else {
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
        do {
            try box.outbox.retryParked(reason: .unauthorized)
        } catch {
            throw MemoError(error, folder: box.folder)
        }
        if try box.outboxState().pending > 0 { try box.summonAgent() }
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
        case .notSixDigits: language.string(.codeInvalid)
        case .rejected: language.string(CommandText.codeRejected)
        }
    }
}
