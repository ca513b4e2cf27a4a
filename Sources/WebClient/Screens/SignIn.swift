import MemoCore
import MemoSyncCore
import MemoTexts
import OutboxCore
import StoreCore
import SyncCore
import WireCore

/// Signing in and out, and this person's devices.
final class SignIn {
    /// How long the relay is waited for when everything here is deleted already.
    private static let longestTelling: Int64 = 5000

    private let context: AppContext
    private let repository: AccountRepository
    private let shared: SharedRecords
    private var machine = SignInMachine()
    /// The devices as the relay listed them last.
    private var listed: [Device] = []

    init(context: AppContext, shared: SharedRecords) {
        self.context = context
        self.shared = shared
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
            if address.isEmpty { return }
            let keptFor = self.context.store.state.keptFor ?? address
            // What is kept for one account is not another's: first it has to be given up.
            guard small(keptFor) == small(address) else { return self.askToSignOut() }
            self.tell(.asked(address: keptFor))
        }
    }

    /// Confirms as soon as all digits are there, typed, pasted or filled in by the browser.
    func codeTyped() {
        context.endComplaint()
        readCode { .typed($0) }
    }

    func confirm() {
        readCode { .entered($0) }
    }

    private func readCode(_ event: @escaping ([UInt8]) -> SignInMachine.Event) {
        context.host.readValue(of: Element(.code)) { self.tell(event($0)) }
    }

    private func tell(_ event: SignInMachine.Event) {
        guard let effect = machine.handle(event, now: context.clock.now) else { return }
        switch effect {
        case .askCode(let address):
            context.endComplaint()
            let language = utf8(context.store.state.language.tag)
            exchange(.askCode(address: address, language: language, takesCode: true)) {}
        case .wait(let open):
            remember(open) { self.showCode(of: open) }
        case .confirm(let open, let code):
            let request = RelayRequest.confirm(
                address: open.address,
                code: code,
                handle: open.mailed.handle,
                device: context.device
            )
            // The person may have typed another one meanwhile.
            exchange(request) { self.readCode { .held($0) } }
        case .signIn(let address, let token): keep(address, token)
        case .reject(let rejection, let open):
            remember(open) {}
            context.complain(Complaint(field: .code, text: rejection.text))
        case .tellDigits(let digits):
            let values = [decimal(Int64(digits))]
            context.complain(Complaint(field: .code, text: .codeInvalid, values: values))
        case .tellLongCode: context.complain(Complaint(field: .code, text: .longCode))
        case .complain(let trouble, let isAsking):
            complain(of: trouble, at: isAsking ? .address : .code)
        case .clear: clearCode()
        }
    }

    /// Shows the field for the code, unless another page has signed in meanwhile.
    private func showCode(of open: OpenSignIn) {
        guard context.store.state.account.token == nil else { return }
        let isLong = open.mailed.isLong
        context.change { $0.account = .codeAsked(address: open.address, isLong: isLong) }
        clearCode()
        context.say(isLong ? .longCode : .codeSent)
    }

    private func exchange(_ request: RelayRequest, _ then: @escaping () -> Void) {
        context.host.exchange(request) { exchange in
            switch exchange {
            case .answered(let answer): self.tell(.answered(answer))
            case .failed(let failure): self.tell(.failed(failure))
            }
            then()
        }
    }

    private func clearCode() {
        context.host.setValue([], of: Element(.code))
        context.host.focus(Element(.code))
    }

    /// Stores the sign-in so far: whoever reads the mail on this very device may come back to
    /// another page. Where that fails, this page goes on.
    ///
    /// - Parameter then: Called when the sign-in is stored, or could not be: a page that shows the field
    ///   for the code may be left at once.
    private func remember(_ open: OpenSignIn, _ then: @escaping () -> Void) {
        // Another page may have signed in meanwhile.
        guard context.store.state.account.token == nil else { return then() }
        let until = open.code.mailedAt.advanced(by: RelayLimits.codeLifetime)
        let body = JSON.object([
            ("address", .string(open.address)), ("digits", .number(Int64(open.mailed.digits))),
            ("handle", .string(open.mailed.handle)),
            ("kept", .bool(context.store.state.keptFor != nil)),
            ("longCode", .bool(open.mailed.isLong)),
            ("rejections", .number(Int64(open.code.rejections))),
            ("until", .number(until.millisecondsSinceEpoch)),
        ])
        context.keep(.account, body.encoded(), .relaxed) { _ in then() }
    }

    private func keep(_ address: [UInt8], _ token: [UInt8]) {
        let body = JSON.object([("address", .string(address)), ("token", .string(token))])
        context.keep(.account, body.encoded(), .strict) { failure in
            if let failure { return self.context.say(failure.text, tone: .error) }
            self.context.change {
                $0.account = .signedIn(address: address, token: token)
                $0.keptFor = nil
            }
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
        let stored = account(bytes)
        context.change { state in
            state.keptFor = stored?.keptFor
            if let stored {
                if let open = stored.open {
                    // This page's own question for a code stays, whatever another page has asked.
                    if case .codeAsked = state.account { return }
                    machine.resume(open)
                }
                state.account = stored.account
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

    /// A stored account, with the sign-in that it may be instead.
    private func account(
        _ bytes: [UInt8]?
    ) -> (account: Account, open: OpenSignIn?, keptFor: [UInt8]?)? {
        guard let bytes, let json = JSON(decoding: bytes), let address = json[string: "address"]
        else { return nil }
        if let token = json[string: "token"] {
            return (.signedIn(address: address, token: token), nil, nil)
        }
        guard let until = json[number: "until"] else { return nil }
        let keptFor = json[bool: "kept"] ?? false ? address : nil
        guard until > context.clock.now.millisecondsSinceEpoch else {
            return (.signedOut, nil, keptFor)
        }
        let code = OpenCode(
            mailedAt: WallTime(millisecondsSinceEpoch: until - RelayLimits.codeLifetime.count),
            rejections: Int(truncatingIfNeeded: json[number: "rejections"] ?? 0)
        )
        let open = OpenSignIn(address: address, mailed: MailedCode(json), code: code)
        return (.codeAsked(address: address, isLong: open.mailed.isLong), open, keptFor)
    }

    /// The relay does not know this token any more: sign in again, unless somebody has done so
    /// meanwhile, here or on another page.
    func refused(_ token: [UInt8]) {
        guard context.store.state.account.token == token else {
            return context.store.state.account.token == nil ? () : context.happened(.signedIn)
        }
        repository.read { record, bytes in
            guard let record, let stored = self.account(bytes)?.account, stored.token == token
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

    /// Asks first: everything on this device is deleted, or kept where something is pending.
    func askToSignOut() {
        shared.read {
            QueueRepository(host: self.context.host, vault: self.context.vault).countUnsent {
                unsent in
                let changes = self.shared.machine?.pendingCount ?? 0
                self.context.change { $0.dialog = .wipe(unsent: unsent, changes: changes) }
            }
        }
    }

    /// Forgets the token, here and at the relay, and keeps everything else, sealed, for the next sign-in to
    /// the same account.
    func signOutKeeping() {
        guard case .signedIn(let address, let token) = context.store.state.account else { return }
        context.change { $0.dialog = nil }
        let body = JSON.object([
            ("address", .string(address)), ("kept", .bool(true)), ("until", .number(0)),
        ])
        context.keep(.account, body.encoded(), .strict) { failure in
            if let failure { return self.context.say(failure.text, tone: .error) }
            self.context.change {
                $0.account = .signedOut
                $0.keptFor = address
            }
            self.context.host.focus(Element(.settingsTitle))
            self.context.host.ring(.account)
            self.readDevices()
            self.context.host.exchange(.signOut(token: token)) { exchange in
                guard case .answered(let answer) = exchange, answer.confirmsRevocation else {
                    return self.context.say(.signOutKeptUntold, tone: .warning)
                }
                self.context.say(.signOutKept)
            }
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
            self.context.host.notify(of: [], new: [], in: self.context.store.state.language) { _ in
            }
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
            listed = []
            return showDevices()
        }
        context.host.exchange(.devices(token: token)) { exchange in
            guard case .answered(let answer) = exchange else { return }
            if answer.refusesToken { self.context.happened(.tokenRefused(token)) }
            guard let list = answer.success?["devices"]?.array else { return }
            self.listed = list.compactMap { device -> Device? in
                guard let name = device[string: "name"] else { return nil }
                return Device(
                    id: device[string: "id"] ?? [],
                    name: name,
                    createdAt: device[number: "createdAt"] ?? 0,
                    usedAt: device[number: "usedAt"],
                    isCurrent: device[bool: "current"] ?? false
                )
            }
            self.showDevices()
        }
    }

    /// Shows the listed devices but for those that are signed out, here or elsewhere.
    func showDevices() {
        let devices = listed.filter { device in
            let record = shared.machine?.record(.device(device.id))
            return record == nil || record?.fields != nil
        }
        guard devices != context.store.state.devices else { return }
        context.change { $0.devices = devices }
    }

    /// Signs another device out: at once here, and at the relay with the next round.
    func revoke(_ device: Device) {
        context.change { $0.dialog = nil }
        let now = context.clock.now
        shared.handle(.strict) { machine throws(SyncEditError) in
            try machine.delete(.device(device.id), now: now)
        } _: { outcome in
            switch outcome {
            case .done:
                self.context.host.focus(Element(.settingsTitle))
                self.context.happened(.sharedEdited)
            // The account's records are not here yet.
            case .refused: self.revokeAtOnce(device)
            case .failed(let failure): self.context.say(failure.text, tone: .error)
            }
        }
    }

    private func revokeAtOnce(_ device: Device) {
        guard let token = context.store.state.account.token else { return }
        context.host.exchange(.revoke(device.id, token: token)) { exchange in
            switch exchange {
            case .failed(let failure): return self.say(RelayTrouble(failure))
            case .answered(let answer):
                guard answer.status == 204 || answer.problem?.code == .notFound else {
                    return self.say(RelayTrouble(answer, now: self.context.clock.now))
                }
            }
            self.context.say(.deviceSignedOut)
            self.context.host.focus(Element(.settingsTitle))
            self.readDevices()
        }
    }

    private func say(_ trouble: RelayTrouble) {
        context.say(Notice(text: trouble.text, values: trouble.values, tone: .error))
    }

    private func complain(of trouble: RelayTrouble, at field: Name) {
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

/// With small letters of ASCII in place of capital ones.
private func small(_ address: [UInt8]) -> [UInt8] {
    address.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }
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
