import MemoCore
import OutboxCore
import StoreCore

/// Signing in and out, and this person's devices.
final class SignIn {
    /// How long the relay is waited for when everything here is deleted already.
    private static let longestTelling: Int64 = 5000

    private let context: AppContext
    private let repository: AccountRepository
    private var isAsking = false
    /// The rejections of the code that this page has asked for, or found asked for.
    private var rejections = 0

    init(context: AppContext) {
        self.context = context
        repository = AccountRepository(host: context.host, vault: context.vault)
    }

    // MARK: Signing in

    func askCode() {
        // Over plain http nothing is asked for that could not be kept either.
        if case .closed(let failure) = context.vault.condition {
            return context.say(failure.text, tone: .error)
        }
        context.host.readValue(of: Element(.address)) { address in
            let address = trimmed(address)
            guard !address.isEmpty, !self.isAsking else { return }
            self.isAsking = true
            self.context.endComplaint()
            let language = utf8(self.context.store.state.language.tag)
            self.context.host.exchange(
                .askCode(address: address, language: language)
            ) { exchange in
                self.isAsking = false
                guard let answer = self.answer(of: exchange, at: .address) else { return }
                guard let code = answer.mailedCode else {
                    return self.complain(of: answer, at: .address)
                }
                self.rejections = 0
                self.remember(address, code)
                let asked = self.context.clock.now
                self.context.change {
                    $0.account = .codeAsked(address: address, code: code, asked: asked)
                }
                self.context.host.setValue([], of: Element(.code))
                self.context.host.focus(Element(.code))
                self.context.say(.codeSent)
            }
        }
    }

    /// Stores the sign-in so far: whoever reads the mail on this very device may come back to
    /// another page. Where that fails, this page goes on.
    private func remember(_ address: [UInt8], _ code: MailedCode) {
        // Another page may have signed in meanwhile.
        guard context.store.state.account.token == nil else { return }
        let until = context.clock.now.advanced(by: RelayLimits.codeLifetime)
        let body = JSON.object([
            ("address", .string(address)), ("digits", .number(Int64(code.digits))),
            ("handle", .string(code.handle)), ("until", .number(until.millisecondsSinceEpoch)),
        ])
        context.keep(.account, body.encoded(), .relaxed) { _ in }
    }

    /// Confirms as soon as all digits are there, typed, pasted or filled in by the browser.
    func codeTyped() {
        context.endComplaint()
        readCode { code in
            if code.count == self.mailed?.digits { self.confirm(code) }
        }
    }

    func confirm() {
        readCode { code in
            guard let digits = self.mailed?.digits, code.count == digits else {
                let digits = self.mailed?.digits ?? RelayLimits.codeLength
                let values = [decimal(Int64(digits))]
                return self.context.complain(
                    Complaint(field: .code, text: .codeInvalid, values: values)
                )
            }
            self.confirm(code)
        }
    }

    /// The code that was asked for; `nil` while none is.
    private var mailed: MailedCode? {
        if case .codeAsked(_, let code, _) = context.store.state.account { code } else { nil }
    }

    private func readCode(_ then: @escaping ([UInt8]) -> Void) {
        context.host.readValue(of: Element(.code)) { text in
            then(text.filter { (0x30...0x39).contains($0) })
        }
    }

    private func confirm(_ code: [UInt8]) {
        guard case .codeAsked(let address, let mailed, let asked) = context.store.state.account,
            !isAsking
        else { return }
        isAsking = true
        context.host.exchange(
            .confirm(
                address: address,
                code: code,
                handle: mailed.handle,
                device: context.device
            )
        ) { exchange in
            self.isAsking = false
            let answer = self.answer(of: exchange, at: .code)
            if let token = answer?.grantedToken { return self.keep(address, token) }
            let isRejected = answer?.problem?.code == .codeRejected
            self.readCode {
                // The person may have typed another one meanwhile.
                if $0 != code, $0.count == mailed.digits { return self.confirm($0) }
                guard isRejected, $0 == code else { return }
                // A rejected code that stands in the field would cost another try.
                self.context.host.setValue([], of: Element(.code))
                self.context.host.focus(Element(.code))
            }
            guard let answer else { return }
            guard isRejected else { return self.complain(of: answer, at: .code) }
            var open = OpenCode(mailedAt: asked, rejections: self.rejections)
            let rejection = open.rejected(at: self.context.clock.now)
            self.rejections = open.rejections
            self.context.complain(Complaint(field: .code, text: rejection.text))
        }
    }

    private func keep(_ address: [UInt8], _ token: [UInt8]) {
        let body = JSON.object([("address", .string(address)), ("token", .string(token))])
        context.keep(.account, body.encoded(), .strict) { failure in
            if let failure { return self.context.say(failure.text, tone: .error) }
            self.context.change { $0.account = .signedIn(address: address, token: token) }
            self.context.say(.signedIn)
            self.context.end(.account)
            self.context.end(.unsent)
            // The field that had the focus is gone.
            self.context.host.focus(Element(.settingsTitle))
            self.context.host.ring(.account)
            self.context.happened(.signedIn)
            self.readDevices()
        }
    }

    /// The stored account; `nil` for none.
    func restore(_ record: Record?, _ bytes: [UInt8]?) {
        context.change { state in
            if let account = account(bytes) {
                // This page's own question for a code stays, whatever another page has asked.
                if case .codeAsked = state.account, account.token == nil { return }
                state.account = account
            } else if case .closed(.keyMissing) = context.vault.condition {
                // Deleting everything is the only way on, and has to be offered.
                state.account = .unreadable
            } else if let record {
                state.account = AccountRepository.isRefused(record) ? .refused : .unreadable
            } else if case .codeAsked = state.account {
                // Another page has changed a setting.
            } else {
                state.account = .signedOut
            }
        }
    }

    private func account(_ bytes: [UInt8]?) -> Account? {
        guard let bytes, let json = JSON(decoding: bytes), let address = json[string: "address"]
        else { return nil }
        if let token = json[string: "token"] { return .signedIn(address: address, token: token) }
        guard let until = json[number: "until"] else { return nil }
        guard until > context.clock.now.millisecondsSinceEpoch else { return .signedOut }
        let asked = WallTime(millisecondsSinceEpoch: until - RelayLimits.codeLifetime.count)
        return .codeAsked(address: address, code: MailedCode(json), asked: asked)
    }

    /// The relay does not know this token any more: sign in again, unless somebody has done so
    /// meanwhile, here or on another page.
    func refused(_ token: [UInt8]) {
        guard context.store.state.account.token == token else {
            return context.store.state.account.token == nil ? () : context.happened(.signedIn)
        }
        repository.read { record, bytes in
            guard let record, let stored = self.account(bytes), stored.token == token
            else { return self.context.happened(.accountOutdated) }
            self.forget(stored, record)
        }
    }

    private func forget(_ account: Account, _ record: Record) {
        repository.refuse(record) { self.context.host.ring(.account) }
        guard context.store.state.account == account, case .signedIn(let address, _) = account
        else {
            return
        }
        context.change { $0.account = .refused }
        context.host.setValue(address, of: Element(.address))
        context.say(.tokenRevoked, tone: .warning, action: .signIn, about: .account)
    }

    // MARK: Signing out

    /// Asks first: everything on this device is deleted.
    func askToSignOut() {
        QueueRepository(host: context.host, vault: context.vault).count { unsent in
            self.context.change { $0.dialog = .wipe(unsent: unsent) }
        }
    }

    /// Deletes everything, then has the relay forget this device, whether or not it answers.
    func signOut() {
        guard !context.isLeaving else { return }
        context.isLeaving = true
        let token = context.store.state.account.token
        repository.wipe { isDone in
            guard isDone else {
                self.context.isLeaving = false
                self.context.change { $0.dialog = nil }
                self.context.say(.settingsNotSaved, tone: .error)
                return self.context.happened(.signedIn)
            }
            // The key is gone from the database: nothing may be sealed with the host's copy of it.
            self.context.vault.close(.failed)
            self.context.host.setValue([], of: .memo)
            self.context.host.ring(.restart)
            guard let token else { return self.leave(isTold: true) }
            self.context.host.setTimer(.leave, Self.longestTelling)
            self.context.host.exchange(.signOut(token: token)) { exchange in
                guard case .answered(let answer) = exchange else {
                    return self.leave(isTold: false)
                }
                self.leave(isTold: answer.confirmsRevocation)
            }
        }
    }

    func leave(isTold: Bool) {
        context.host.navigate(
            to: isTold ? utf8("/") : utf8("/?signed-out=untold"),
            replacing: true
        )
        context.host.reload()
    }

    // MARK: Devices

    func readDevices() {
        guard let token = context.store.state.account.token else {
            return context.change { $0.devices = [] }
        }
        context.host.exchange(.devices(token: token)) { exchange in
            guard case .answered(let answer) = exchange,
                let list = answer.success?["devices"]?.array
            else { return }
            let devices = list.compactMap { device -> Device? in
                guard let name = device[string: "name"] else { return nil }
                return Device(
                    id: device[string: "id"] ?? [],
                    name: name,
                    createdAt: device[number: "createdAt"] ?? 0,
                    usedAt: device[number: "usedAt"],
                    isCurrent: device[bool: "current"] ?? false
                )
            }
            self.context.change { $0.devices = devices }
        }
    }

    /// Has the relay forget another device.
    func revoke(_ device: Device) {
        context.change { $0.dialog = nil }
        guard let token = context.store.state.account.token else { return }
        context.host.exchange(.revoke(device.id, token: token)) { exchange in
            guard let answer = self.answer(of: exchange, at: .none) else { return }
            guard answer.status == 204 || answer.problem?.code == .notFound else {
                return self.complain(of: answer, at: .none)
            }
            self.context.say(.deviceSignedOut)
            self.context.host.focus(Element(.settingsTitle))
            self.readDevices()
        }
    }

    /// The answer; `nil` after a complaint of the failure.
    private func answer(of exchange: Exchange, at field: Name) -> RelayAnswer? {
        switch exchange {
        case .answered(let answer): return answer
        case .failed(let failure):
            complain(of: RelayTrouble(failure), at: field)
            return nil
        }
    }

    private func complain(of answer: RelayAnswer, at field: Name) {
        complain(of: RelayTrouble(answer, now: context.clock.now), at: field)
    }

    /// - Parameter field: The field beside which to say it; ``Name/none`` for a notice.
    private func complain(of trouble: RelayTrouble, at field: Name) {
        guard field != .none else {
            return context.say(
                Notice(text: trouble.text, values: trouble.values, tone: .error)
            )
        }
        var complaint = Complaint(field: field, text: trouble.text, values: trouble.values)
        if case .tooManyRequests(let seconds) = trouble { complaint.seconds = seconds }
        context.complain(complaint)
    }

    /// Another second of a wait is over.
    func waited() {
        guard var complaint = context.store.state.complaint, let seconds = complaint.seconds else {
            return
        }
        guard seconds > 1 else { return context.endComplaint() }
        complaint.seconds = seconds - 1
        complaint.values = [decimal(seconds - 1)]
        context.complain(complaint)
    }
}

/// Without spaces at both ends.
func trimmed(_ text: [UInt8]) -> [UInt8] {
    var text = text[...]
    while text.first == 0x20 { text.removeFirst() }
    while text.last == 0x20 { text.removeLast() }
    return Array(text)
}

extension OpenCode.Rejection {
    /// The sentence that a person reads.
    fileprivate var text: AppText {
        switch self {
        case .wrong: .codeRejected
        case .noTriesLeft: .codeSpent
        case .expired: .codeExpired
        }
    }
}
