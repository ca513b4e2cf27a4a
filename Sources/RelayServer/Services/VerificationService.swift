import MemoCore
import MemoTexts
import OutboxCore
import RelayAPI
import RelayRules

/// Proves that a person reads an inbox, and grants their device a token.
struct VerificationService<Store: RelayStore>: Sendable {
    let store: Store
    let secret: RelaySecret
    let renderer: MailRenderer
    let rules: VerificationRules
    /// The URL of the page on which a device is signed out; `nil` where the relay knows none.
    let publicURL: PublicURL?
    let reserve: DiskReserve
    let metrics: RelayMetrics
    let clock: WallClock

    /// Mails a new code, which only the returned handle makes it possible to try, and a long code,
    /// which needs no handle. Where a limit of the mailbox, or of a day, is used up, the answer speaks of
    /// a long code: one is there if the mailbox has had a mail within a day.
    ///
    /// Where a proxy vouches for the address and the client takes a code, the answer has a ``Voucher``, and
    /// nothing is mailed, counted or stored.
    ///
    /// - Parameters:
    ///   - source: The name of the network that the request comes from.
    ///   - vouched: The address that a proxy vouches for; `nil` for none.
    /// - Throws: ``Refusal``, for the same reasons whether or not the address has an account.
    func request(
        _ request: VerificationRequest,
        source: String,
        vouched: MailAddress?
    ) async throws -> VerificationAcceptance {
        guard let address = MailAddress(request.address) else { throw Refusal.invalidAddress }
        guard reserve.hasRoom() else { throw Refusal.diskReserved }
        let now = clock()
        let language = Language(asked: request.language)
        let handle = String.randomBase64URL(bytes: 24)
        if request.takesCode == true, vouched?.identity == address.identity {
            return VerificationAcceptance(
                digits: RelayLimits.codeLength,
                handle: handle,
                code: Voucher(for: address, in: language, at: now).text(secret)
            )
        }
        let new = NewVerification(
            handle: hash(ofHandle: handle),
            addressKey: secret.key(of: address),
            subjects: subjects(of: address, source: source),
            maySignUp: rules.signUp.admits(address),
            language: language,
            now: now
        ) { digits, known in
            let code = digits.map { VerificationCode.random(digits: $0) }
            let long = LongCode.random()
            return CodeLetter(
                code: code.map { authenticationCode(of: $0, for: address) },
                longCode: authenticationCode(ofLongCode: long, for: address),
                mail: mail(with: code, long, in: language, to: known ?? address, date: now)
            )
        }
        switch try await store.startVerification(new, rules: rules) {
        case .send(let digits): return VerificationAcceptance(digits: digits, handle: handle)
        case .sendLongCode: return acceptance(ofLongCodeUnder: handle)
        case .helpOwner(let limits), .hold(let limits):
            for limit in limits { metrics.limited(limit.rawValue) }
            return acceptance(ofLongCodeUnder: handle)
        case .wait(let wait, let limits):
            throw Refusal.tooManyRequests(retryAfter: wait, limits: limits)
        }
    }

    private func acceptance(ofLongCodeUnder handle: String) -> VerificationAcceptance {
        VerificationAcceptance(digits: RelayLimits.codeLength, handle: handle, longCode: true)
    }

    /// Trades a code for a token, once.
    ///
    /// - Parameters:
    ///   - source: The name of the network that the request comes from.
    ///   - vouched: The address that a proxy vouches for; `nil` for none.
    /// - Throws: ``Refusal/codeRejected`` for a code that is wrong, expired, used, or tried too
    ///   often, and for a handle that is not the code's; ``Refusal/handleMissing``;
    ///   ``Refusal/tooManySignIns(retryAfter:)``.
    // Swift 6.3.1 crashes in a release build when this is inlined.
    @inline(never)
    func confirm(
        _ request: ConfirmationRequest,
        source: String,
        vouched: MailAddress?
    ) async throws -> TokenGrant {
        let token = DeviceToken.random()
        let confirmation = try confirmation(
            of: request,
            source: source,
            vouched: vouched,
            for: token
        )
        switch try await store.confirm(confirmation, rules: rules) {
        case .granted: return TokenGrant(token: token.text)
        case .refused: throw Refusal.codeRejected
        case .wait(let wait): throw Refusal.tooManySignIns(retryAfter: wait)
        }
    }

    private func confirmation(
        of request: ConfirmationRequest,
        source: String,
        vouched: MailAddress?,
        for token: DeviceToken
    ) throws -> Confirmation {
        guard let address = MailAddress(request.address) else { throw Refusal.invalidAddress }
        let now = clock()
        let isVouched = vouched?.identity == address.identity
        let voucher = isVouched ? Voucher(request.code, for: address, secret, at: now) : nil
        let code =
            if let voucher {
                EnteredCode.vouched(
                    pair: secret.pair(of: MailboxName(address), source: source),
                    language: voucher.language
                )
            } else {
                try code(request.code, under: request.handle, for: address, source: source)
            }
        let name = Self.deviceName(request.device)
        return Confirmation(
            code: code,
            addressKey: secret.key(of: address),
            address: address,
            mailbox: secret.mailbox(of: address),
            tokenHash: token.hash,
            deviceName: name,
            now: now
        ) { new in
            announcement(of: new, named: name, date: now)
        }
    }

    /// The code that a person entered, as the store knows it.
    func code(
        _ text: String,
        under handle: String?,
        for address: MailAddress,
        source: String
    ) throws -> EnteredCode {
        if let long = LongCode.read(Array(text.utf8)) {
            return .long(
                authenticationCode(ofLongCode: long, for: address),
                pair: secret.pair(of: MailboxName(address), source: source)
            )
        }
        guard let handle else { throw Refusal.handleMissing }
        guard let code = VerificationCode(text) else { throw Refusal.codeRejected }
        return .digits(authenticationCode(of: code, for: address), handle: hash(ofHandle: handle))
    }

    private func hash(ofHandle handle: String) -> [UInt8] {
        secret.authenticationCode(.handle, Array(handle.utf8))
    }

    /// The keys under which a request is counted. All spellings of a mailbox are one (``MailboxName``).
    private func subjects(of address: MailAddress, source: String) -> [CodeSubject: [UInt8]] {
        let mailbox = MailboxName(address)
        let name = Array(mailbox.text.utf8)
        let network = Array(source.utf8)
        let block = Array(NetworkName.block(of: source).utf8)
        return [
            .pair: secret.pair(of: mailbox, source: source),
            .blockPair: secret.authenticationCode(.blockPair, name, block),
            .block: secret.authenticationCode(.block, block),
            .address: secret.authenticationCode(.addressLimit, name),
            .network: secret.authenticationCode(.source, network),
            .site: secret.authenticationCode(.site, Array(NetworkName.site(of: source).utf8)),
            .domain: secret.authenticationCode(.domain, Array(mailbox.domain.utf8)),
            .service: secret.authenticationCode(.service),
        ]
    }

    private func authenticationCode(
        of code: VerificationCode,
        for address: MailAddress
    ) -> [UInt8] {
        secret.authenticationCode(.code, Array(address.identity.utf8), Array(code.digits.utf8))
    }

    private func authenticationCode(
        ofLongCode code: [UInt8],
        for address: MailAddress
    ) -> [UInt8] {
        secret.authenticationCode(.longCode, Array(address.identity.utf8), code)
    }

    private func mail(
        with code: VerificationCode?,
        _ longCode: [UInt8],
        in language: Language,
        to address: MailAddress,
        date: WallTime
    ) -> QueuedMail {
        let words = VerificationMail(
            code: code,
            longCode: longCode,
            rules: rules,
            language: language
        )
        return mail(subject: words.subject, words.text, to: address, date: date)
    }

    private func announcement(
        of device: NewDevice,
        named name: String,
        date: WallTime
    ) -> QueuedMail {
        let right = RevocationRight(
            to: device,
            expiresAt: date.advanced(by: RevocationRight.lifetime)
        )
        let words = DeviceMail(
            device: name,
            time: date,
            link: publicURL.map { "\($0.text)\(RelayPath.revocation)/\(right.text(secret))" },
            language: device.language
        )
        return mail(subject: words.subject, words.text, to: device.address, date: date)
    }

    private func mail(
        subject: String,
        _ text: String,
        to address: MailAddress,
        date: WallTime
    ) -> QueuedMail {
        renderer.render(
            MailRenderer.Content(
                to: address,
                replyTo: nil,
                subject: MailSubject(asked: subject, memo: ""),
                text: text,
                token: hexadecimal([UInt8].random(count: 20)),
                date: date
            )
        )
    }

    /// One line of bounded length, cut between characters.
    private static func deviceName(_ name: String) -> String {
        var kept = ""
        for character in name
        where !character.unicodeScalars.contains(where: \.reordersOrBreaks) {
            guard kept.utf8.count + character.utf8.count <= RelayLimits.deviceNameLength else {
                break
            }
            kept.append(character)
        }
        return kept
    }
}

extension Unicode.Scalar {
    /// Whether a name with this scalar could have a second line, or be read in another order than its
    /// characters have: a control, a separator of lines or paragraphs, a mark, embedding, override or
    /// isolate of the bidirectional algorithm
    /// ([UAX #9, section 2](https://www.unicode.org/reports/tr9/#Directional_Formatting_Characters)).
    fileprivate var reordersOrBreaks: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: properties.isBidiControl
        }
    }
}
