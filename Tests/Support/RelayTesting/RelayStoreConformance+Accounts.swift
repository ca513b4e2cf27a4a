import OutboxCore
import RelayServer

extension RelayStoreConformance {
    static var verificationChecks: [Check] {
        [
            Check(description: "a code is queued once; a request that has to wait queues nothing") {
                let rules = VerificationRules()
                try expect(try await $0.startVerification(verification(1), rules: rules) == nil)
                let wait = try await $0.startVerification(verification(2), rules: rules)
                try expect(wait == rules.firstCooldown)
                try expect(try await mails(of: $0).map(\.mail) == [mail("code-1")])
            },
            Check(description: "a request that has to wait leaves the former code as it was") {
                let rules = VerificationRules()
                _ = try await $0.startVerification(verification(1), rules: rules)
                _ = try await $0.startVerification(verification(2), rules: rules)
                try expect(!(try await $0.confirm(confirmation(2), rules: rules)))
                try expect(try await $0.confirm(confirmation(1), rules: rules))
            },
            Check(description: "a new code kills the old one, and has all its tries") {
                var rules = VerificationRules()
                rules.tries = 2
                _ = try await $0.startVerification(verification(1), rules: rules)
                try expect(!(try await $0.confirm(confirmation(9), rules: rules)))
                let later = now.advanced(by: rules.firstCooldown)
                let new = verification(2, at: later)
                try expect(try await $0.startVerification(new, rules: rules) == nil)
                try expect(!(try await $0.confirm(confirmation(1, at: later), rules: rules)))
                try expect(try await $0.confirm(confirmation(2, at: later), rules: rules))
            },
            Check(description: "a right code is right once") {
                let rules = VerificationRules()
                _ = try await $0.startVerification(verification(1), rules: rules)
                try expect(try await $0.confirm(confirmation(1), rules: rules))
                try expect(!(try await $0.confirm(confirmation(1, token: 2), rules: rules)))
                try expect(try await $0.device(tokenHash: [0, 2]) == nil)
            },
            Check(description: "a code is no code of another address") {
                let rules = VerificationRules()
                _ = try await $0.startVerification(verification(1), rules: rules)
                try expect(!(try await $0.confirm(confirmation(1, of: 2), rules: rules)))
                try expect(try await $0.confirm(confirmation(1), rules: rules))
            },
            Check(description: "a network's codes count together, whatever the address") { store in
                var rules = VerificationRules()
                rules.perSource = 2
                for address: UInt8 in 1...2 {
                    let new = verification(1, to: address)
                    try expect(try await store.startVerification(new, rules: rules) == nil)
                }
                let third = verification(1, to: 3)
                try expect(try await store.startVerification(third, rules: rules) == rules.window)
                let other = verification(1, to: 3, from: 2)
                try expect(try await store.startVerification(other, rules: rules) == nil)
            },
        ]
    }

    static var deviceChecks: [Check] {
        [
            Check(description: "an address has one account, and each device its own identifier") {
                let first = try await device(1, in: $0)
                let second = try await device(2, in: $0)
                let stranger = try await device(3, of: 2, in: $0)
                try expect(first.account == second.account && first.id != second.id)
                try expect(stranger.account != first.account)
                try expect(first.address == second.address && first.address != stranger.address)
                try expect(!first.isRevoked && !second.isRevoked)
                try expect(try await $0.device(tokenHash: [9, 9]) == nil)
            },
            Check(description: "the devices of an account are listed by age, with their names") {
                let young = try await device(1, in: $0, at: now.advanced(by: .seconds(5)))
                let old = try await device(2, in: $0)
                _ = try await device(3, of: 2, in: $0)
                let devices = try await $0.devices(of: young.account)
                try expect(devices.map(\.id) == [old.id, young.id])
                try expect(devices.map(\.name) == ["device 2", "device 1"])
                try expect(devices.map(\.createdAt) == [now, now.advanced(by: .seconds(5))])
            },
            Check(description: "a revoked device is known as revoked, and listed no longer") {
                let lost = try await device(1, in: $0)
                let kept = try await device(2, in: $0)
                for _ in 0..<2 {
                    try expect(try await $0.revoke(lost.id, of: lost.account, at: now))
                }
                try expect(try value(try await $0.device(tokenHash: [0, 1])).isRevoked)
                try expect(!(try value(try await $0.device(tokenHash: [0, 2])).isRevoked))
                try expect(try await $0.devices(of: kept.account).map(\.id) == [kept.id])
            },
            Check(description: "a device is not revoked in the name of another account") {
                let mine = try await device(1, in: $0)
                let stranger = try await device(2, of: 2, in: $0)
                try expect(!(try await $0.revoke(mine.id, of: stranger.account, at: now)))
                try expect(!(try value(try await $0.device(tokenHash: [0, 1])).isRevoked))
            },
        ]
    }
}
