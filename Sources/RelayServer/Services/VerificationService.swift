import OutboxCore
import RelayAPI

/// Proves that a person reads an inbox, and grants their device a token.
struct VerificationService<Store: RelayStore>: Sendable {
    let store: Store
    let secret: RelaySecret
    let renderer: MailRenderer
    let rules: VerificationRules
    let clock: WallClock

    /// Mails a new code, which replaces an earlier code.
    ///
    /// - Parameter source: The name of the network that the request comes from.
    /// - Throws: ``Refusal``, for the same reasons whether or not the address has an account.
    func request(_ request: VerificationRequest, source: String) async throws {
        guard let address = MailAddress(request.address) else { throw Refusal.invalidAddress }
        let now = clock()
        let code = VerificationCode.random()
        let start = NewVerification(
            address: limitKey(of: address),
            source: secret.authenticationCode(.source, Array(source.utf8)),
            code: authenticationCode(of: code, for: address),
            now: now,
            mail: mail(with: code, in: request.language, to: address, date: now)
        )
        if let wait = try await store.startVerification(start, rules: rules) {
            throw Refusal.tooManyRequests(retryAfter: wait)
        }
    }

    /// Trades a code for a token, once.
    ///
    /// - Throws: ``Refusal/codeRejected`` for a code that is wrong, expired, used, or tried too
    ///   often.
    func confirm(_ request: ConfirmationRequest) async throws -> TokenGrant {
        guard let address = MailAddress(request.address) else { throw Refusal.invalidAddress }
        guard let code = VerificationCode(request.code) else { throw Refusal.codeRejected }
        let token = DeviceToken.random()
        let confirmation = Confirmation(
            limitKey: limitKey(of: address),
            code: authenticationCode(of: code, for: address),
            addressKey: secret.authenticationCode(.address, Array(address.text.utf8)),
            address: address,
            tokenHash: token.hash,
            deviceName: Self.deviceName(request.device),
            now: clock()
        )
        guard try await store.confirm(confirmation, rules: rules) else {
            throw Refusal.codeRejected
        }
        return TokenGrant(token: token.text)
    }

    /// The same key for all spellings of an address, so that upper and lower case do not circumvent
    /// a limit.
    private func limitKey(of address: MailAddress) -> [UInt8] {
        secret.authenticationCode(.addressLimit, Array(address.text.lowercased().utf8))
    }

    private func authenticationCode(
        of code: VerificationCode,
        for address: MailAddress
    ) -> [UInt8] {
        secret.authenticationCode(.code, Array(address.text.utf8), Array(code.digits.utf8))
    }

    private func mail(
        with code: VerificationCode,
        in language: String?,
        to address: MailAddress,
        date: WallTime
    ) -> QueuedMail {
        let words = VerificationMail(
            code: code,
            minutes: rules.codeLifetime.count / 60_000,
            language: language
        )
        return renderer.render(
            MailRenderer.Content(
                to: address,
                replyTo: nil,
                subject: MailSubject(asked: words.subject, memo: ""),
                text: words.text,
                token: hexadecimal([UInt8].random(count: 20)),
                date: date
            )
        )
    }

    /// One line of bounded length, cut between characters.
    private static func deviceName(_ name: String) -> String {
        var kept = ""
        for character in name
        where !character.unicodeScalars.contains(where: {
            $0.properties.generalCategory == .control
        }) {
            guard kept.utf8.count + character.utf8.count <= RelayLimits.deviceNameLength else {
                break
            }
            kept.append(character)
        }
        return kept
    }
}
