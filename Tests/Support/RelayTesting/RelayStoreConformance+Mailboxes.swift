import MemoTexts
import OutboxCore
import RelayAPI
import RelayRules
import RelayServer

extension RelayStoreConformance {
    static var mailboxChecks: [Check] {
        [
            Check(description: "no spelling of a mailbox multiplies a limit") { store in
                let own = try await spellings(in: store)
                let bytes = 40_000
                var limits = MemoLimits(device: DeviceLimits(perMinute: 3, perDay: 4))
                limits.account.bytesPerDay = 5 * bytes - 1
                limits.account.waiting = 9
                for number in 0..<3 {
                    let memo = memo(UInt64(number), from: own[number % 2], bytes: bytes)
                    try expect(try await exceeded(by: memo, limits, in: store) == nil)
                }
                for device in own {
                    let next = memo(9, from: device, bytes: bytes)
                    try expect(try await exceeded(by: next, limits, in: store) == ["device-minute"])
                    let usages = try await store.usages(of: sender(device), limits: limits, at: now)
                    try expect(usages.prefix(5).map(\.remaining).prefix(2) == [0, 1])
                    try expect(usages[3].remaining == 6)
                }
                let other = try await device(3, of: 3, in: store)
                let memo = memo(9, from: other, bytes: bytes)
                try expect(try await exceeded(by: memo, limits, in: store) == nil)
            },
            Check(
                description: """
                    a memo that comes again from another account of its mailbox is recognised, and becomes no \
                    memo of that account
                    """
            ) { store in
                let own = try await spellings(in: store)
                _ = try await store.accept(memo(1, from: own[0]), limits: MemoLimits())
                let id = OperationID(high: 1, low: 1)
                let record = try value(try await store.memo(id, of: own[0].account))
                for content: UInt8 in 1...2 {
                    let again = memo(1, from: own[1], content: content)
                    let answer = try await store.accept(again, limits: MemoLimits())
                    try expect(answer == .acceptedBefore(record))
                }
                let mailbox = mailbox(of: own[1].address)
                try expect(try await store.memo(id, of: own[1].account, or: mailbox) == record)
                try expect(try await store.memo(id, of: own[1].account) == nil)
                let changes = try await store.changes(of: own[1].account, after: 0, limit: 9)
                try expect(changes.changes.isEmpty)
                let memos = try await mails(of: store).filter { $0.mail.messageID == "memo-1" }
                try expect(memos.count == 1)
                let other = try await device(3, of: 3, in: store)
                guard
                    case .accepted = try await store.accept(
                        memo(1, from: other),
                        limits: MemoLimits()
                    )
                else { throw BrokenPromise(check: "an identifier is each mailbox's own") }
            },
            Check(
                description: """
                    of many repetitions of a memo, from several accounts of a mailbox at once, one is stored
                    """
            ) { store in
                let own = try await spellings(in: store)
                let decisions = try await inCrowd { number in
                    try await store.accept(memo(1, from: own[number % 2]), limits: MemoLimits())
                }
                let accepted = decisions.count {
                    if case .accepted = $0 { true } else { false }
                }
                try expect(accepted == 1)
                try expect(try await store.queueFigures().memos == 1)
            },
            Check(
                description: """
                    the mails about an account go to the address that it was made with, whatever spelling \
                    asked
                    """
            ) { store in
                let first = try await device(1, address: "Person@inbox.example", in: store)
                let second = try await device(2, address: "PERSON@inbox.example", in: store)
                try expect(first.account == second.account)
                try expect(second.address.text == "Person@inbox.example")
                let told = try await mails(of: store).map(\.mail)
                try expect(told.count == 3)
                // The first code was asked for by nobody's account.
                let recipients = told.map(\.recipient).filter { $0 != "somebody@inbox.example" }
                try expect(recipients == ["Person@inbox.example", "Person@inbox.example"])
            },
            Check(
                description: """
                    accounts of one mailbox share neither devices nor history, settings or erasure
                    """
            ) { store in
                let own = try await spellings(in: store)
                _ = try await store.accept(memo(1, from: own[0]), limits: MemoLimits())
                _ = try await store.accept(memo(2, from: own[1]), limits: MemoLimits())
                for (device, number) in zip(own, [UInt64(1), 2]) {
                    try expect(try await store.devices(of: device.account).map(\.id) == [device.id])
                    let changes = try await store.changes(of: device.account, after: 0, limit: 9)
                    try expect(changes.changes.map(\.id.low) == [number])
                }
                let revoked = try await store.revoke(own[0].id, of: own[1].account, at: now)
                try expect(revoked == nil)
                let code = verification(8, to: 1, from: 1, person: 1, at: now)
                try expect(try await ask(store, code))
                let erasure = AccountErasure(
                    account: own[0].account,
                    code: .digits([8], handle: [1, 8]),
                    addressKey: [1],
                    now: now
                )
                try expect(try await store.erase(erasure, rules: VerificationRules()))
                while try await !store.forgetErased() {}
                try expect(try await store.device(tokenHash: [0, 1]) == nil)
                let left = try value(try await store.device(tokenHash: [0, 2]))
                try expect(left.account == own[1].account && !left.isRevoked)
                let id = OperationID(high: 1, low: 2)
                try expect(try await store.memo(id, of: left.account)?.status == .accepted)
            },
            Check(description: "the dead letters of all accounts of a mailbox are held together") {
                store in
                let own = try await spellings(in: store)
                let light = try await device(3, of: 3, in: store)
                let senders = [own[0], own[1], own[0], own[1], light, light, light]
                for (number, sender) in senders.enumerated() {
                    _ = try await store.accept(
                        memo(UInt64(number + 1), from: sender),
                        limits: MemoLimits()
                    )
                }
                try await drain(store) {
                    $0.messageID.hasPrefix("memo-") ? .park("smtp.550") : .done
                }
                let letters = try await store.operators().deadLetters(MailFilter(), limit: 9)
                let all = letters.reduce(0) { $0 + $1.bytes }
                // Each spelling alone holds less than the other person.
                let room = DeadLetterRoom(allowance: all - 1)
                try expect(try await store.discardDeadLetters(toFit: room) == 1)
                let left = try await store.operators().deadLetters(MailFilter(), limit: 9)
                try expect(left.compactMap(\.memo?.low) == [2, 3, 4, 5, 6, 7])
            },
        ]
    }

    /// Devices of two accounts of one mailbox, with the tokens 1 and 2.
    private static func spellings(in store: Store) async throws -> [AuthenticatedDevice] {
        let own = [
            try await device(1, of: 1, address: "person@inbox.example", in: store),
            try await device(2, of: 2, address: "person+notes@inbox.example", in: store),
        ]
        try expect(own[0].account != own[1].account)
        try expect(mailbox(of: own[0].address) == mailbox(of: own[1].address))
        return own
    }
}
