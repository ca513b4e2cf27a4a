import MemoCore
import OutboxCore
import StoreCore

/// Signing in and out, and this person's devices.
final class SignIn {
    private static let digits = 6
    /// How long the relay is waited for when everything here is deleted already.
    private static let longestTelling: Int64 = 5000
    /// The head of an account that the relay has refused: as if there were none.
    private static let refusedHead: [UInt8] = [0]

    private let context: AppContext
    private var isAsking = false
    /// Everything on this device is being deleted: nothing is to be attempted any more.
    private(set) var isLeaving = false

    /// Called after a sign-in, and after a sign-out that failed.
    var signedIn: () -> Void = {}
    /// Called when the stored account is not the shown account.
    var outdated: () -> Void = {}

    init(context: AppContext) {
        self.context = context
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
            let language = utf8(self.context.store.state.language.tag)
            self.context.host.exchange(
                .askCode(address: address, language: language)
            ) { answer in
                self.isAsking = false
                guard self.success(of: answer) != nil else { return }
                self.context.change { $0.account = .codeAsked(address: address) }
                self.context.host.setValue([], of: Element(.code))
                self.context.host.focus(Element(.code))
                self.context.say(.codeSent)
            }
        }
    }

    /// Confirms as soon as all digits are there, typed, pasted or filled in by the browser.
    func codeTyped() {
        readCode { code in
            if code.count == Self.digits { self.confirm(code) }
        }
    }

    func confirm() {
        readCode { code in
            guard code.count == Self.digits else {
                return self.context.say(.codeInvalid, tone: .error)
            }
            self.confirm(code)
        }
    }

    private func readCode(_ then: @escaping ([UInt8]) -> Void) {
        context.host.readValue(of: Element(.code)) { text in
            then(text.filter { (0x30...0x39).contains($0) })
        }
    }

    private func confirm(_ code: [UInt8]) {
        guard case .codeAsked(let address) = context.store.state.account, !isAsking else { return }
        isAsking = true
        context.host.exchange(
            .confirm(address: address, code: code, device: context.device)
        ) { answer in
            self.isAsking = false
            guard let json = self.success(of: answer) else {
                // The person may have typed another one meanwhile.
                return self.readCode { if $0 != code, $0.count == Self.digits { self.confirm($0) } }
            }
            guard let token = json["token"]?.string else {
                return self.context.say(.notARelay, tone: .error)
            }
            self.keep(address, token)
        }
    }

    private func keep(_ address: [UInt8], _ token: [UInt8]) {
        let body = JSON.object([("address", .string(address)), ("token", .string(token))])
        context.keep(.account, body.encoded(), .strict) { failure in
            if let failure { return self.context.say(failure.text, tone: .error) }
            self.context.change { $0.account = .signedIn(address: address, token: token) }
            self.context.say(.signedIn)
            self.context.host.ring(.account)
            self.signedIn()
            self.readDevices()
        }
    }

    /// The stored account; `nil` for none.
    func restore(_ record: Record?, _ bytes: [UInt8]?) {
        context.change { state in
            if let account = Self.account(bytes) {
                state.account = account
            } else if case .closed(.keyMissing) = context.vault.condition {
                // Deleting everything is the only way on, and has to be offered.
                state.account = .unreadable
            } else if let record, record.head != Self.refusedHead {
                state.account = .unreadable
            } else if case .codeAsked = state.account {
                // Another page has changed a setting.
            } else {
                state.account = .signedOut
            }
        }
    }

    private static func account(_ bytes: [UInt8]?) -> Account? {
        guard let bytes, let json = JSON(decoding: bytes), let address = json["address"]?.string,
            let token = json["token"]?.string
        else { return nil }
        return .signedIn(address: address, token: token)
    }

    /// The relay does not know this token any more: sign in again, unless somebody has done so
    /// meanwhile, here or on another page.
    func refused(_ token: [UInt8]) {
        guard context.store.state.account.token == token else {
            return context.store.state.account.token == nil ? () : signedIn()
        }
        var read = Transaction()
        read.get(Thing.account.key, from: .things)
        context.host.perform(read, .read) { answer in
            guard case .done(var reader) = answer, let record = Findings(&reader)[0].first,
                let place = Thing.account.place(of: record)
            else { return self.outdated() }
            self.context.vault.open([(place: place, bytes: record.body)]) { opened in
                guard let stored = Self.account(opened[0].bytes), stored.token == token else {
                    return self.outdated()
                }
                self.forget(stored, record)
            }
        }
    }

    private func forget(_ account: Account, _ record: Record) {
        var write = Transaction()
        write.setHead(
            Self.refusedHead,
            of: record.key,
            in: .things,
            ifStill: record.head
        )
        context.host.perform(write, .relaxed) { _ in self.context.host.ring(.account) }
        guard context.store.state.account == account, case .signedIn(let address, _) = account
        else {
            return
        }
        context.change { $0.account = .signedOut }
        context.host.setValue(address, of: Element(.address))
        context.say(.tokenRevoked, tone: .warning, action: .signIn)
    }

    // MARK: Signing out

    /// Asks first: everything on this device is deleted.
    func askToSignOut() {
        var count = Transaction()
        count.count(in: .outbox)
        context.host.perform(count, .read) { answer in
            var unsent = 0
            if case .done(var reader) = answer { unsent = Findings(&reader).count(0) }
            self.context.change { $0.dialog = .wipe(unsent: unsent) }
        }
    }

    /// Deletes everything, then has the relay forget this device, whether or not it answers.
    func signOut() {
        guard !isLeaving else { return }
        isLeaving = true
        let token = context.store.state.account.token
        var write = Transaction()
        for records in Records.all { write.clear(records) }
        write.clearKeys()
        context.host.perform(write, .strict) { answer in
            guard answer.isDone else {
                self.isLeaving = false
                self.context.change { $0.dialog = nil }
                self.context.say(.settingsNotSaved, tone: .error)
                return self.signedIn()
            }
            // The key is gone from the database: nothing may be sealed with the host's copy of it.
            self.context.vault.close(.failed)
            self.context.host.setValue([], of: .memo)
            self.context.host.ring(.restart)
            guard let token else { return self.leave(isTold: true) }
            self.context.host.setTimer(.leave, Self.longestTelling)
            self.context.host.exchange(.signOut(token: token)) { answer in
                guard case .done(var reader) = answer else { return self.leave(isTold: false) }
                let reply = RelayReply(&reader)
                self.leave(isTold: reply.status == 204 || reply.refusesToken)
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
        context.host.exchange(.devices(token: token)) { answer in
            guard case .done(var reader) = answer,
                let list = RelayReply(&reader).success?["devices"]?.array
            else { return }
            let devices = list.compactMap { device -> Device? in
                guard let name = device["name"]?.string else { return nil }
                return Device(
                    id: device["id"]?.string ?? [],
                    name: name,
                    createdAt: device["createdAt"]?.number ?? 0,
                    isCurrent: device["current"]?.bool ?? false
                )
            }
            self.context.change { $0.devices = devices }
        }
    }

    /// Has the relay forget another device.
    func revoke(_ device: Device) {
        guard let token = context.store.state.account.token else { return }
        context.host.exchange(.revoke(device.id, token: token)) { answer in
            guard case .done(var reader) = answer else {
                return self.context.say(.relayUnreachable, tone: .error)
            }
            let reply = RelayReply(&reader)
            guard reply.status == 204 || reply.status == 404 else {
                return self.context.say(reply.trouble(now: self.context.clock.now))
            }
            self.readDevices()
        }
    }

    /// The answer's JSON; `nil` after a notice of the failure.
    private func success(of answer: Answer) -> JSON? {
        guard case .done(var reader) = answer else {
            context.say(.relayUnreachable, tone: .error)
            return nil
        }
        let reply = RelayReply(&reader)
        if let success = reply.success { return success }
        context.say(reply.trouble(now: context.clock.now))
        return nil
    }
}

/// Without spaces at both ends.
func trimmed(_ text: [UInt8]) -> [UInt8] {
    var text = text[...]
    while text.first == 0x20 { text.removeFirst() }
    while text.last == 0x20 { text.removeLast() }
    return Array(text)
}
