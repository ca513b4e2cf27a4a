import OutboxCore
import RelayRules
import RelayServer

extension RelayStoreConformance {
    /// The promises that hold however many callers there are at once.
    static var crowdChecks: [Check] {
        [
            Check(
                description:
                    "of \(crowd) requests for one mailbox's code, as many as allowed are granted"
            ) {
                store in
                let rules = VerificationRules()
                let areSent = try await inCrowd { number in
                    let new = verification(1, handle: UInt8(number), from: UInt8(number))
                    return try await ask(store, new, rules)
                }
                try expect(areSent.count { $0 } == rules.perAddress)
                try expect(try await mails(of: store).count == rules.perAddress)
            },
            Check(
                description: "of \(crowd) requests of one network, as many as allowed are granted"
            ) {
                store in
                var rules = VerificationRules()
                rules.perSource = 5
                let areSent = try await inCrowd { [rules] number in
                    try await ask(store, verification(1, to: UInt8(number)), rules)
                }
                try expect(areSent.count { $0 } == 5)
            },
            Check(description: "of \(crowd) right answers, one gets a token") { store in
                let rules = VerificationRules()
                _ = try await store.startVerification(verification(1), rules: rules)
                let decisions = try await inCrowd { number in
                    try await store.confirm(confirmation(1, token: number), rules: rules)
                }
                try expect(decisions.count { $0 == .granted } == 1)
                var known = 0
                for number in 0..<crowd {
                    let token = [UInt8(number >> 8), UInt8(number & 255)]
                    if try await store.device(tokenHash: token) != nil { known += 1 }
                }
                try expect(known == 1)
            },
            Check(description: "\(crowd) wrong answers burn a code") { store in
                let rules = VerificationRules()
                _ = try await store.startVerification(verification(1), rules: rules)
                let decisions = try await inCrowd { _ in
                    try await store.confirm(confirmation(2, handle: 1), rules: rules)
                }
                try expect(decisions.allSatisfy { $0 == .refused })
                try expect(try await store.confirm(confirmation(1), rules: rules) == .refused)
            },
            Check(description: "of \(crowd) copies of one memo, one is accepted and mailed") {
                store in
                let device = try await device(1, in: store)
                let decisions = try await inCrowd { _ in
                    try await store.accept(memo(1, from: device), limits: MemoLimits())
                }
                let record = try value(
                    try await store.memo(OperationID(high: 1, low: 1), of: device.account)
                )
                try expect(decisions.count { $0 == .acceptedBefore(record) } == crowd - 1)
                let names = try await mails(of: store).map(\.mail.messageID)
                try expect(names.count { $0 == "memo-1" } == 1)
            },
            Check(description: "of \(crowd) memos, as many as the limit are accepted and mailed") {
                store in
                let device = try await device(1, in: store)
                let limits = MemoLimits(device: DeviceLimits(perMinute: 5, perDay: 9))
                let decisions = try await inCrowd { number in
                    try await store.accept(memo(UInt64(number), from: device), limits: limits)
                }
                let accepted = decisions.count {
                    if case .accepted = $0 { true } else { false }
                }
                try expect(accepted == 5)
                let names = try await mails(of: store).map(\.mail.messageID)
                try expect(names.count { $0.hasPrefix("memo") } == 5)
            },
            Check(description: "\(crowd) memos at once get \(crowd) numbers of changes") { store in
                let device = try await device(1, in: store)
                let limits = MemoLimits(device: DeviceLimits(perMinute: 100, perDay: 100))
                _ = try await inCrowd { number in
                    try await store.accept(memo(UInt64(number), from: device), limits: limits)
                }
                let list = try await store.changes(of: device.account, after: 0, limit: 100)
                try expect(Set(list.changes.map(\.number)).count == crowd)
                try expect(list.latest == list.changes.last?.number)
            },
            Check(description: "\(crowd) sign-ins of one person make one account") { store in
                var rules = VerificationRules()
                rules.signIns = crowd
                let generous = rules
                let devices = try await inCrowd { number in
                    try await device(number + 1, in: store, rules: generous)
                }
                try expect(Set(devices.map(\.account)).count == 1)
                try expect(Set(devices.map(\.id)).count == crowd)
                let listed = try await store.devices(of: devices[0].account)
                try expect(Set(listed.map(\.id)) == Set(devices.map(\.id)))
            },
        ]
    }
}
