import OutboxCore
import RelayAPI
import RelayRules
import RelayServer

extension RelayStoreConformance {
    static var memoChecks: [Check] {
        [
            Check(description: "a memo is accepted once, and a repeat gets the record of that time")
            {
                let device = try await device(1, in: $0)
                let memo = memo(1, from: device)
                let limits = MemoLimits(device: DeviceLimits(perMinute: 9, perDay: 9))
                guard case .accepted(let usages) = try await $0.accept(memo, limits: limits) else {
                    return try expect(false)
                }
                try expect(usages.prefix(2).map(\.remaining) == [8, 8])
                let record = try value(try await $0.memo(memo.id, of: device.account))
                try expect(record.status == .accepted && record.reason == nil)
                let other = Self.memo(1, from: device, content: 2)
                for repeated in [memo, other] {
                    let answer = try await $0.accept(repeated, limits: limits)
                    try expect(answer == .acceptedBefore(record))
                }
            },
            Check(description: "an identifier is each account's own") { store in
                let mine = try await device(1, in: store)
                let stranger = try await device(2, of: 2, in: store)
                let limits = MemoLimits()
                for device in [mine, stranger] {
                    let memo = memo(1, from: device, content: device.id == mine.id ? 1 : 2)
                    guard case .accepted = try await store.accept(memo, limits: limits) else {
                        return try expect(false)
                    }
                }
                let id = OperationID(high: 1, low: 1)
                let record = try value(try await store.memo(id, of: stranger.account))
                try expect(record.contentCode == [2])
                let none = OperationID(high: 1, low: 2)
                try expect(try await store.memo(none, of: mine.account) == nil)
            },
            Check(description: "a memo over a limit is not stored, and a repeat is not over one") {
                let device = try await device(1, in: $0)
                let limits = MemoLimits(device: DeviceLimits(perMinute: 1, perDay: 9))
                let first = memo(1, from: device)
                _ = try await $0.accept(first, limits: limits)
                let second = memo(2, from: device)
                guard case .overLimit(let usages) = try await $0.accept(second, limits: limits)
                else { return try expect(false) }
                try expect(usages.prefix(2).map(\.remaining) == [0, 8])
                try expect(try await $0.memo(second.id, of: device.account) == nil)
                guard case .acceptedBefore = try await $0.accept(first, limits: limits) else {
                    return try expect(false)
                }
                let later = memo(2, from: device, at: now.advanced(by: .seconds(60)))
                guard case .accepted = try await $0.accept(later, limits: limits) else {
                    return try expect(false)
                }
            },
            Check(description: "the memos of all devices of an account count together") { store in
                let limits = MemoLimits(device: DeviceLimits(perMinute: 2, perDay: 9))
                let mine = [try await device(1, in: store), try await device(2, in: store)]
                for (number, device) in mine.enumerated() {
                    let memo = memo(UInt64(number), from: device)
                    guard case .accepted = try await store.accept(memo, limits: limits) else {
                        return try expect(false)
                    }
                }
                let usages = try await store.usages(of: sender(mine[0]), limits: limits, at: now)
                try expect(usages.prefix(2).map(\.remaining) == [0, 7])
                for device in mine {
                    let memo = memo(3, from: device)
                    guard case .overLimit = try await store.accept(memo, limits: limits) else {
                        return try expect(false)
                    }
                }
                let stranger = try await device(3, of: 2, in: store)
                let memo = memo(3, from: stranger)
                guard case .accepted = try await store.accept(memo, limits: limits) else {
                    return try expect(false)
                }
            },
            Check(description: "changes are numbered upwards, and read from any number in pages") {
                let device = try await device(1, in: $0)
                let none = try await $0.changes(of: device.account, after: 0, limit: 9)
                try expect(none == StatusChangeList(changes: [], latest: 0))
                for number: UInt64 in 1...4 {
                    _ = try await $0.accept(memo(number, from: device), limits: MemoLimits())
                }
                let all = try await $0.changes(of: device.account, after: 0, limit: 9)
                try expect(all.changes.map(\.id.low) == [1, 2, 3, 4])
                let numbers = all.changes.map(\.number)
                try expect(numbers == numbers.sorted() && Set(numbers).count == 4)
                try expect(all.latest == numbers[3] && numbers[0] > 0)
                let page = try await $0.changes(of: device.account, after: numbers[0], limit: 2)
                try expect(page.changes.map(\.id.low) == [2, 3] && page.latest == numbers[3])
                let stranger = try await Self.device(2, of: 2, in: $0)
                try expect(
                    try await $0.changes(of: stranger.account, after: 0, limit: 9) == none
                )
            },
        ]
    }

    static var mailChecks: [Check] {
        [
            Check(description: "each accepted memo is one mail of the same bytes, and no other is")
            {
                let device = try await device(1, in: $0)
                let limits = MemoLimits(device: DeviceLimits(perMinute: 2, perDay: 9))
                for number: UInt64 in [1, 2, 1, 3] {
                    _ = try await $0.accept(memo(number, from: device), limits: limits)
                }
                let mails = try await mails(of: $0)
                let names = ["code-7", "memo-1", "memo-2"]
                try expect(
                    mails.map(\.mail).sorted { $0.messageID < $1.messageID }
                        == names.map { Self.mail($0) }
                )
                try expect(Set(mails.map(\.operation)).count == 3)
                try expect(try await Self.mails(of: $0).isEmpty)
            },
            Check(description: "a mail's fate is the memo's, and its latest change") {
                let device = try await device(1, in: $0)
                for number: UInt64 in 1...2 {
                    _ = try await $0.accept(memo(number, from: device), limits: MemoLimits())
                }
                let fates: [String: MemoFate] = ["memo-1": .bounced("smtp.550")]
                try await drain($0) { fates[$0.messageID]?.outcome ?? .retry("smtp.451") }
                let id = OperationID(high: 1, low: 1)
                let record = try value(try await $0.memo(id, of: device.account))
                try expect(record.status == .bounced && record.reason == "smtp.550")
                let changes = try await $0.changes(of: device.account, after: 0, limit: 9)
                try expect(changes.changes.map(\.id.low) == [2, 1])
                try expect(changes.changes.map(\.status) == [.accepted, .bounced])
                try expect(changes.changes.last?.reason == "smtp.550")
            },
            Check(description: "every fate of a mail is told with its status and reason") {
                let device = try await device(1, in: $0)
                let fates: [MemoFate] = [
                    .delivered, .bounced("smtp.550"), .expired("smtp.451"), .malformed,
                ]
                for number in fates.indices {
                    let memo = memo(UInt64(number), from: device)
                    _ = try await $0.accept(memo, limits: MemoLimits())
                }
                try await drain($0) { mail in
                    let number = fates.indices.first { "memo-\($0)" == mail.messageID }
                    return number.map { fates[$0].outcome } ?? .done
                }
                for (number, fate) in fates.enumerated() {
                    let id = OperationID(high: 1, low: UInt64(number))
                    let record = try value(try await $0.memo(id, of: device.account))
                    try expect(record.status == fate.status)
                    try expect(record.reason == fate.reason?.description)
                }
            },
            Check(description: "a bounce is recorded once, of a delivered memo alone") { store in
                let device = try await device(1, in: store)
                for number: UInt64 in 0...2 {
                    _ = try await store.accept(memo(number, from: device), limits: MemoLimits())
                }
                let fates: [String: MemoFate] = [
                    "memo-0": .delivered, "memo-1": .expired("smtp.451"),
                ]
                let mails = try await drain(store) { fates[$0.messageID]?.outcome ?? .retry("x") }
                func record(_ name: String, _ fate: MemoFate) async throws -> MailBounceResult {
                    let mail = try value(mails.first { $0.mail.messageID == name }).operation
                    return try await store.record(MailBounce(of: mail, fate, at: now))
                }
                func state(_ number: UInt64) async throws -> [String?] {
                    let id = OperationID(high: 1, low: number)
                    let record = try value(try await store.memo(id, of: device.account))
                    return [record.status.rawValue, record.reason]
                }
                let before = try await store.changes(of: device.account, after: 0, limit: 9)
                try expect(try await record("memo-1", .bounced("dsn.5.1.1")) == .settledBefore)
                try expect(try await record("memo-2", .bounced("dsn.5.1.1")) == .undecided)
                let none = MailBounce(of: OperationID(high: 9, low: 9), .bounced("x"), at: now)
                try expect(try await store.record(none) == .noMemo)
                let after = try await store.changes(of: device.account, after: 0, limit: 9)
                try expect(before == after)
                try expect(try await record("memo-0", .expired("dsn.4.4.1")) == .recorded)
                try expect(try await record("memo-0", .bounced("dsn.5.1.1")) == .settledBefore)
                try expect(try await state(0) == ["expired", "dsn.4.4.1"])
                try expect(try await state(1) == ["expired", "smtp.451"])
                let told = after.latest
                let last = try await store.changes(of: device.account, after: told, limit: 9)
                try expect(last.changes.map(\.id.low) == [0])
            },
            Check(
                description: """
                    dead letters are discarded once the relay has run for their lifetime, and their memos \
                    keep their fate
                    """
            ) {
                let device = try await device(1, in: $0)
                for number: UInt64 in 1...2 {
                    _ = try await $0.accept(memo(number, from: device), limits: MemoLimits())
                }
                try await drain($0) { mail in
                    mail.messageID == "memo-1" ? .park("smtp.550") : .retry("smtp.451")
                }
                // Time before the relay sees the letter does not count.
                try expect(try await discarded(after: 1000, in: $0) == 0)
                try expect(try await discarded(after: 99, in: $0) == 0)
                try expect(try await discarded(after: 1, in: $0) == 1)
                try expect(try await discarded(after: 1000, in: $0) == 0)
                let statuses: [DeliveryStatus] = [.bounced, .accepted]
                for (number, status) in statuses.enumerated() {
                    let id = OperationID(high: 1, low: UInt64(number + 1))
                    let record = try value(try await $0.memo(id, of: device.account))
                    try expect(record.status == status)
                }
            },
            Check(description: "a dead letter that is tried again and dies again begins anew") {
                store in
                let device = try await device(1, in: store)
                _ = try await store.accept(memo(1, from: device), limits: MemoLimits())
                try await drain(store) { _ in .park("smtp.550") }
                try expect(try await discarded(after: 1, in: store) == 0)
                try expect(try await discarded(after: 99, in: store) == 0)
                _ = try await store.operators().retry(MailFilter(), at: now)
                // No letter is dead now, and no mail that waits is discarded.
                try expect(try await discarded(after: 1, in: store) == 0)
                let none = DeadLetterRoom(allowance: 0)
                try expect(try await store.discardDeadLetters(toFit: none) == 0)
                try await drain(store) { _ in .park("smtp.550") }
                try expect(try await discarded(after: 1, in: store) == 0)
                try expect(try await discarded(after: 99, in: store) == 0)
                try expect(try await discarded(after: 1, in: store) >= 1)
                try expect(try await store.queueFigures().dead == 0)
            },
            Check(
                description: """
                    while dead letters do not fit, the account that holds most loses its first ones, and none \
                    that holds its share loses any
                    """
            ) { store in
                let heavy = try await device(1, in: store)
                let light = try await device(2, of: 2, in: store)
                for number: UInt64 in 1...6 {
                    _ = try await store.accept(
                        memo(number, from: number == 3 ? light : heavy),
                        limits: MemoLimits()
                    )
                }
                try await drain(store) { mail in
                    switch mail.messageID {
                    case "memo-6": .retry("smtp.451")
                    case let name where name.hasPrefix("memo-"): .park("smtp.550")
                    default: .done
                    }
                }
                let letters = try await store.operators().deadLetters(MailFilter(), limit: 9)
                try expect(letters.count == 5)
                let all = letters.reduce(0) { $0 + $1.bytes }
                let fits = DeadLetterRoom(allowance: all)
                try expect(try await store.discardDeadLetters(toFit: fits) == 0)
                let room = DeadLetterRoom(allowance: all / 2)
                let discarded = try await store.discardDeadLetters(toFit: room)
                let left = try await store.operators().deadLetters(MailFilter(), limit: 9)
                try expect(left.reduce(0) { $0 + $1.bytes } <= room.allowance)
                try expect(discarded == 5 - left.count && left.count == 2)
                try expect(left.compactMap(\.memo?.low) == [3, 5])
                try expect(try await store.discardDeadLetters(toFit: room) == 0)
                // No mail that waits is discarded, and each memo keeps its fate.
                let none = DeadLetterRoom(allowance: 0)
                try expect(try await store.discardDeadLetters(toFit: none) == 2)
                try expect(try await store.queueFigures().dead == 0)
                let fates: [(UInt64, AuthenticatedDevice, DeliveryStatus)] = [
                    (3, light, .bounced), (5, heavy, .bounced), (6, heavy, .accepted),
                ]
                for (number, sender, status) in fates {
                    let id = OperationID(high: 1, low: number)
                    let record = try value(try await store.memo(id, of: sender.account))
                    try expect(record.status == status)
                }
            },
            Check(
                description: """
                    a memo whose device was signed out during the upload is refused, and one that was stored \
                    before is not
                    """
            ) { store in
                let device = try await device(1, in: store)
                let first = memo(1, from: device)
                _ = try await store.accept(first, limits: MemoLimits())
                _ = try await store.revoke(device.id, of: device.account, at: now)
                guard case .acceptedBefore = try await store.accept(first, limits: MemoLimits())
                else { throw BrokenPromise(check: "a memo that was stored before") }
                let decision = try await store.accept(memo(2, from: device), limits: MemoLimits())
                try expect(decision == .revoked)
                let id = OperationID(high: 1, low: 2)
                try expect(try await store.memo(id, of: device.account) == nil)
                try expect(try await store.queueFigures().memos == 1)
            },
            Check(description: "the fate of a mail that is no memo's changes nothing") {
                let device = try await device(1, in: $0)
                _ = try await $0.accept(memo(1, from: device), limits: MemoLimits())
                let before = try await $0.changes(of: device.account, after: 0, limit: 9)
                try await drain($0) { $0.messageID == "memo-1" ? .retry("smtp.451") : .done }
                let after = try await $0.changes(of: device.account, after: 0, limit: 9)
                try expect(before == after)
            },
        ]
    }

    /// The number of dead letters that are discarded once the relay has run for some more seconds, of a
    /// lifetime of 100.
    private static func discarded(after seconds: Int64, in store: Store) async throws -> Int {
        let age = RunningAge(lifetime: .seconds(100))
        var span: Milliseconds = .seconds(seconds)
        var count = 0
        while true {
            let sweep = try await store.ageDeadLetters(age, after: span)
            count += sweep.discarded
            guard !sweep.isDone else { return count }
            span = Milliseconds(0)
        }
    }
}
