import MemoTexts
import Outbox
import OutboxCore
import RelayRules
package import RelayServer
import Synchronization

/// The contract of `RelayStore`, `ExaminedStore` and `OperatedStore` as checks that every store must
/// pass.
///
/// ```swift
/// @Test(arguments: RelayStoreConformance<MyStore>.checks)
/// func conforms(_ check: RelayStoreConformance<MyStore>.Check) async throws {
///     try await check.run(on: try MyStore(emptyDatabase))
/// }
/// ```
package enum RelayStoreConformance<Store: TestedStore> {
    /// A check of one guarantee.
    package struct Check: Sendable, CustomStringConvertible {
        /// The guarantee, as a sentence.
        package let description: String
        let body: @Sendable (Store) async throws -> Void

        /// Runs the check on a new, empty store.
        ///
        /// - Throws: ``BrokenPromise``, or the error of the store.
        package func run(on store: Store) async throws {
            try await body(store)
        }
    }

    /// All checks, in no particular order. Each check runs on a store of its own.
    package static var checks: [Check] {
        verificationChecks + longCodeChecks + deviceChecks + memoChecks + mailChecks + limitChecks
            + crowdChecks + fairnessChecks + examinationChecks + operatorChecks + queueChecks
            + settingsChecks + changesChecks + erasureChecks + mailboxChecks + ownMailboxChecks
            + invitationChecks
    }

    /// The number of ``checks``, so that none is dropped unnoticed.
    package static var promises: Int { 145 }

    /// The moment at which a check begins.
    static var now: WallTime { WallTime(millisecondsSinceEpoch: 1_800_000_000_000) }

    /// The number of callers that a check lets loose at once.
    static var crowd: Int { 64 }

    // MARK: Expectations

    static func expect(
        _ condition: Bool,
        file: StaticString = #fileID,
        line: Int = #line
    ) throws {
        guard condition else { throw BrokenPromise(check: "\(file):\(line)") }
    }

    static func value<Value>(
        _ value: Value?,
        file: StaticString = #fileID,
        line: Int = #line
    ) throws -> Value {
        guard let value else { throw BrokenPromise(check: "\(file):\(line)") }
        return value
    }

    // MARK: Steps

    /// The results of as many calls as ``crowd``, all under way at once.
    static func inCrowd<Result: Sendable>(
        _ call: @escaping @Sendable (_ number: Int) async throws -> Result
    ) async throws -> [Result] {
        try await withThrowingTaskGroup(of: Result.self) { group in
            for number in 0..<crowd { group.addTask { try await call(number) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    static func mail(_ name: String, to address: MailAddress? = nil) -> QueuedMail {
        QueuedMail(
            sender: "relay@relay.example",
            recipient: address?.text ?? "somebody@inbox.example",
            messageID: name,
            message: Array("Subject: \(name)\r\n\r\n\(name)\r\n".utf8)
        )
    }

    /// A request for a code, whose handle, long code and mail have the code's number unless told
    /// otherwise.
    static func verification(
        _ code: UInt8,
        handle: UInt8? = nil,
        to address: UInt8 = 1,
        from source: UInt8 = 1,
        site: UInt8? = nil,
        block: UInt8? = nil,
        domain: UInt8? = nil,
        person: UInt8 = 1,
        maySignUp: Bool = true,
        language: Language = .english,
        at time: WallTime = now
    ) -> NewVerification {
        NewVerification(
            handle: [address, handle ?? code],
            addressKey: [person],
            subjects: [
                .pair: [0, address, source], .address: [1, address], .network: [2, source],
                .site: [3, site ?? source], .domain: [4, domain ?? address], .service: [5],
                .block: [6, block ?? source], .blockPair: [7, address, block ?? source],
            ],
            maySignUp: maySignUp,
            language: language,
            now: time
        ) { digits, known in
            CodeLetter(
                code: digits.map { _ in [code] },
                longCode: [address, handle ?? code],
                mail: mail("code-\(code)", to: known)
            )
        }
    }

    /// Asks for a code.
    ///
    /// - Returns: Whether the code is mailed.
    static func ask(
        _ store: Store,
        _ new: NewVerification,
        _ rules: VerificationRules = VerificationRules()
    ) async throws -> Bool {
        switch try await store.startVerification(new, rules: rules) {
        case .send, .sendLongCode, .helpOwner: true
        case .hold, .wait: false
        }
    }

    static func confirmation(
        _ code: UInt8,
        handle: UInt8? = nil,
        of address: UInt8 = 1,
        person: UInt8 = 1,
        address spelling: String? = nil,
        token: Int = 1,
        at time: WallTime = now
    ) throws -> Confirmation {
        try confirmation(
            .digits([code], handle: [address, handle ?? code]),
            person: person,
            address: spelling,
            token: token,
            at: time
        )
    }

    static func confirmation(
        _ code: EnteredCode,
        person: UInt8 = 1,
        address: String? = nil,
        token: Int = 1,
        at time: WallTime = now
    ) throws -> Confirmation {
        let address = try value(MailAddress(address ?? "person\(person)@inbox.example"))
        return Confirmation(
            code: code,
            addressKey: [person],
            address: address,
            mailbox: mailbox(of: address),
            tokenHash: [UInt8(token >> 8), UInt8(token & 255)],
            deviceName: "device \(token)",
            now: time
        ) { new in
            announcement(of: new)
        }
    }

    /// The mail about a device, whose name has all that the mail is made of.
    static func announcement(of device: NewDevice) -> QueuedMail {
        mail(
            "device-\(device.id.bits)-\(device.account.bits)-\(device.language.tag)",
            to: device.address
        )
    }

    /// The mailbox of an address, the same for all stores.
    static func mailbox(of address: MailAddress) -> MailboxID {
        RelaySecret(bytes: [UInt8](repeating: 7, count: 32)).mailbox(of: address)
    }

    /// Signs in a device of a person, with a token of this number.
    ///
    /// - Parameter spelling: The address of a person who has no account yet; `nil` for one in a mailbox
    ///   that nobody else has.
    static func device(
        _ token: Int,
        of person: UInt8 = 1,
        address spelling: String? = nil,
        in store: Store,
        at time: WallTime = now,
        language: Language = .english,
        rules: VerificationRules = VerificationRules()
    ) async throws -> AuthenticatedDevice {
        let address = UInt8(token)
        let new = verification(
            7,
            to: address,
            from: address,
            person: person,
            language: language,
            at: time
        )
        var generous = VerificationRules()
        generous.perService = .max
        generous.perDay = .max
        try expect(try await ask(store, new, generous))
        let confirmation = try confirmation(
            7,
            of: address,
            person: person,
            address: spelling,
            token: token,
            at: time
        )
        try expect(try await store.confirm(confirmation, rules: rules) == .granted)
        return try value(try await store.device(tokenHash: confirmation.tokenHash))
    }

    static func memo(
        _ number: UInt64,
        from device: AuthenticatedDevice,
        content: UInt8 = 1,
        at time: WallTime = now,
        bytes: Int? = nil,
        pair: [UInt8]? = nil,
        networks: [[UInt8]] = []
    ) -> NewMemo {
        let id = OperationID(high: 1, low: number)
        var mail = mail("memo-\(number)")
        if let bytes {
            mail = QueuedMail(
                sender: mail.sender,
                recipient: mail.recipient,
                messageID: mail.messageID,
                message: Array(repeating: 0x41, count: bytes)
            )
        }
        return NewMemo(
            id: id,
            account: device.account,
            mailbox: mailbox(of: device.address),
            sender: MemoSender(
                mailbox: mailbox(of: device.address),
                createdAt: device.accountCreatedAt,
                pair: pair,
                networks: networks
            ),
            device: device.id,
            contentCode: [content],
            response: [UInt8(truncatingIfNeeded: number), content],
            acceptedAt: time,
            mail: mail
        )
    }

    static func sender(_ device: AuthenticatedDevice) -> MemoSender {
        MemoSender(mailbox: mailbox(of: device.address))
    }

    /// The names of the limits that leave no room for a memo; `nil` if the memo is stored.
    static func exceeded(
        by memo: NewMemo,
        _ limits: MemoLimits,
        in store: Store
    ) async throws -> [String]? {
        switch try await store.accept(memo, limits: limits) {
        case .accepted: return nil
        case .acceptedBefore: throw BrokenPromise(check: "the memo is new")
        case .revoked: throw BrokenPromise(check: "the device is signed in")
        case .overLimit(let usages):
            return usages.filter { $0.isExceeded(by: memo.size) }.map(\.limit.name)
        }
    }

    /// The due mails in the order in which they are handed over, with the operations that they were
    /// queued as. They leave the queue.
    static func mails(
        of store: Store
    ) async throws -> [(operation: OperationID, mail: QueuedMail)] {
        try await drain(store) { _ in .done }
    }

    /// Hands every due mail over, and records the outcomes.
    ///
    /// - Parameters:
    ///   - store: The store whose queue is drained.
    ///   - isDone: Whether to end; `nil`: no mail is due. A mail that is held while it is handed over is not
    ///     due, although its outcome is not recorded yet. A store that never gets there is left after a while.
    ///   - outcome: The outcome of handing a mail over.
    /// - Returns: The mails, as ``mails(of:)`` does.
    @discardableResult
    static func drain(
        _ store: Store,
        until isDone: (@Sendable () async throws -> Bool)? = nil,
        outcome: @escaping @Sendable (QueuedMail) async -> DeliveryMachine.Outcome
    ) async throws -> [(operation: OperationID, mail: QueuedMail)] {
        let handed = Mutex<[(operation: OperationID, payload: [UInt8])]>([])
        let handler: OperationHandler = { operation in
            handed.withLock { $0.append((operation.id, operation.payload)) }
            guard let mail = QueuedMail(decoding: operation.payload) else {
                return .park("not-a-mail")
            }
            return await outcome(mail)
        }
        try await withThrowingTaskGroup { group in
            group.addTask {
                try await store.deliver([
                    .memoMail: handler, .verificationMail: handler, .deviceMail: handler,
                ])
            }
            group.addTask {
                while try await store.hasDueMail() { try await Task.sleep(for: .milliseconds(1)) }
                guard let isDone else { return }
                for _ in 0..<20_000 {
                    if try await isDone() { return }
                    try await Task.sleep(for: .milliseconds(1))
                }
            }
            // A delivery that ends by itself ends the check as well.
            try await group.next()
            group.cancelAll()
        }
        return try handed.withLock { $0 }.map { operation, payload in
            (operation, try value(QueuedMail(decoding: payload)))
        }
    }
}

/// A store whose queue a check can see the end of, with the commands of its operator.
package protocol TestedStore: ExaminedStore {
    associatedtype Operators: OperatedStore

    /// Whether a mail is due by the store's clock: a mail is so until its outcome is recorded.
    func hasDueMail() async throws -> Bool

    /// The same store, opened for an operator's commands beside the relay.
    func operators() throws -> Operators
}

/// A promise that a store did not keep.
package struct BrokenPromise: Error, CustomStringConvertible {
    let check: String

    package var description: String { "the store breaks the promise checked at \(check)" }
}
