public import MemoCore
public import MemoKit
public import MemoTexts
import Outbox
import OutboxCore
import WireCore

/// Erases the account of the person who is signed in, at the relay: with a code that the relay mails to the
/// account's address, so that a lost device alone erases nothing.
public struct AccountErasure: Sendable {
    private let box: MemoBox
    private let client: RelayClient
    /// The account that is erased.
    public let account: Account

    /// - Throws: ``/MemoKit/MemoError/noAccount`` where nobody is signed in, and others.
    public init(box: MemoBox, client: RelayClient) throws(MemoError) {
        guard let account = try box.account() else { throw .noAccount }
        self.box = box
        self.client = client
        self.account = account
    }

    /// Has the relay mail a code, asks for it, and erases the account. A wrong code is asked for again as
    /// often as the relay takes one.
    ///
    /// Afterwards nobody is signed in on this device; what is stored on it stays.
    ///
    /// - Parameters:
    ///   - language: The language of the mail.
    ///   - askCode: Asks the person for the code. Called first with `nil`, then with the trouble with the
    ///     former one. `nil` gives up: nothing is erased.
    /// - Returns: Whether the account is erased.
    /// - Throws: ``SignIn/Failure``. Unless only the answer was lost, the account is as it was.
    public func erase(
        in language: Language,
        askCode: (RelayTrouble?) async -> String?
    ) async throws(SignIn.Failure) -> Bool {
        let request = try await mailCode(in: language)
        var trouble: RelayTrouble?
        for _ in 0..<RelayLimits.codeTries {
            guard let line = await askCode(trouble) else { return false }
            trouble = try await erase(request, code: line)
            if trouble == nil { return true }
        }
        throw .noTriesLeft
    }

    /// The relay's name of a code that it has mailed, which only this device can use.
    public struct Request: Hashable, Sendable {
        fileprivate let handle: [UInt8]
    }

    /// Has the relay mail a code, for a face whose person takes time to read the mail: ``erase(_:code:)`` then
    /// takes the code, of another object too.
    ///
    /// - Parameter language: The language of the mail.
    /// - Throws: ``SignIn/Failure``.
    public func mailCode(in language: Language) async throws(SignIn.Failure) -> Request {
        let mailed = try await ask(
            .askCode(address: Array(account.address.utf8), language: language.tag.bytes)
        ).mailedCode
        guard let mailed else { throw .relay(.notARelay, at: account.relay) }
        return Request(handle: mailed.handle)
    }

    /// Erases the account. Afterwards nobody is signed in on this device; what is stored on it stays.
    ///
    /// - Parameters:
    ///   - request: The request for the code.
    ///   - code: The code as the person typed it.
    /// - Returns: `nil` when the account is erased; the trouble with a wrong code.
    /// - Throws: ``SignIn/Failure``. Unless only the answer was lost, the account is as it was.
    public func erase(
        _ request: Request,
        code: String
    ) async throws(SignIn.Failure) -> RelayTrouble? {
        let code = Array(code.utf8.filter { $0 != 0x20 && $0 != 0x2D })
        let answer = try await ask(
            .eraseAccount(code: code, handle: request.handle, token: Array(account.token.utf8))
        )
        if answer.status == 204 {
            try forgetAccount()
            return nil
        }
        if answer.refusesToken { throw .device(.signedOutElsewhere) }
        let trouble = RelayTrouble(answer, now: OutboxClock.system.wallTime())
        guard trouble == .codeRejected else { throw .relay(trouble, at: account.relay) }
        return trouble
    }

    private func forgetAccount() throws(SignIn.Failure) {
        do {
            try box.removeAccount()
        } catch {
            throw .device(error)
        }
    }

    private func ask(_ request: RelayRequest) async throws(SignIn.Failure) -> RelayAnswer {
        do {
            let relay = try RelayLocation(account.relay)
            return try await client.exchange(request, at: relay)
        } catch let failure as RelayFailure {
            throw .relay(RelayTrouble(failure), at: account.relay)
        } catch {
            throw .device(.accountDamaged)
        }
    }
}
