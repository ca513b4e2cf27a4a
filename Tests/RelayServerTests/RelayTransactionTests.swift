import MemoTexts
import Outbox
import OutboxCore
import OutboxTesting
import RelayAPI
import RelayRules
import RelayServer
import Testing

/// Each transaction over tables whose answers are drawn at random.
@Suite("A transaction of the relay's store")
struct RelayTransactionTests {
    private static let now = WallTime(millisecondsSinceEpoch: 1_800_000_000_000)
    private static let draws = 600

    @Test("asks the same questions whatever the answers are", arguments: Kind.allCases)
    func independent(_ kind: Kind) throws {
        let first = try Self.course(of: kind, seed: 0)
        #expect(first.questions.isEmpty == (kind == .use))
        for seed in 1..<UInt64(Self.draws) {
            #expect(try Self.course(of: kind, seed: seed).questions == first.questions)
        }
    }

    @Test("has each outcome for some answers, and no other one writes", arguments: Kind.allCases)
    func outcomes(_ kind: Kind) throws {
        let courses = try (0..<UInt64(Self.draws)).map { try Self.course(of: kind, seed: $0) }
        #expect(Set(courses.map(\.name)) == kind.outcomes)
        for course in courses {
            #expect((course.writes > 0) == kind.writing.contains(course.name), "\(course)")
        }
    }

    /// The transactions, each as it is before a mail is sealed, and as it is afterwards.
    enum Kind: CaseIterable {
        case accept
        case start
        case startSealed
        case confirm
        case confirmSealed
        case confirmLong
        case revoke
        case bounce
        case discard
        case crowding
        case forget
        case room
        case retry
        case retryQuarantined
        case hold
        case release
        case attempt
        case turn
        case use
        case settings
        case answer
        case erase
        case forgetErased
        case invite
        case withdraw
        case dropMailbox
        case findMailbox

        /// The names of the outcomes that there are.
        fileprivate var outcomes: Set<String> {
            switch self {
            case .accept: ["accepted", "acceptedBefore", "overLimit", "revoked"]
            case .start: ["hold", "unsealed", "wait"]
            case .startSealed: ["hold", "send", "unsealed", "wait"]
            case .confirm: ["counted", "granted", "refused", "unannounced", "wait"]
            case .confirmSealed: ["counted", "granted", "refused", "wait"]
            case .confirmLong: ["granted", "refused", "unannounced", "wait"]
            case .revoke: ["none", "revoked", "true"]
            case .bounce: ["noMemo", "recorded", "settledBefore", "undecided"]
            case .crowding, .discard, .forget, .retry, .retryQuarantined, .room: ["none", "some"]
            case .hold, .release, .attempt: ["none", "some"]
            case .turn, .use: ["done"]
            case .settings: ["again", "accepted", "conflict", "tooMany", "newNode", "wait"]
            case .answer: ["none", "newNode", "again"]
            case .erase: ["refused", "counted", "true"]
            case .forgetErased: ["some", "done"]
            case .invite: ["invited", "hasAccount", "full"]
            case .withdraw, .dropMailbox: ["none", "some"]
            case .findMailbox: ["none"]
            }
        }

        /// The names of the outcomes with writes.
        fileprivate var writing: Set<String> {
            [
                "accepted", "send", "counted", "granted", "true", "recorded", "some", "done",
                "conflict", "tooMany", "invited",
            ]
        }
    }

    /// What a transaction asked and decided, and how much it wrote.
    private struct Course: CustomStringConvertible {
        let questions: [String]
        let writes: Int
        let name: String

        var description: String { "\(name), \(writes) writes" }
    }

    private static func course(of kind: Kind, seed: UInt64) throws -> Course {
        let tables = DrawnTables(seed: seed)
        switch kind {
        case .accept:
            let accept = AcceptMemo(try memo(), mail: try mail(.memoMail), limits: MemoLimits())
            return try course(accept, tables) { (outcome: MemoDecision, _) -> String in
                switch outcome {
                case .accepted: "accepted"
                case .acceptedBefore: "acceptedBefore"
                case .revoked: "revoked"
                case .overLimit: "overLimit"
                }
            }
        case .start, .startSealed:
            var start = StartVerification(verification, rules: VerificationRules())
            if kind == .startSealed {
                let sealed = try mail(.verificationMail)
                start.letter = StartVerification.Letter(
                    code: ([1], 6),
                    longCode: [1],
                    address: nil,
                    mail: sealed
                )
            }
            return try course(start, tables) { (outcome: StartVerification.Outcome, _) -> String in
                switch outcome {
                case .decided(.send): "send"
                case .decided(.sendLongCode): "sendLongCode"
                case .decided(.helpOwner): "helpOwner"
                case .decided(.hold): "hold"
                case .decided(.wait): "wait"
                case .unsealed: "unsealed"
                }
            }
        case .confirm, .confirmSealed, .confirmLong:
            let code: EnteredCode =
                kind == .confirmLong ? .long([1], pair: [1]) : .digits([1], handle: [1])
            var confirm = ConfirmCode(
                try confirmation(of: code),
                device: DeviceID(bits: OperationID(high: 1, low: 1)),
                newAccount: AccountID(bits: OperationID(high: 1, low: 2)),
                rules: VerificationRules()
            )
            if kind == .confirmSealed { confirm.announcement = try mail(.deviceMail) }
            return try course(confirm, tables) { (outcome: ConfirmCode.Outcome, writes) -> String in
                switch outcome {
                case .refused: writes == 0 ? "refused" : "counted"
                case .granted: "granted"
                case .wait: "wait"
                case .unannounced: "unannounced"
                }
            }
        case .invite:
            let address = try #require(MailAddress("max@inbox.example"))
            return try course(Invite(address, [1], at: now), tables) { outcome, _ in
                outcome == .tooMany ? "full" : "\(outcome)"
            }
        case .withdraw:
            return try course(WithdrawInvitation(of: [1]), tables) { isThere, _ in
                isThere ? "some" : "none"
            }
        case .dropMailbox:
            return try course(DropMailbox(of: [1]), tables) { isThere, _ in
                isThere ? "some" : "none"
            }
        case .findMailbox:
            return try course(FindMailbox(of: [1]), tables) { _, _ in "none" }
        case .revoke:
            let ids = (OperationID(high: 1, low: 1), OperationID(high: 1, low: 2))
            let revoke = RevokeDevice(
                DeviceID(bits: ids.0),
                of: AccountID(bits: ids.1),
                at: now
            )
            return try course(revoke, tables) { outcome, writes in
                outcome == nil ? "none" : writes == 0 ? "revoked" : "true"
            }
        case .bounce:
            let id = OperationID(high: 1, low: 1)
            let bounce = RecordBounce(MailBounce(of: id, .bounced("smtp.550"), at: now))
            return try course(bounce, tables) { outcome, _ in "\(outcome)" }
        case .discard:
            let age = RunningAge(lifetime: .seconds(9))
            let sweep = AgeDeadLetters(age, after: Milliseconds(0))
            return try course(sweep, tables) { _, writes in
                writes == 0 ? "none" : "some"
            }
        case .crowding:
            let crowding = FindCrowding(in: DeadLetterRoom(allowance: 5))
            let decision = try crowding.decision(over: tables)
            // Finds, and never writes.
            return Course(
                questions: tables.questions,
                writes: decision.outcome.isEmpty ? 0 : 1,
                name: decision.outcome.isEmpty && decision.writes.isEmpty ? "none" : "some"
            )
        case .forget:
            let forget = ForgetDevices(RunningAge(lifetime: .seconds(9)))
            return try course(forget, tables) { _, writes in writes == 0 ? "none" : "some" }
        case .room:
            let loss = DeadLetterRoom.Loss(mailbox: nil, share: 1, bytes: 2)
            return try course(MakeRoom(loss), tables) { outcome, _ in
                outcome.discarded == 0 ? "none" : "some"
            }
        case .retry:
            let retry = ChangeDeadLetters(MailFilter(), after: nil, .retry(at: now))
            return try course(retry, tables) { outcome, _ in
                outcome.mails.isEmpty ? "none" : "some"
            }
        case .hold, .release, .attempt:
            let change: ChangeQueue.Change =
                kind == .hold ? .hold(at: now) : kind == .release ? .release : .attempt
            let queue = ChangeQueue(MailFilter(), after: nil, change)
            return try course(queue, tables) { outcome, _ in
                outcome.mails.isEmpty ? "none" : "some"
            }
        case .retryQuarantined:
            let opened = Set((0..<5).map { OperationID(high: 2, low: $0) })
            let retry = RetryQuarantined(after: nil, opened: opened, at: now)
            return try course(retry, tables) { outcome, _ in
                outcome.contains { opened.contains($0.id) } ? "some" : "none"
            }
        case .turn:
            let turn = KeepPace(.resend, .turn(pause: Milliseconds(200)), at: now)
            return try course(turn, tables) { _, _ in "done" }
        case .use:
            let use = DeviceUse(of: DeviceID(bits: OperationID(high: 1, low: 1)), at: now)
            return try course(MakeWrite(.use(use)), tables) { _, _ in "done" }
        case .settings:
            return try course(ChangeSettings(settings, at: now), tables) { outcome, writes in
                switch outcome {
                case .newNode: "newNode"
                case .wait: "wait"
                case _ where writes == 0: "again"
                case .accepted: "accepted"
                case .conflict: "conflict"
                case .refused: "tooMany"
                }
            }
        case .erase:
            let erasure = AccountErasure(
                account: AccountID(bits: OperationID(high: 2, low: 1)),
                code: .digits([1], handle: [1]),
                addressKey: [1],
                now: now
            )
            let erase = EraseAccount(erasure, rules: VerificationRules())
            return try course(erase, tables) { outcome, writes in
                outcome ? "true" : writes == 0 ? "refused" : "counted"
            }
        case .forgetErased:
            return try course(ForgetAccounts(), tables) { isDone, _ in isDone ? "done" : "some" }
        case .answer:
            let find = FindAnswer(to: settings.name, of: settings.account, .question)
            return try course(find, tables) { outcome, _ in
                switch outcome {
                case nil: "none"
                case .newNode: "newNode"
                default: "again"
                }
            }
        }
    }

    private static func course<Transaction: RelayTransaction>(
        _ transaction: Transaction,
        _ tables: DrawnTables,
        name: (Transaction.Outcome, _ writes: Int) -> String
    ) throws -> Course {
        let decision = try transaction.decision(over: tables)
        return Course(
            questions: tables.questions,
            writes: decision.writes.count,
            name: name(decision.outcome, decision.writes.count)
        )
    }

    // MARK: Arguments

    private static let verification = NewVerification(
        handle: [1],
        addressKey: [1],
        subjects: [
            .pair: [1], .address: [2], .network: [3], .site: [4], .domain: [5], .service: [6],
            .block: [7], .blockPair: [8],
        ],
        now: now
    ) { _, _ in CodeLetter(code: [1], longCode: [1], mail: queued) }

    private static let settings = SettingsChange(
        account: AccountID(bits: OperationID(high: 1, low: 2)),
        name: ChangeName(node: [1], number: 2, attempt: 1, digest: [1]),
        time: now,
        settledThrough: 1,
        madeOn: 1,
        fields: ["a": "1"],
        rateKey: [9]
    )

    private static let queued = QueuedMail(
        sender: "relay@relay.example",
        recipient: "somebody@inbox.example",
        messageID: "1",
        message: []
    )

    private static func confirmation(
        of code: EnteredCode
    ) throws -> RelayServer.Confirmation {
        RelayServer.Confirmation(
            code: code,
            addressKey: [1],
            address: try #require(MailAddress("somebody@inbox.example")),
            mailbox: MailboxID(bits: OperationID(high: 1, low: 4)),
            tokenHash: [1],
            deviceName: "device",
            now: now
        ) { _ in queued }
    }

    private static func memo() throws -> NewMemo {
        NewMemo(
            id: OperationID(high: 1, low: 1),
            account: AccountID(bits: OperationID(high: 1, low: 2)),
            mailbox: MailboxID(bits: OperationID(high: 1, low: 4)),
            sender: MemoSender(
                mailbox: MailboxID(bits: OperationID(high: 1, low: 4)),
                createdAt: now,
                pair: [1],
                networks: [[1], [2]]
            ),
            device: DeviceID(bits: OperationID(high: 1, low: 3)),
            contentCode: [1],
            response: [1],
            acceptedAt: now,
            mail: queued
        )
    }

    private static func mail(_ kind: OperationKind) throws -> SealedOperation {
        let id = OperationID(high: 1, low: 4)
        return SealedOperation(
            envelope: Envelope(id: id, kind: kind, createdAt: now, orderingKey: nil),
            record: []
        )
    }
}

/// Tables that answer each question at random, and keep what they were asked.
private final class DrawnTables: RelayReads {
    private var random: SeededRandom
    private(set) var questions: [String] = []

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
    }

    private func asked(_ question: String = #function, _ arguments: Any...) {
        questions.append("\(question) \(arguments)")
    }

    private func number(to bound: Int) -> Int { Int.random(in: 0...bound, using: &random) }

    private func time() -> WallTime {
        WallTime(millisecondsSinceEpoch: 1_799_999_820_000 + Int64(number(to: 4)) * 60_000)
    }

    private func optional<Value>(_ value: @autoclosure () -> Value) -> Value? {
        number(to: 1) == 0 ? nil : value()
    }

    private var id: OperationID { OperationID(high: 2, low: UInt64(number(to: 9))) }

    func memo(
        _ id: OperationID,
        of account: AccountID,
        or mailbox: MailboxID
    ) -> MemoRecord? {
        asked(#function, id, account, mailbox)
        return optional(
            MemoRecord(contentCode: [1], response: [1], status: .accepted, reason: nil)
        )
    }

    func status(ofMail mail: OperationID) -> DeliveryStatus? {
        asked(#function, mail)
        return optional([.accepted, .delivered, .refused][number(to: 2)])
    }

    func use(_ counter: MemoQuota.Counter) -> MemoUse {
        asked(#function, counter)
        return number(to: 9) == 0 ? MemoUse(memos: 100_000, oldest: time()) : MemoUse(memos: 1)
    }

    func code(under handle: [UInt8]) -> MailedCode? {
        asked(#function, handle)
        let code = SentCode(
            code: [UInt8(1 + number(to: 1))],
            digits: 6,
            expiresAt: time(),
            tries: number(to: 4),
            sentAt: time()
        )
        return optional(MailedCode(code, pair: [1], share: .strangers, language: .english))
    }

    func invitation(of addressKey: [UInt8]) -> WallTime? {
        asked(#function, addressKey)
        return optional(time())
    }

    func invitations(after time: WallTime) -> Int {
        asked(#function, time)
        return number(to: 1) * Invitation.most
    }

    func ownMailbox(of addressKey: [UInt8]) -> OwnMailbox? {
        asked(#function, addressKey)
        return optional(nil) ?? nil
    }

    func hasOwnMailbox(_ addressKey: [UInt8]) -> Bool {
        asked(#function, addressKey)
        return number(to: 1) == 0
    }

    func longCode(_ code: [UInt8], of addressKey: [UInt8]) -> MailedLongCode? {
        asked(#function, code, addressKey)
        let life = CodeLife(from: time(), to: time())
        return optional(
            MailedLongCode([1], life: life, share: .strangers, language: .english)
        )
    }

    func hasLongCode(of addressKey: [UInt8], at now: WallTime) -> Bool {
        asked(#function, addressKey, now)
        return number(to: 1) == 0
    }

    func openTries(of tries: Int, at now: WallTime) -> [OpenTries] {
        asked(#function, tries, now)
        return (0..<number(to: 2)).map { _ in
            OpenTries(
                share: number(to: 1) == 0 ? .strangers : .established,
                digits: [6, 8, 10][number(to: 2)],
                count: number(to: 60)
            )
        }
    }

    func failedTries(of share: CodeShare, in window: RateWindow) -> Int64 {
        asked(#function, share, window)
        return Int64(number(to: 3_000_000))
    }

    func requests(for subject: [UInt8], in window: RateWindow) -> RateUse {
        asked(#function, subject, window)
        return RateUse(count: number(to: 99) == 0 ? 1000 : 0, oldest: time())
    }

    func latestRequest(for subject: [UInt8]) -> WallTime? {
        asked(#function, subject)
        return optional(time())
    }

    func oldestAccount(signedInUnder pair: [UInt8]) -> WallTime? {
        asked(#function, pair)
        return optional(time())
    }

    func oldestAccount() -> WallTime? {
        asked()
        return optional(time())
    }

    func accountCreation(of addressKey: [UInt8]) -> WallTime? {
        asked(#function, addressKey)
        return optional(time())
    }

    func account(of addressKey: [UInt8]) -> AccountID? {
        asked(#function, addressKey)
        return optional(AccountID(bits: id))
    }

    func address(of addressKey: [UInt8]) -> MailAddress? {
        asked(#function, addressKey)
        return optional(MailAddress("known\(number(to: 1))@inbox.example")).flatMap { $0 }
    }

    func language(of addressKey: [UInt8]) -> Language? {
        asked(#function, addressKey)
        return optional(.german)
    }

    func livingDevices(of addressKey: [UInt8]) -> [DeviceID] {
        asked(#function, addressKey)
        return (0..<number(to: 120)).map { _ in DeviceID(bits: id) }
    }

    func signIns(of addressKey: [UInt8], in window: RateWindow) -> RateUse {
        asked(#function, addressKey, window)
        return RateUse(count: number(to: 24), oldest: time())
    }

    func device(_ device: DeviceID, of account: AccountID) -> OwnedDevice? {
        asked(#function, device, account)
        return optional(OwnedDevice(isRevoked: number(to: 1) == 0, change: 1))
    }

    func erasedMemos(limit: Int) -> [ErasedMemo] {
        asked(#function, limit)
        return (0..<number(to: 1)).map { _ in
            ErasedMemo(
                id: id,
                account: AccountID(bits: id),
                mail: EntryID(rawValue: 1),
                bytes: 1
            )
        }
    }

    func erasedDevices(limit: Int) -> [DeviceID] {
        asked(#function, limit)
        return (0..<number(to: 1)).map { _ in DeviceID(bits: id) }
    }

    func erasedAccounts(limit: Int) -> [AccountID] {
        asked(#function, limit)
        return [AccountID(bits: id)]
    }

    func settings(of account: AccountID) -> SharedSettings? {
        asked(#function, account)
        let field = SharedField(value: "", time: 0, number: 1, node: "")
        let names = (0..<(number(to: 2) == 0 ? 16 : 1)).map { "b\($0)" }
        return optional(
            SharedSettings(
                version: Int64(1 + number(to: 1)),
                fields: Dictionary(uniqueKeysWithValues: names.map { ($0, field) })
            )
        )
    }

    func ledger(of node: [UInt8], _ account: AccountID) -> ChangeLedger? {
        asked(#function, node, account)
        var ledger = ChangeLedger()
        let name = ChangeName(
            node: node,
            number: Int64(1 + number(to: 2)),
            attempt: 1,
            digest: [UInt8(1 + number(to: 1))]
        )
        ledger.hear(name, at: time(), optional(.conflict) ?? .accepted(version: 1))
        return optional(ledger)
    }

    func nodes(of account: AccountID, beyond count: Int) -> [[UInt8]] {
        asked(#function, account, count)
        return (0..<number(to: 1)).map { _ in [7] }
    }

    func lastChange(of account: AccountID) -> Int64 {
        asked(#function, account)
        return Int64(number(to: 9))
    }

    func runningTime() -> Milliseconds {
        asked()
        return .seconds(Int64(number(to: 20)))
    }

    func newDeadLetters(limit: Int) -> [EntryID] {
        asked(#function, limit)
        return (0..<number(to: 2)).map { EntryID(rawValue: Int64($0)) }
    }

    func notedDeadLetters(limit: Int) -> [NotedLetter] {
        asked(#function, limit)
        return (0..<number(to: 2)).map { entry in
            let seen: Milliseconds = .seconds(Int64(number(to: 20)))
            return NotedLetter(entry: EntryID(rawValue: Int64(entry)), seen: seen, bytes: 1)
        }
    }

    func totalOfDeadLetters() -> DeadLetterRoom.Total {
        asked()
        return DeadLetterRoom.Total(bytes: number(to: 9), holders: 1 + number(to: 1))
    }

    func heaviestHolders(limit: Int) -> [DeadLetterRoom.Holding] {
        asked(#function, limit)
        return [DeadLetterRoom.Holding(mailbox: MailboxID(bits: id), bytes: number(to: 9))]
    }

    func heldBytes(of mailbox: MailboxID?) -> Int {
        asked(#function, mailbox as Any)
        return number(to: 4)
    }

    func heldLetters(of mailbox: MailboxID?, limit: Int) -> [DeadLetterRoom.Letter] {
        asked(#function, mailbox as Any, limit)
        return (0..<number(to: 2)).map {
            DeadLetterRoom.Letter(entry: EntryID(rawValue: Int64($0)), bytes: 1 + number(to: 1))
        }
    }

    func newlyRevoked(limit: Int) -> [DeviceID] {
        asked(#function, limit)
        return (0..<number(to: 1)).map { _ in DeviceID(bits: id) }
    }

    func notedRevoked(limit: Int) -> [RevokedDevice] {
        asked(#function, limit)
        return (0..<number(to: 2)).map { _ in
            RevokedDevice(
                id: DeviceID(bits: id),
                account: AccountID(bits: id),
                seen: .seconds(Int64(number(to: 20)))
            )
        }
    }

    func mailsWithoutKey(after last: EntryID?, limit: Int) -> [QuarantinedMail] {
        asked(#function, last as Any, limit)
        return (0..<number(to: 2)).map {
            QuarantinedMail(entry: EntryID(rawValue: Int64($0)), id: id)
        }
    }

    func nextTurn(of pace: PaceName) -> WallTime? {
        asked(#function, pace)
        return optional(time())
    }

    func letters(after last: EntryID?, limit: Int) -> [StoredMail<DeadLetter>] {
        asked(#function, last as Any, limit)
        return (0..<number(to: 2)).map { entry in
            let envelope = Envelope(id: id, kind: .memoMail, createdAt: time(), orderingKey: nil)
            let letter = DeadLetter(
                id: id,
                isParked: number(to: 1) == 0,
                quarantine: nil,
                envelope: envelope.encoded(),
                bytes: 1,
                memo: nil,
                domain: nil
            )
            return StoredMail(entry: EntryID(rawValue: Int64(entry)), mail: letter)
        }
    }

    func waitingMails(after last: EntryID?, limit: Int) -> [StoredMail<WaitingMail>] {
        asked(#function, last as Any, limit)
        return (0..<number(to: 2)).map { entry in
            let envelope = Envelope(id: id, kind: .memoMail, createdAt: time(), orderingKey: nil)
            let mail = WaitingMail(
                id: id,
                envelope: number(to: 3) == 0 ? [] : envelope.encoded(),
                bytes: 1,
                memo: nil,
                domain: nil,
                heldSince: optional(time())
            )
            return StoredMail(entry: EntryID(rawValue: Int64(entry)), mail: mail)
        }
    }
}
