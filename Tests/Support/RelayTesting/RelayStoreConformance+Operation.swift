import Outbox
import OutboxCore
import RelayAPI
import RelayRules
import RelayServer
import Synchronization

/// The promises about the order of mails, about readiness, and to an operator.
extension RelayStoreConformance {
    static var fairnessChecks: [Check] {
        [
            Check(description: "one account's many mails do not stand before another's") { store in
                let flooder = try await device(1, in: store)
                let honest = try await device(2, of: 2, in: store)
                let limits = MemoLimits(device: DeviceLimits(perMinute: 100, perDay: 100))
                for number in 1...UInt64(crowd) {
                    _ = try await store.accept(memo(number, from: flooder), limits: limits)
                }
                _ = try await store.accept(memo(999, from: honest), limits: limits)
                let names = try await mails(of: store).map(\.mail.messageID)
                    .filter { $0.hasPrefix("memo") }
                try expect(names.count == crowd + 1)
                try expect(names.prefix(3).contains("memo-999"))
            },
            Check(description: "a code leaves while a mail server holds all memos") { store in
                let limits = MemoLimits(device: DeviceLimits(perMinute: 100, perDay: 100))
                for person: UInt8 in 1...20 {
                    let device = try await device(Int(person), of: person, in: store)
                    _ = try await store.accept(memo(1, from: device), limits: limits)
                }
                try await leaveWhileMemosAreHeld("code-99", store) {
                    try expect(try await ask(store, verification(99, to: 99, from: 99)))
                }
            },
            Check(description: "so does the mail about a new device") { store in
                let first = try await device(1, in: store)
                let limits = MemoLimits(device: DeviceLimits(perMinute: 100, perDay: 100))
                for number: UInt64 in 1...20 {
                    _ = try await store.accept(memo(number, from: first), limits: limits)
                }
                try await leaveWhileMemosAreHeld("device-", store) {
                    _ = try await device(2, in: store)
                }
            },
        ]
    }

    /// Delivers until a mail whose name begins with `name` is handed over, while no memo's mail gets an
    /// answer. The mail is queued by `queue` once a memo's mail is under way.
    private static func leaveWhileMemosAreHeld(
        _ name: String,
        _ store: Store,
        queue: @escaping @Sendable () async throws -> Void
    ) async throws {
        let (held, hold) = AsyncStream.makeStream(of: Void.self)
        let (left, leave) = AsyncStream.makeStream(of: Void.self)
        let handler: OperationHandler = { operation in
            let mail = QueuedMail(decoding: operation.payload)
            if mail?.messageID.hasPrefix(name) == true { leave.yield() }
            return .done
        }
        try await withThrowingTaskGroup { group in
            group.addTask {
                try await store.deliver([
                    .memoMail: { _ in
                        hold.yield()
                        // A mail server that does not answer.
                        try? await Task.sleep(for: .seconds(3600))
                        return .retry("smtp.timeout")
                    }, .verificationMail: handler, .deviceMail: handler,
                ])
            }
            group.addTask {
                for await _ in held { break }
                try await queue()
                for await _ in left { break }
            }
            // A delivery that ends by itself ends the check as well.
            try await group.next()
            group.cancelAll()
        }
    }

    static var examinationChecks: [Check] {
        [
            Check(description: "a store that works says so, to \(crowd) callers at once") { store in
                _ = try await inCrowd { number in
                    try await store.tryWriting(at: now.advanced(by: Milliseconds(Int64(number))))
                    try await store.tryKeys()
                }
                let condition = try await store.queueCondition(at: now)
                try expect(condition == QueueCondition())
                try expect(try await store.queueFigures() == QueueFigures())
            },
            Check(description: "a trial changes nothing that a relay serves") { store in
                let device = try await device(1, in: store)
                _ = try await store.accept(memo(1, from: device), limits: MemoLimits())
                let before = try await store.changes(of: device.account, after: 0, limit: 9)
                try await store.tryWriting(at: now)
                try await store.tryKeys()
                let after = try await store.changes(of: device.account, after: 0, limit: 9)
                try expect(before == after)
                try expect(try await store.queueFigures().memos == 1)
            },
            Check(description: "the latest movement that was noted is the store's") { store in
                try expect(try await store.lastMovement() == nil)
                for seconds: Int64 in [0, 30, -60] {
                    let moved = now.advanced(by: .seconds(seconds))
                    try await store.noteMovement(at: moved)
                    try expect(try await store.lastMovement() == moved)
                }
            },
            Check(description: "\(crowd) callers take turns of a pace, each a pause after another")
            {
                store in
                let pause = Milliseconds(200)
                let waits = try await inCrowd { _ in
                    try await store.takeTurn(of: .resend, pause: pause, at: now)
                }
                let expected = (0..<Int64(crowd)).map { Milliseconds($0 * pause.count) }
                try expect(waits.sorted() == expected)
                let later = now.advanced(by: .seconds(3600))
                let next = try await store.takeTurn(of: .resend, pause: pause, at: later)
                try expect(next == Milliseconds(0))
            },
            Check(description: "a rest puts off the turns that nobody has taken") { store in
                let pause = Milliseconds(200)
                try await store.rest(.resend, for: .seconds(10), at: now)
                let first = try await store.takeTurn(of: .resend, pause: pause, at: now)
                try expect(first == .seconds(10))
                try await store.rest(.resend, for: .seconds(1), at: now)
                let second = try await store.takeTurn(of: .resend, pause: pause, at: now)
                try expect(second == Milliseconds(10_200))
            },
            Check(description: "a turn that a wrong clock has stored strands nobody") { store in
                let pause = Milliseconds(200)
                let wrong = now.advanced(by: .seconds(86_400 * 3650))
                _ = try await store.takeTurn(of: .resend, pause: pause, at: wrong)
                let waits = [
                    try await store.takeTurn(of: .resend, pause: pause, at: now),
                    try await store.takeTurn(of: .resend, pause: pause, at: now),
                ]
                try expect(waits == [.seconds(60), .seconds(60)])
            },
            Check(description: "the depth of the queue counts codes, memos and dead letters") {
                store in
                let device = try await device(1, in: store)
                for number: UInt64 in 1...3 {
                    _ = try await store.accept(memo(number, from: device), limits: MemoLimits())
                }
                let full = try await store.queueFigures()
                try expect(full.memos == 3 && full.codes == 1 && full.dead == 0)
                try expect(full.oldest != nil)
                try await drain(store) { mail in
                    switch mail.messageID {
                    case "memo-1": .park("smtp.550")
                    case "memo-2": .retry("smtp.451")
                    default: .done
                    }
                }
                let left = try await store.queueFigures()
                try expect(left.memos == 1 && left.codes == 0 && left.dead == 1)
                try expect(try await mails(of: store).isEmpty)
            },
            Check(description: "a new mail is due since it was queued, and a failed one waits") {
                store in
                let device = try await device(1, in: store)
                _ = try await store.accept(memo(1, from: device), limits: MemoLimits())
                let moment = try value(try await store.queueFigures().oldest)
                let later = moment.advanced(by: .seconds(30 * 86_400))
                try expect(try await store.queueCondition(at: moment).dueSince == moment)
                try expect(try await store.queueCondition(at: later).dueSince == moment)
                try await drain(store) { $0.messageID == "memo-1" ? .retry("smtp.451") : .done }
                let waiting = try await store.queueCondition(at: moment)
                try expect(waiting == QueueCondition(waits: ["smtp.451": 1]))
                let due = try value(try await store.queueCondition(at: later).dueSince)
                try expect(due > moment && due < later)
            },
            Check(description: "mails that wait are counted by their last failure") { store in
                let device = try await device(1, in: store)
                for number: UInt64 in 1...3 {
                    _ = try await store.accept(memo(number, from: device), limits: MemoLimits())
                }
                try await drain(store) { mail in
                    switch mail.messageID {
                    case "memo-1", "memo-2": .retry("smtp.451")
                    case "memo-3": .retry("smtp.relay.535")
                    default: .done
                    }
                }
                let condition = try await store.queueCondition(at: now)
                try expect(condition.waits == ["smtp.451": 2, "smtp.relay.535": 1])
            },
        ]
    }

    /// Gives these memos' mails up, for these reasons. Each memo is of the person of its number.
    private static func giveUp(
        _ reasons: [String: ReasonCode],
        in store: Store
    ) async throws -> [AuthenticatedDevice] {
        var devices: [AuthenticatedDevice] = []
        for number in 1...3 {
            let device = try await device(number, of: UInt8(number), in: store)
            _ = try await store.accept(memo(UInt64(number), from: device), limits: MemoLimits())
            devices.append(device)
        }
        try await drain(store) { mail in
            reasons[mail.messageID].map { .park($0) }
                ?? (mail.messageID.hasPrefix("memo") ? .retry("smtp.451") : .done)
        }
        return devices
    }

    private static func filter(_ set: (inout MailFilter) -> Void) -> MailFilter {
        var filter = MailFilter()
        set(&filter)
        return filter
    }

    private static func memoID(_ number: UInt64) -> OperationID {
        OperationID(high: 1, low: number)
    }

    static var operatorChecks: [Check] { listChecks + changeChecks }

    private static var listChecks: [Check] {
        [
            Check(description: "the commands open the relay's own secret") { store in
                let secret = try await store.operators().relaySecret()
                let mail = OperationID(high: 1, low: 2)
                try expect(secret.bounceTag(of: mail) == store.secret.bounceTag(of: mail))
            },
            Check(description: "a mail that the relay has given up is listed, and no other one") {
                store in
                _ = try await giveUp(["memo-1": "smtp.550"], in: store)
                let letters = try await store.operators().deadLetters(filter { _ in }, limit: 9)
                try expect(letters.map(\.memo) == [memoID(1)])
                let letter = try value(letters.first)
                try expect(letter.reason == "smtp.550" && letter.attempts == 1)
                try expect(letter.domain == "inbox.example" && letter.bytes > 0)
                try expect(letter.isRetryable)
            },
            Check(description: "dead letters are chosen by reason, domain, age, identifier, number")
            {
                store in
                let reasons: [String: ReasonCode] = [
                    "memo-1": "smtp.550", "memo-2": "expired.smtp.451", "memo-3": "smtp.552",
                ]
                _ = try await giveUp(reasons, in: store)
                let operators = try store.operators()
                func chosen(
                    limit: Int = 9,
                    _ set: (inout MailFilter) -> Void
                ) async throws -> [UInt64?] {
                    try await operators.deadLetters(filter(set), limit: limit).map { $0.memo?.low }
                }
                try expect(try await chosen { _ in } == [1, 2, 3])
                try expect(try await chosen(limit: 2) { _ in } == [1, 2])
                try expect(try await chosen { $0.reason = "smtp" } == [1, 3])
                try expect(try await chosen { $0.reason = "expired.smtp.451" } == [2])
                try expect(try await chosen { $0.reason = "smt" }.isEmpty)
                try expect(try await chosen { $0.domain = "INBOX.example" } == [1, 2, 3])
                try expect(try await chosen { $0.domain = "example" }.isEmpty)
                try expect(try await chosen { $0.ids = [memoID(3)] } == [3])
                let all = try await operators.deadLetters(filter { _ in }, limit: 9)
                try expect(try await chosen { $0.ids = [all[1].id] } == [2])
                let end = try value(all.map(\.queuedAt).max())
                try expect(try await chosen { $0.before = all[0].queuedAt }.isEmpty)
                let after = end.advanced(by: Milliseconds(1))
                try expect(try await chosen { $0.before = after } == [1, 2, 3])
            },
            Check(description: "the statistics count mails, memos, accounts and devices") { store in
                let devices = try await giveUp(["memo-1": "smtp.550"], in: store)
                try expect(
                    try await store.revoke(devices[2].id, of: devices[2].account, at: now) != nil
                )
                let statistics = try await store.operators().statistics(at: now)
                try expect(statistics.queue == (try await store.queueFigures()))
                try expect(statistics.waits == ["smtp.451": 2])
                try expect(statistics.deadLetters == ["smtp.550": 1])
                try expect(statistics.memos == ["accepted": 2, "bounced": 1])
                try expect(statistics.accounts == 3 && statistics.devices == 2)
            },
        ]
    }

    private static var changeChecks: [Check] {
        [
            Check(description: "a dead letter that is tried again leaves as the same mail") {
                store in
                let devices = try await giveUp(
                    ["memo-1": "smtp.550", "memo-2": "smtp.552"],
                    in: store
                )
                let account = devices[0].account
                let before = try await store.changes(of: account, after: 0, limit: 9)
                let operators = try store.operators()
                let one = filter { $0.ids = [memoID(1)] }
                let letters = try await operators.retry(one, at: now)
                try expect(letters.map(\.memo) == [memoID(1)])
                try expect(try await operators.retry(one, at: now).isEmpty)
                let record = try value(try await store.memo(memoID(1), of: account))
                try expect(record.status == .accepted && record.reason == nil)
                let told = try await store.changes(of: account, after: before.latest, limit: 9)
                try expect(told.changes.map(\.id) == [memoID(1)])
                let mails = try await mails(of: store)
                try expect(mails.map(\.operation) == letters.map(\.id))
                try expect(mails.map(\.mail) == [mail("memo-1")])
                let left = try await operators.deadLetters(filter { _ in }, limit: 9)
                try expect(left.map(\.memo) == [memoID(2)])
            },
            Check(description: "a discarded dead letter is gone, and its memo keeps its fate") {
                store in
                let devices = try await giveUp(
                    ["memo-1": "smtp.550", "memo-2": "smtp.552"],
                    in: store
                )
                let operators = try store.operators()
                let letters = try await operators.discard(filter { $0.reason = "smtp.550" })
                try expect(letters.map(\.memo) == [memoID(1)])
                let left = try await operators.deadLetters(filter { _ in }, limit: 9)
                try expect(left.map(\.memo) == [memoID(2)])
                let account = devices[0].account
                let record = try value(try await store.memo(memoID(1), of: account))
                try expect(record.status == .bounced && record.reason == "smtp.550")
            },
            Check(description: "of \(crowd) operators, one tries a dead letter again") { store in
                _ = try await giveUp(
                    ["memo-1": "smtp.550", "memo-2": "smtp.550", "memo-3": "smtp.550"],
                    in: store
                )
                let operators = try store.operators()
                let retried = try await inCrowd { _ in
                    try await operators.retry(MailFilter(), at: now).map(\.id)
                }
                try expect(retried.joined().count == 3 && Set(retried.joined()).count == 3)
                try expect(try await mails(of: store).count == 3)
            },
            Check(description: "of \(crowd) operators, one discards a dead letter") { store in
                _ = try await giveUp(["memo-1": "smtp.550", "memo-2": "smtp.550"], in: store)
                let operators = try store.operators()
                let discarded = try await inCrowd { _ in
                    try await operators.discard(MailFilter()).map(\.id)
                }
                try expect(discarded.joined().count == 2)
                try expect(try await store.queueFigures().dead == 0)
            },
            Check(description: "of \(crowd) bounces by relay and operator, one is recorded") {
                store in
                let device = try await device(1, in: store)
                _ = try await store.accept(memo(1, from: device), limits: MemoLimits())
                let mails = try await drain(store) { _ in .done }
                let mail = try value(mails.first { $0.mail.messageID == "memo-1" }).operation
                let operators = try store.operators()
                let results = try await inCrowd { number in
                    let bounce = MailBounce(of: mail, .bounced("dsn.5.1.1"), at: now)
                    guard number % 2 == 0 else {
                        return try await operators.recordBounce(bounce)
                    }
                    return try await store.record(bounce)
                }
                try expect(results.count { $0 == .recorded } == 1)
                try expect(results.count { $0 == .settledBefore } == crowd - 1)
            },
        ]
    }
}
