import OutboxCore
import RelayRules
import RelayServer

extension RelayStoreConformance {
    /// A try of a long code, in a network that has asked for none.
    static func longConfirmation(
        _ code: UInt8,
        of address: UInt8 = 1,
        person: UInt8 = 1,
        from source: UInt8 = 200,
        token: Int = 1,
        at time: WallTime = now
    ) throws -> Confirmation {
        try confirmation(
            .long([address, code], pair: [0, address, source]),
            person: person,
            token: token,
            at: time
        )
    }

    static var longCodeChecks: [Check] {
        [
            Check(description: "a long code needs no handle, and works once, for its address") {
                store in
                let rules = VerificationRules()
                try expect(try await ask(store, verification(1)))
                for _ in 0..<20 {
                    let wrong = try longConfirmation(9)
                    try expect(try await store.confirm(wrong, rules: rules) == .refused)
                    let stranger = try longConfirmation(1, person: 2)
                    try expect(try await store.confirm(stranger, rules: rules) == .refused)
                }
                let right = try longConfirmation(1)
                try expect(try await store.confirm(right, rules: rules) == .granted)
                let again = try longConfirmation(1, token: 2)
                try expect(try await store.confirm(again, rules: rules) == .refused)
                try expect(try await store.device(tokenHash: [0, 2]) == nil)
            },
            Check(description: "a long code lives for a day, however often its digits were tried") {
                store in
                let rules = VerificationRules()
                for (number, age, decision) in [
                    (1, 86_399, .granted), (2, 86_400, .refused), (3, -61, .refused),
                ] as [(UInt8, Int64, SignInDecision)] {
                    let begin = now.advanced(by: .seconds(Int64(number) * 200_000))
                    let new = verification(number, person: number, at: begin)
                    try expect(try await ask(store, new))
                    for _ in 0..<rules.tries {
                        let wrong = try confirmation(99, handle: number, at: begin)
                        try expect(try await store.confirm(wrong, rules: rules) == .refused)
                    }
                    let right = try longConfirmation(
                        number,
                        person: number,
                        token: Int(number),
                        at: begin.advanced(by: .seconds(age))
                    )
                    try expect(try await store.confirm(right, rules: rules) == decision)
                }
            },
            Check(description: "a sign-in ends the long codes of its address, and no others") {
                store in
                let rules = VerificationRules()
                for number: UInt8 in 1...2 {
                    let new = verification(number, to: number, from: number)
                    try expect(try await ask(store, new))
                }
                let other = verification(3, to: 3, from: 3, person: 3)
                try expect(try await ask(store, other))
                let right = try confirmation(1)
                try expect(try await store.confirm(right, rules: rules) == .granted)
                for number: UInt8 in 1...2 {
                    let ended = try longConfirmation(number, of: number, token: 2)
                    try expect(try await store.confirm(ended, rules: rules) == .refused)
                }
                let kept = try longConfirmation(3, of: 3, person: 3, token: 3)
                try expect(try await store.confirm(kept, rules: rules) == .granted)
            },
            Check(description: "the network in which a long code was entered is known, no other") {
                store in
                var rules = VerificationRules()
                rules.perService = 2
                let stranger = verification(1, from: 1)
                try expect(try await ask(store, stranger, rules))
                let right = try longConfirmation(1, from: 7)
                try expect(try await store.confirm(right, rules: rules) == .granted)
                let next = verification(2, to: 2, from: 2, person: 2)
                try expect(try await ask(store, next, rules))
                let later = now.advanced(by: .seconds(31))
                let fromStranger = verification(3, from: 1, at: later)
                try expect(!(try await ask(store, fromStranger, rules)))
                try expect(try await ask(store, verification(4, from: 7, at: later), rules))
            },
            Check(
                description: "a mailbox with all its mails of a day has a long code that signs in"
            ) {
                store in
                let rules = VerificationRules()
                var time = now
                var sent: [UInt8] = []
                for number: UInt8 in 1...100 {
                    time = time.advanced(by: .seconds(600))
                    let new = verification(number, from: number, at: time)
                    if try await ask(store, new, rules) { sent.append(number) }
                }
                try expect(sent.count == rules.perAddressDay)
                let owner = verification(200, from: 200, at: time)
                let held = CodeDecision.hold([.addressDay])
                try expect(try await store.startVerification(owner, rules: rules) == held)
                let right = try longConfirmation(try value(sent.last), at: time)
                try expect(try await store.confirm(right, rules: rules) == .granted)
            },
            Check(description: "an account whose mailbox had its mails at other addresses gets one")
            {
                store in
                var rules = VerificationRules()
                rules.perAddress = 4
                _ = try await device(1, in: store)
                // Other addresses of the mailbox, and its owner's, which the long codes do not fit.
                for number: UInt8 in 2...5 {
                    let new = verification(number, to: 9, from: number, person: 9)
                    try expect(try await ask(store, new, rules))
                }
                let held = CodeDecision.hold([.addressHour])
                let nobody = verification(6, to: 9, from: 6, person: 8)
                try expect(try await store.startVerification(nobody, rules: rules) == held)
                let owner = verification(7, to: 9, from: 7)
                try expect(try await store.startVerification(owner, rules: rules) == .sendLongCode)
                let again = verification(8, to: 9, from: 8)
                try expect(try await store.startVerification(again, rules: rules) == held)
                let digits = try confirmation(7, of: 9, token: 2)
                try expect(try await store.confirm(digits, rules: rules) == .refused)
                let right = try longConfirmation(7, of: 9, token: 2)
                try expect(try await store.confirm(right, rules: rules) == .granted)
                let next = verification(10, to: 9, from: 10)
                try expect(try await store.startVerification(next, rules: rules) == .sendLongCode)
            },
            Check(description: "no mail beyond a mailbox's limit goes beyond another one") {
                store in
                var rules = VerificationRules()
                rules.perAddress = 1
                rules.perService = 2
                _ = try await device(1, in: store)
                try expect(try await ask(store, verification(2, to: 9, from: 2, person: 9), rules))
                let owner = verification(3, to: 9, from: 3)
                let held = CodeDecision.hold([.addressHour, .serviceMinute])
                try expect(try await store.startVerification(owner, rules: rules) == held)
            },
            Check(description: "an older account has a long code, however strangers spend the day")
            { store in
                var rules = VerificationRules()
                rules.perDay = 30
                _ = try await device(1, in: store)
                let later = now.advanced(by: .seconds(8 * 86_400))
                _ = try await device(2, of: 2, in: store, at: later)
                for number: UInt8 in 3..<28 {
                    let new = verification(number, to: number, from: number, person: 9, at: later)
                    _ = try await ask(store, new, rules)
                }
                let usedUp: Set<CodeLimitName> = [.strangersDay]
                let nobody = verification(120, to: 120, from: 120, person: 120, at: later)
                let young = verification(121, to: 121, from: 121, person: 2, at: later)
                for new in [nobody, young] {
                    let decision = try await store.startVerification(new, rules: rules)
                    try expect(decision == .hold(usedUp))
                }
                for token in 130..<133 {
                    let code = UInt8(token)
                    let owner = verification(code, to: 130, from: code, at: later)
                    let decision = try await store.startVerification(owner, rules: rules)
                    try expect(decision == .helpOwner(usedUp))
                    let again = verification(code + 10, to: 130, from: code + 10, at: later)
                    let held = try await store.startVerification(again, rules: rules)
                    try expect(held == .hold(usedUp))
                    let right = try longConfirmation(code, of: 130, token: token, at: later)
                    try expect(try await store.confirm(right, rules: rules) == .granted)
                }
            },
            Check(description: "what helps an owner counts for no limit") { store in
                var rules = VerificationRules()
                rules.perSource = 3
                rules.perAddress = 3
                rules.perDay = 15
                _ = try await device(1, in: store)
                let later = now.advanced(by: .seconds(8 * 86_400))
                // Three codes of a network are its part of the day, and of the hour.
                for number: UInt8 in 3..<6 {
                    let new = verification(number, to: number, from: 50, person: 9, at: later)
                    try expect(try await ask(store, new, rules))
                }
                let hour = later.advanced(by: rules.window)
                let owner = verification(7, to: 30, from: 50, at: hour)
                let decision = try await store.startVerification(owner, rules: rules)
                try expect(decision == .helpOwner([.networkDay]))
                let stranger = verification(8, to: 8, from: 50, person: 9, at: hour)
                let held = try await store.startVerification(stranger, rules: rules)
                try expect(held == .hold([.networkDay]))
                for number: UInt8 in 10..<13 {
                    let new = verification(number, to: 30, from: number, at: hour)
                    let sent = try await store.startVerification(new, rules: rules)
                    try expect(sent == .send(digits: 6))
                }
            },
        ]
    }
}
