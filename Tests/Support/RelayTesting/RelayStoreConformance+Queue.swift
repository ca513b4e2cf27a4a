import Outbox
import OutboxCore
import RelayAPI
import RelayRules
import RelayServer

/// The promises to an operator about mails that are due, wait, or are held.
extension RelayStoreConformance {
    static var queueChecks: [Check] { waitingChecks + holdChecks + inFlightChecks }

    /// Queues the mails of three memos, each of the person of its number, and sends all other mails.
    ///
    /// - Parameter reasons: The failures of first attempts, by memo. Only a mail that has failed waits.
    private static func queue(
        failing reasons: [String: ReasonCode] = [:],
        in store: Store
    ) async throws -> [AuthenticatedDevice] {
        var devices: [AuthenticatedDevice] = []
        for number in 1...3 {
            devices.append(try await device(number, of: UInt8(number), in: store))
        }
        _ = try await mails(of: store)
        for number in reasons.keys.sorted() {
            try await accept(number, from: devices, in: store)
        }
        try await drain(store) { mail in reasons[mail.messageID].map { .retry($0) } ?? .done }
        for number in 1...3 where reasons["memo-\(number)"] == nil {
            try await accept("memo-\(number)", from: devices, in: store)
        }
        return devices
    }

    private static func accept(
        _ name: String,
        from devices: [AuthenticatedDevice],
        in store: Store
    ) async throws {
        let number = try value(Int(name.dropFirst("memo-".count)))
        let memo = memo(UInt64(number), from: devices[number - 1])
        _ = try await store.accept(memo, limits: MemoLimits())
    }

    private static func memos(_ numbers: UInt64...) -> MailFilter {
        var filter = MailFilter()
        filter.ids = Set(numbers.map { OperationID(high: 1, low: $0) })
        return filter
    }

    private static func numbers(_ mails: [WaitingMail]) -> [UInt64?] { mails.map { $0.memo?.low } }

    private static func waiting(
        _ store: Store,
        limit: Int = 9,
        _ set: (inout MailFilter) -> Void = { _ in }
    ) async throws -> [WaitingMail] {
        var filter = MailFilter()
        set(&filter)
        return try await store.operators().waitingMails(filter, limit: limit)
    }

    private static var waitingChecks: [Check] {
        [
            Check(description: "a mail that is due or waits is listed, and no dead letter") {
                store in
                _ = try await queue(failing: ["memo-1": "smtp.451"], in: store)
                let mails = try await waiting(store)
                try expect(numbers(mails) == [1, 2, 3])
                let failed = try value(mails.first)
                try expect(failed.reason == "smtp.451" && failed.attempts == 1)
                try expect(failed.dueAt != nil && failed.heldSince == nil)
                try expect(failed.kind == "memo" && failed.domain == "inbox.example")
                let new = try value(mails.last)
                try expect(new.reason == nil && new.attempts == 0 && new.dueAt == nil)
                try await drain(store) { mail in
                    mail.messageID == "memo-2" ? .park("smtp.550") : .done
                }
                try expect(numbers(try await waiting(store)) == [1])
            },
            Check(
                description: "waiting mails are chosen by reason, domain, age, identifier, number"
            ) {
                store in
                let reasons: [String: ReasonCode] = ["memo-1": "smtp.451", "memo-2": "smtp.452"]
                _ = try await queue(failing: reasons, in: store)
                let all = try await waiting(store)
                try expect(numbers(all) == [1, 2, 3])
                try expect(numbers(try await waiting(store, limit: 2)) == [1, 2])
                try expect(numbers(try await waiting(store) { $0.reason = "smtp" }) == [1, 2])
                try expect(numbers(try await waiting(store) { $0.reason = "smtp.452" }) == [2])
                try expect(try await waiting(store) { $0.reason = "smt" }.isEmpty)
                let domain = try await waiting(store) { $0.domain = "INBOX.example" }
                try expect(numbers(domain) == [1, 2, 3])
                try expect(try await waiting(store) { $0.domain = "example" }.isEmpty)
                try expect(numbers(try await waiting(store) { $0.ids = [all[1].id] }) == [2])
                try expect(try await waiting(store) { $0.before = all[0].queuedAt }.isEmpty)
            },
            Check(description: "a mail that waits is due at once when its operator wants it") {
                store in
                _ = try await queue(failing: ["memo-1": "smtp.451"], in: store)
                let operators = try store.operators()
                _ = try await operators.hold(memos(2), at: now)
                try expect(numbers(try await operators.attemptNow(memos(1, 2))) == [1])
                let mails = try await mails(of: store).map(\.mail.messageID)
                try expect(Set(mails) == ["memo-1", "memo-3"])
                try expect(numbers(try await waiting(store)) == [2])
            },
        ]
    }

    private static var holdChecks: [Check] {
        [
            Check(
                description: "a held mail is not attempted, and leaves as the same mail afterwards"
            ) {
                store in
                let devices = try await queue(in: store)
                let operators = try store.operators()
                let held = try await operators.hold(memos(2), at: now)
                try expect(numbers(held) == [2])
                try expect(try await operators.hold(memos(2), at: now).isEmpty)
                let others = try await mails(of: store).map(\.mail.messageID)
                try expect(Set(others) == ["memo-1", "memo-3"])
                try expect(try await !store.hasDueMail())
                let listed = try await waiting(store)
                try expect(listed.map(\.heldSince) == [now] && listed.map(\.id) == held.map(\.id))
                let id = OperationID(high: 1, low: 2)
                let record = try await store.memo(id, of: devices[1].account)
                try expect(record?.status == .accepted)
                try expect(numbers(try await operators.release(memos(2))) == [2])
                try expect(try await operators.release(memos(2)).isEmpty)
                let released = try await mails(of: store)
                try expect(released.map(\.operation) == held.map(\.id))
                try expect(released.map(\.mail) == [mail("memo-2")])
                try expect(try await waiting(store).isEmpty)
            },
            Check(
                description:
                    "a held mail is no dead letter, and the depth of the queue tells it apart"
            ) {
                store in
                _ = try await queue(in: store)
                let operators = try store.operators()
                _ = try await operators.hold(memos(1, 2), at: now)
                let figures = try await store.queueFigures()
                try expect(figures.held == 2 && figures.memos == 1 && figures.dead == 0)
                try expect(try await operators.deadLetters(MailFilter(), limit: 9).isEmpty)
                try expect(try await operators.discard(MailFilter()).isEmpty)
                try expect(try await operators.retry(MailFilter(), at: now).isEmpty)
                let statistics = try await operators.statistics(at: now)
                try expect(statistics.queue == figures && statistics.deadLetters.isEmpty)
                try expect(statistics.memos == ["accepted": 3])
                _ = try await operators.release(MailFilter())
                let later = try await store.queueFigures()
                try expect(later.held == 0 && later.memos == 3)
            },
            Check(description: "the mail of an erased account goes, although it is held") { store in
                let devices = try await queue(in: store)
                _ = try await store.operators().hold(memos(1), at: now)
                try await erase(devices[0], in: store)
                while try await !store.forgetErased() {}
                try expect(try await store.queueFigures().held == 0)
                let left = try await waiting(store).filter { $0.memo != nil }
                try expect(numbers(left) == [2, 3])
            },
            Check(description: "of \(crowd) operators, one holds a mail, and one releases it") {
                store in
                _ = try await queue(in: store)
                let operators = try store.operators()
                let held = try await inCrowd { _ in
                    try await operators.hold(memos(1), at: now).count
                }
                try expect(held.reduce(0, +) == 1)
                let released = try await inCrowd { _ in
                    try await operators.release(memos(1)).count
                }
                try expect(released.reduce(0, +) == 1)
                try expect(try await mails(of: store).count == 3)
            },
        ]
    }

    private static var inFlightChecks: [Check] {
        [
            Check(description: "a mail that is held while it is handed over, and fails, is held") {
                store in
                _ = try await queue(in: store)
                let operators = try store.operators()
                let isRecorded: @Sendable () async throws -> Bool = {
                    try await waiting(store).map(\.attempts) == [1]
                }
                try await drain(store, until: isRecorded) { mail in
                    guard mail.messageID == "memo-1" else { return .done }
                    let held = try? await operators.hold(memos(1), at: now)
                    return held?.count == 1 ? .retry("smtp.451") : .park("not-held")
                }
                let listed = try await waiting(store)
                try expect(numbers(listed) == [1] && listed[0].heldSince == now)
                try expect(listed[0].reason == "smtp.451" && listed[0].attempts == 1)
                _ = try await operators.attemptNow(memos(1))
                try expect(try await mails(of: store).isEmpty)
                _ = try await operators.release(memos(1))
                try expect(try await mails(of: store).map(\.mail.messageID) == ["memo-1"])
            },
            Check(description: "a mail that is held while it is handed over, and arrives, is gone")
            {
                store in
                let devices = try await queue(in: store)
                let operators = try store.operators()
                let isRecorded: @Sendable () async throws -> Bool = {
                    try await waiting(store).isEmpty
                }
                try await drain(store, until: isRecorded) { mail in
                    if mail.messageID == "memo-1" {
                        _ = try? await operators.hold(memos(1), at: now)
                    }
                    return .done
                }
                try expect(try await waiting(store).isEmpty)
                try expect(try await store.queueFigures().held == 0)
                let id = OperationID(high: 1, low: 1)
                let record = try await store.memo(id, of: devices[0].account)
                try expect(record?.status == .delivered)
            },
            Check(description: "a mail that is held while it is refused for good is a dead letter")
            {
                store in
                _ = try await queue(in: store)
                let operators = try store.operators()
                let isRecorded: @Sendable () async throws -> Bool = {
                    try await waiting(store).isEmpty
                }
                try await drain(store, until: isRecorded) { mail in
                    guard mail.messageID == "memo-1" else { return .done }
                    _ = try? await operators.hold(memos(1), at: now)
                    return .park("smtp.550")
                }
                try expect(try await waiting(store).isEmpty)
                let letters = try await operators.deadLetters(MailFilter(), limit: 9)
                try expect(letters.map(\.reason) == ["smtp.550"])
                try expect(try await operators.release(MailFilter()).isEmpty)
                try expect(try await operators.retry(MailFilter(), at: now).count == 1)
                try expect(try await mails(of: store).map(\.mail.messageID) == ["memo-1"])
            },
        ]
    }
}
