import OutboxCore
import RelayAPI
import RelayRules
import RelayServer

/// The promises about accounts that are erased.
extension RelayStoreConformance {
    static var erasureChecks: [Check] {
        [
            Check(description: "an erased account has no device, and its address begins anew") {
                store in
                let devices = [try await device(1, in: store), try await device(2, in: store)]
                _ = try await accepted(change(1, of: devices[0], ["a": "1"]), in: store)
                _ = try await store.accept(memo(1, from: devices[0]), limits: MemoLimits())
                try await erase(devices[0], in: store)
                for token in 1...2 {
                    let hash = [UInt8(token >> 8), UInt8(token & 255)]
                    try expect(try await store.device(tokenHash: hash) == nil)
                }
                let again = try await device(3, in: store)
                try expect(again.account != devices[0].account)
                try expect(try await store.settings(of: again.account) == nil)
                try await forgetAll(in: store)
                let told = try await store.accountChanges(of: again.account, after: 0, limit: 9)
                try expect(told.changes.count == 1)
                try expect(try await store.device(tokenHash: [0, 3])?.id == again.id)
            },
            Check(description: "a wrong code, or another account's, erases nothing and counts") {
                store in
                let mine = try await device(1, in: store)
                let stranger = try await device(2, of: 2, in: store)
                try expect(try await ask(store, verification(9, to: 9, from: 9)))
                let rules = VerificationRules()
                for _ in 0..<rules.tries {
                    let wrong = erasure(of: mine, code: [8], handle: [9, 9])
                    try expect(try await !store.erase(wrong, rules: rules))
                }
                let late = erasure(of: mine, code: [9], handle: [9, 9])
                try expect(try await !store.erase(late, rules: rules))
                try expect(try await ask(store, verification(7, to: 10, from: 10)))
                let foreign = erasure(of: mine, person: 2, code: [7], handle: [10, 7])
                try expect(try await !store.erase(foreign, rules: rules))
                try expect(try await store.forgetErased())
                for (token, device) in [(1, mine), (2, stranger)] {
                    let known = try await store.device(tokenHash: [0, UInt8(token)])
                    try expect(known?.id == device.id)
                }
            },
            Check(description: "what is left of an erased account goes: memos, mails, dead letters")
            {
                store in
                let mine = try await device(1, in: store)
                let stranger = try await device(2, of: 2, in: store)
                let limits = MemoLimits(device: DeviceLimits(perMinute: 1000, perDay: 1000))
                for device in [mine, stranger] {
                    let dead = memo(1, from: device)
                    _ = try await store.accept(dead, limits: limits)
                }
                try await drain(store) { _ in .park("smtp.550") }
                // More than one transaction removes.
                for number: UInt64 in 2...200 {
                    _ = try await store.accept(memo(number, from: mine), limits: limits)
                }
                _ = try await store.accept(memo(2, from: stranger), limits: limits)
                try await erase(mine, in: store)
                try expect(try await !store.forgetErased())
                try await forgetAll(in: store)
                for number: UInt64 in 1...200 {
                    let id = OperationID(high: 1, low: number)
                    try expect(try await store.memo(id, of: mine.account) == nil)
                }
                let names = try await mails(of: store).map(\.mail.messageID)
                try expect(names.count { $0.hasPrefix("memo") } == 1)
                let letters = try await store.operators().deadLetters(
                    MailFilter(),
                    limit: 9
                )
                try expect(letters.count { $0.memo != nil } == 1)
                let told = try await store.accountChanges(of: mine.account, after: 0, limit: 9)
                try expect(told == AccountChangeList(changes: [], latest: 0, forgotten: 0))
                let kept = try await store.accountChanges(
                    of: stranger.account,
                    after: 0,
                    limit: 9
                )
                try expect(kept.changes.count == 3)
            },
            Check(description: "of \(crowd) erasures with one code, one is granted") { store in
                let device = try await device(1, in: store)
                try expect(try await ask(store, verification(9, to: 9, from: 9)))
                let areGranted = try await inCrowd { _ in
                    let erasure = erasure(of: device, code: [9], handle: [9, 9])
                    return try await store.erase(erasure, rules: VerificationRules())
                }
                try expect(areGranted.count { $0 } == 1)
                try await forgetAll(in: store)
            },
            Check(
                description: "a sign-in while an account is erased is to the old or a new account"
            ) {
                store in
                let old = try await device(1, in: store)
                try expect(try await ask(store, verification(9, to: 9, from: 9)))
                var rules = VerificationRules()
                rules.signIns = crowd
                let generous = rules
                _ = try await inCrowd { number in
                    if number == crowd / 2 {
                        let erasure = erasure(of: old, code: [9], handle: [9, 9])
                        try expect(try await store.erase(erasure, rules: generous))
                    } else {
                        let new = verification(7, to: UInt8(100 + number), from: UInt8(number))
                        var open = VerificationRules()
                        open.perService = .max
                        open.perDay = .max
                        try expect(try await ask(store, new, open))
                        let entered = try confirmation(
                            7,
                            of: UInt8(100 + number),
                            token: 100 + number
                        )
                        let decision = try await store.confirm(entered, rules: generous)
                        try expect(decision == .granted)
                    }
                }
                try await forgetAll(in: store)
                try expect(try await store.devices(of: old.account).isEmpty)
                for number in 0..<crowd where number != crowd / 2 {
                    let known = try await store.device(tokenHash: [0, UInt8(100 + number)])
                    try expect(known.map { $0.account != old.account } ?? true)
                }
            },
        ]
    }

    // MARK: Steps

    private static func erasure(
        of device: AuthenticatedDevice,
        person: UInt8 = 1,
        code: [UInt8],
        handle: [UInt8]
    ) -> AccountErasure {
        AccountErasure(
            account: device.account,
            code: .digits(code, handle: handle),
            addressKey: [person],
            now: now
        )
    }

    /// Erases an account with a code that was asked for.
    static func erase(_ device: AuthenticatedDevice, in store: Store) async throws {
        try expect(try await ask(store, verification(9, to: 9, from: 9)))
        let erasure = erasure(of: device, code: [9], handle: [9, 9])
        try expect(try await store.erase(erasure, rules: VerificationRules()))
    }

    static func forgetAll(in store: Store) async throws {
        while try await !store.forgetErased() {}
    }
}
