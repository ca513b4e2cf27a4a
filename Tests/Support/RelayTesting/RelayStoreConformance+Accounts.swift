import MemoTexts
import OutboxCore
import RelayAPI
import RelayRules
import RelayServer

extension RelayStoreConformance {
    static var verificationChecks: [Check] {
        [
            Check(description: "a code is queued once; a request that has to wait queues nothing") {
                let rules = VerificationRules()
                let first = try await $0.startVerification(verification(1), rules: rules)
                try expect(first == .send(digits: 6))
                let second = try await $0.startVerification(verification(2), rules: rules)
                try expect(second == .wait(rules.firstCooldown, for: [.cooldown]))
                try expect(try await mails(of: $0).map(\.mail) == [mail("code-1")])
            },
            Check(
                description: "an address that may not sign up is counted, and mailed nothing"
            ) {
                let rules = VerificationRules()
                let new = verification(1, maySignUp: false)
                let first = try await $0.startVerification(new, rules: rules)
                try expect(first == .send(digits: 6))
                let second = try await $0.startVerification(verification(2), rules: rules)
                try expect(second == .wait(rules.firstCooldown, for: [.cooldown]))
                try expect(try await mails(of: $0).isEmpty)
            },
            Check(description: "an address with an account is mailed a code, who may ever sign up")
            {
                _ = try await device(1, in: $0)
                let new = verification(2, from: 2, maySignUp: false)
                try expect(try await ask($0, new))
                let mails = try await mails(of: $0).map(\.mail.messageID)
                try expect(mails.contains("code-2"))
            },
            Check(description: "a right code signs nobody up who may not, and is used up") {
                var closed = VerificationRules()
                closed.signUp = .closed
                try expect(try await ask($0, verification(1)))
                let right = try confirmation(1)
                try expect(try await $0.confirm(right, rules: closed) == .refused)
                try expect(try await $0.confirm(right, rules: VerificationRules()) == .refused)
                _ = try await device(2, of: 2, in: $0)
                try expect(try await ask($0, verification(3, to: 3, person: 2)))
                let known = try confirmation(3, of: 3, person: 2, token: 3)
                try expect(try await $0.confirm(known, rules: closed) == .granted)
            },
            Check(description: "a request that has to wait makes no code, and harms none") {
                let rules = VerificationRules()
                try expect(try await ask($0, verification(1)))
                try expect(!(try await ask($0, verification(2))))
                try expect(try await $0.confirm(confirmation(2), rules: rules) == .refused)
                try expect(try await $0.confirm(confirmation(1), rules: rules) == .granted)
            },
            Check(description: "each request has a code of its own, which another one cannot spend")
            {
                var rules = VerificationRules()
                rules.tries = 2
                try expect(try await ask($0, verification(1), rules))
                try expect(try await ask($0, verification(2, from: 2), rules))
                for _ in 0..<3 {
                    // The code is right, the handle is the other code's, or nobody's.
                    for handle: UInt8 in [2, 9] {
                        let stranger = try confirmation(1, handle: handle, token: 2)
                        try expect(try await $0.confirm(stranger, rules: rules) == .refused)
                    }
                }
                try expect(try await $0.confirm(confirmation(2), rules: rules) == .refused)
                try expect(try await $0.confirm(confirmation(1), rules: rules) == .granted)
            },
            Check(description: "a handle dies with its code: after the last try, or the right one")
            {
                var rules = VerificationRules()
                rules.tries = 2
                try expect(try await ask($0, verification(1), rules))
                try expect(try await $0.confirm(confirmation(1), rules: rules) == .granted)
                try expect(
                    try await $0.confirm(confirmation(1, token: 2), rules: rules) == .refused
                )
                try expect(try await $0.device(tokenHash: [0, 2]) == nil)
                try expect(try await ask($0, verification(2), rules))
                for _ in 0..<2 {
                    let wrong = try confirmation(9, handle: 2, token: 3)
                    try expect(try await $0.confirm(wrong, rules: rules) == .refused)
                }
                try expect(
                    try await $0.confirm(confirmation(2, token: 3), rules: rules) == .refused
                )
            },
            Check(description: "a right code ends the waits of its network, a wrong one does not") {
                let rules = VerificationRules()
                try expect(try await ask($0, verification(1)))
                let wrong = try confirmation(9, handle: 1)
                try expect(try await $0.confirm(wrong, rules: rules) == .refused)
                try expect(!(try await ask($0, verification(2))))
                try expect(try await $0.confirm(confirmation(1), rules: rules) == .granted)
                try expect(try await ask($0, verification(3)))
            },
            Check(description: "a network's codes count together, whatever the address") { store in
                var rules = VerificationRules()
                rules.perSource = 2
                for address: UInt8 in 1...2 {
                    try expect(try await ask(store, verification(1, to: address), rules))
                }
                let third = verification(1, to: 3)
                let decision = try await store.startVerification(third, rules: rules)
                try expect(decision == .wait(rules.window, for: [.networkHour]))
                try expect(try await ask(store, verification(1, to: 3, from: 2), rules))
            },
            Check(description: "the codes of a site, a domain and the service count together") {
                store in
                let cases: [(CodeSubject, CodeLimitName)] = [
                    (.site, .siteHour), (.domain, .domainMinute), (.service, .serviceMinute),
                ]
                for (person, (subject, name)) in cases.enumerated() {
                    var rules = VerificationRules()
                    rules.perSite = subject == .site ? 2 : 100
                    rules.perDomain = subject == .domain ? 2 : 100
                    rules.perService = subject == .service ? 2 : 100
                    let begin = now.advanced(by: .seconds(subject == .site ? 0 : 7200))
                        .advanced(by: .seconds(subject == .service ? 7200 : 0))
                    func new(_ number: UInt8, at time: WallTime) -> NewVerification {
                        verification(
                            number,
                            to: number,
                            from: number,
                            site: subject == .site ? 0 : number,
                            domain: subject == .domain ? 0 : number,
                            person: UInt8(person),
                            at: time
                        )
                    }
                    for number: UInt8 in 1...2 {
                        try expect(try await ask(store, new(number, at: begin), rules))
                    }
                    let window = subject == .site ? rules.window : rules.shortWindow
                    let third = try await store.startVerification(
                        new(3, at: begin),
                        rules: rules
                    )
                    try expect(third == .wait(window, for: [name]))
                    let later = begin.advanced(by: window)
                    try expect(try await ask(store, new(3, at: later), rules))
                }
            },
            Check(description: "a mailbox gets so many codes a day, from however many networks") {
                store in
                var rules = VerificationRules()
                rules.perAddressDay = 10
                var sent = 0
                for number: UInt8 in 0..<200 {
                    let time = now.advanced(by: .seconds(Int64(number) * 432))
                    let new = verification(number, from: number, at: time)
                    if try await ask(store, new, rules) { sent += 1 }
                }
                try expect(sent == 10)
            },
            Check(description: "strangers leave codes to a network where a device is signed in") {
                store in
                var rules = VerificationRules()
                rules.perService = 9
                _ = try await device(1, in: store)
                for number: UInt8 in 2..<90 {
                    _ = try await ask(store, verification(number, from: number), rules)
                }
                try expect(!(try await ask(store, verification(99, from: 99), rules)))
                try expect(try await ask(store, verification(100), rules))
                try expect(!(try await ask(store, verification(101), rules)))
                let known = try value(try await store.device(tokenHash: [0, 1]))
                _ = try await store.revoke(known.id, of: known.account, at: now)
                let later = now.advanced(by: rules.firstCooldown)
                try expect(!(try await ask(store, verification(102, at: later), rules)))
            },
            Check(description: "a block of networks leaves codes for a mailbox to others") {
                store in
                let rules = VerificationRules()
                for number: UInt8 in 1...6 {
                    let new = verification(number, from: number, block: 1)
                    try expect(try await ask(store, new, rules))
                }
                let seventh = verification(7, from: 7, block: 1)
                let decision = try await store.startVerification(seventh, rules: rules)
                try expect(decision == .hold([.blockPairHour]))
                try expect(try await ask(store, verification(8, from: 8, block: 2), rules))
            },
            Check(description: "a network, a site and a block get a part of the day's codes") {
                store in
                var rules = VerificationRules()
                rules.perDay = 15
                let cases: [(CodeSubject, CodeLimitName, count: UInt8)] = [
                    (.network, .networkDay, 3), (.site, .siteDay, 4), (.block, .blockDay, 5),
                ]
                for (days, (subject, name, count)) in cases.enumerated() {
                    let begin = now.advanced(by: .seconds(Int64(days) * 2 * 86_400))
                    func new(_ number: UInt8, at time: WallTime) -> NewVerification {
                        verification(
                            number,
                            to: number,
                            from: subject == .network ? 100 : number,
                            site: subject == .site ? 100 : number,
                            block: subject == .block ? 100 : number,
                            person: UInt8(days),
                            at: time
                        )
                    }
                    for number in 1...count {
                        try expect(try await ask(store, new(number, at: begin), rules))
                    }
                    let more = new(count + 1, at: begin.advanced(by: .seconds(86_399)))
                    let decision = try await store.startVerification(more, rules: rules)
                    try expect(decision == .hold([name]))
                    let later = begin.advanced(by: .seconds(86_400 + 1440))
                    try expect(try await ask(store, new(count + 1, at: later), rules))
                }
            },
            Check(description: "strangers leave codes of a day to networks known for a week") {
                store in
                var rules = VerificationRules()
                rules.perDay = 15
                _ = try await device(1, in: store)
                let later = now.advanced(by: .seconds(8 * 86_400))
                _ = try await device(2, of: 2, in: store, at: later)
                var sent = 0
                for number: UInt8 in 3..<40 {
                    let new = verification(number, to: number, from: number, at: later)
                    if try await ask(store, new, rules) { sent += 1 }
                }
                // With the code of the young account.
                try expect(sent == rules.strangersDay - 1)
                let young = verification(50, to: 2, from: 2, at: later)
                let decision = try await store.startVerification(young, rules: rules)
                try expect(decision == .hold([.strangersDay]))
                let known = verification(51, to: 1, from: 1, at: later)
                try expect(try await ask(store, known, rules))
            },
            Check(description: "a mail about a new device is one of the day's codes") { store in
                var rules = VerificationRules()
                rules.perDay = 6
                for number in 1...3 {
                    let time = now.advanced(by: .seconds(Int64(number)))
                    _ = try await device(number, in: store, at: time)
                }
                // Two mails tell of devices: strangers have one code of four left, and the day one of six.
                let last = verification(4, to: 4, from: 4)
                try expect(try await ask(store, last, rules))
                let more = verification(5, to: 5, from: 5)
                let decision = try await store.startVerification(more, rules: rules)
                try expect(decision == .hold([.strangersDay, .serviceDay]))
            },
            Check(description: "codes are longer after failures and beside many codes, for a day") {
                store in
                var rules = VerificationRules()
                rules.guessBudget = 500_000
                func length(_ number: UInt8, at time: WallTime) async throws -> Int? {
                    let new = verification(number, to: number, from: number, at: time)
                    let decision = try await store.startVerification(new, rules: rules)
                    return if case .send(let digits) = decision { digits } else { nil }
                }
                // Each code of six digits costs 50,000, for as long as it lives.
                for number: UInt8 in 1...2 {
                    try expect(try await length(number, at: now) == 6)
                }
                try expect(try await length(3, at: now) == 8)
                let later = now.advanced(by: rules.codeLifetime)
                try expect(try await length(4, at: later) == 6)
                for _ in 0..<4 {
                    let wrong = try confirmation(9, handle: 4, of: 4, at: later)
                    try expect(try await store.confirm(wrong, rules: rules) == .refused)
                }
                // A right code leaves its failed tries behind.
                let right = try confirmation(4, of: 4, at: later)
                try expect(try await store.confirm(right, rules: rules) == .granted)
                try expect(try await length(5, at: later) == 6)
                try expect(try await length(6, at: later) == 8)
                let next = later.advanced(by: .seconds(86_000))
                try expect(try await length(7, at: next) == 6)
                try expect(try await length(8, at: next) == 8)
                let end = next.advanced(by: .seconds(2000))
                try expect(try await length(9, at: end) == 6)
                try expect(try await length(10, at: end) == 6)
            },
            Check(description: "the failures of one share make no code of the other one longer") {
                store in
                var rules = VerificationRules()
                rules.guessBudget = 250_000
                _ = try await device(1, in: store)
                let later = now.advanced(by: .seconds(8 * 86_400))
                func length(_ number: UInt8, in network: UInt8) async throws -> Int? {
                    let new = verification(number, to: network, from: network, at: later)
                    let decision = try await store.startVerification(new, rules: rules)
                    guard case .send(let digits) = decision else { return nil }
                    for _ in 0..<rules.tries {
                        let wrong = try confirmation(99, handle: number, of: network, at: later)
                        try expect(try await store.confirm(wrong, rules: rules) == .refused)
                    }
                    return digits
                }
                try expect(try await length(10, in: 10) == 6)
                try expect(try await length(11, in: 11) == 8)
                try expect(try await length(12, in: 1) == 6)
                try expect(try await length(13, in: 13) == 8)
            },
            Check(description: "beyond the budget of guesses long codes alone are mailed") {
                store in
                var rules = VerificationRules()
                rules.guessBudget = 4
                let decision = try await store.startVerification(verification(1), rules: rules)
                try expect(decision == .sendLongCode)
                try expect(try await mails(of: store).map(\.mail) == [mail("code-1")])
                try expect(try await store.confirm(confirmation(1), rules: rules) == .refused)
                let long = try longConfirmation(1)
                try expect(try await store.confirm(long, rules: rules) == .granted)
            },
            Check(description: "one network leaves codes for the same mailbox to others") { store in
                let rules = VerificationRules()
                var time = now
                var sent = 0
                while time < now.advanced(by: rules.window) {
                    let new = verification(1, handle: UInt8(sent), at: time)
                    if try await ask(store, new, rules) { sent += 1 }
                    time = time.advanced(by: .seconds(10))
                }
                try expect(sent == rules.perPair && sent < rules.perAddress)
                let owner = verification(2, handle: 200, from: 2, at: time)
                try expect(try await ask(store, owner, rules))
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
            Check(description: "devices are listed with their names, the newest first") {
                let young = try await device(1, in: $0, at: now.advanced(by: .seconds(5)))
                let old = try await device(2, in: $0)
                _ = try await device(3, of: 2, in: $0)
                let devices = try await $0.devices(of: young.account)
                try expect(devices.map(\.id) == [young.id, old.id])
                try expect(devices.map(\.name) == ["device 1", "device 2"])
                try expect(devices.map(\.createdAt) == [now.advanced(by: .seconds(5)), now])
            },
            Check(description: "a device's use that was noted last is known, for that device alone")
            {
                let used = try await device(1, in: $0)
                let other = try await device(2, in: $0)
                try expect(used.usedAt == nil && other.usedAt == nil)
                let later = now.advanced(by: .seconds(7200))
                for time in [later, now] {
                    try await $0.note(DeviceUse(of: used.id, at: time))
                }
                try expect(try value(try await $0.device(tokenHash: [0, 1])).usedAt == now)
                try expect(try value(try await $0.device(tokenHash: [0, 2])).usedAt == nil)
                let listed = try await $0.devices(of: used.account)
                try expect(listed.first { $0.id == used.id }?.usedAt == now)
                try expect(listed.first { $0.id == other.id }?.usedAt == nil)
            },
            Check(description: "a revoked device is known as revoked, and listed no longer") {
                let lost = try await device(1, in: $0)
                let kept = try await device(2, in: $0)
                for _ in 0..<2 {
                    try expect(try await $0.revoke(lost.id, of: lost.account, at: now) != nil)
                }
                try expect(try value(try await $0.device(tokenHash: [0, 1])).isRevoked)
                try expect(!(try value(try await $0.device(tokenHash: [0, 2])).isRevoked))
                try expect(try await $0.devices(of: kept.account).map(\.id) == [kept.id])
            },
            Check(
                description: """
                    a device that is signed out is forgotten once the relay has run for long, and its memos \
                    stay
                    """
            ) { store in
                let lost = try await device(1, in: store)
                let kept = try await device(2, in: store)
                _ = try await store.accept(memo(1, from: lost), limits: MemoLimits())
                let age = RunningAge(lifetime: .seconds(100))
                func run(for seconds: Int64) async throws {
                    _ = try await store.ageDeadLetters(age, after: .seconds(seconds))
                    try await store.forgetDevices(age)
                }
                // Time before the device is signed out does not count.
                try await run(for: 1000)
                try expect(try await store.revoke(lost.id, of: lost.account, at: now) != nil)
                try await run(for: 1000)
                try await run(for: 99)
                try expect(try value(try await store.device(tokenHash: [0, 1])).isRevoked)
                try await run(for: 1)
                try expect(try await store.device(tokenHash: [0, 1]) == nil)
                try expect(try await store.revoke(lost.id, of: lost.account, at: now) == nil)
                try expect(try value(try await store.device(tokenHash: [0, 2])).id == kept.id)
                try expect(try await store.devices(of: kept.account).map(\.id) == [kept.id])
                let id = OperationID(high: 1, low: 1)
                try expect(try await store.memo(id, of: kept.account) != nil)
                // Whoever was not told in time has to begin anew.
                let account = kept.account
                let changes = try await store.accountChanges(of: account, after: 0, limit: 9)
                try expect((1...changes.latest).contains(changes.forgotten))
                // A sign-in that was forgotten no longer counts, and the account is the same.
                let again = try await device(3, in: store)
                try expect(again.account == kept.account)
            },
            Check(
                description: """
                    an account goes with its last device that is forgotten, unless it has memos or settings
                    """
            ) { store in
                let alone = try await device(1, in: store)
                let writer = try await device(2, of: 2, in: store)
                let set = try await device(3, of: 3, in: store)
                let two = [
                    try await device(4, of: 4, in: store), try await device(5, of: 4, in: store),
                ]
                _ = try await store.accept(memo(1, from: writer), limits: MemoLimits())
                let change = SettingsChange(
                    account: set.account,
                    name: ChangeName(node: [1], number: 1, attempt: 1, digest: [1]),
                    time: now,
                    settledThrough: 0,
                    madeOn: 0,
                    fields: ["a": "1"],
                    rateKey: [9]
                )
                _ = try await store.change(change, at: now)
                let count = try await store.operators().statistics(at: now).accounts
                for device in [alone, writer, set, two[0]] {
                    _ = try await store.revoke(device.id, of: device.account, at: now)
                }
                let age = RunningAge(lifetime: .seconds(100))
                try await store.forgetDevices(age)
                _ = try await store.ageDeadLetters(age, after: .seconds(99))
                try await store.forgetDevices(age)
                try expect(try await store.operators().statistics(at: now).accounts == count)
                _ = try await store.ageDeadLetters(age, after: .seconds(1))
                try await store.forgetDevices(age)
                try expect(try await store.operators().statistics(at: now).accounts == count - 1)
                let later = now.advanced(by: .seconds(100))
                for (old, person) in zip([alone, writer, set, two[0]], [UInt8(1), 2, 3, 4]) {
                    let token = 10 + Int(person)
                    let again = try await device(token, of: person, in: store, at: later)
                    try expect((again.account == old.account) == (person != 1))
                }
            },
            Check(description: "a device too many signs out the oldest of its own account") {
                store in
                var rules = VerificationRules()
                rules.devices = 2
                let stranger = try await device(9, of: 2, in: store)
                for number in 1...3 {
                    let time = now.advanced(by: .seconds(Int64(number)))
                    _ = try await device(number, in: store, at: time, rules: rules)
                }
                for number: UInt8 in 1...3 {
                    let device = try value(try await store.device(tokenHash: [0, number]))
                    try expect(device.isRevoked == (number == 1))
                }
                try expect(!(try value(try await store.device(tokenHash: [0, 9])).isRevoked))
                let listed = try await store.devices(of: stranger.account)
                try expect(listed.map(\.id) == [stranger.id])
            },
            Check(description: "a new device is never the one that is signed out") { store in
                var rules = VerificationRules()
                rules.devices = 1
                _ = try await device(1, in: store, at: now.advanced(by: .seconds(60)))
                let new = try await device(2, in: store, rules: rules)
                try expect(!new.isRevoked)
                try expect(try value(try await store.device(tokenHash: [0, 1])).isRevoked)
                try expect(try await store.devices(of: new.account).map(\.id) == [new.id])
            },
            Check(description: "a mail tells of each device of an account but the first, once") {
                store in
                _ = try await device(1, in: store)
                _ = try await device(2, of: 2, in: store)
                let later = now.advanced(by: .seconds(1))
                let third = try await device(3, in: store, at: later)
                // No code: no device, and no mail.
                let again = try confirmation(7, of: 3, token: 4, at: later)
                try expect(try await store.confirm(again, rules: VerificationRules()) == .refused)
                let told = try await mails(of: store).map(\.mail)
                    .filter { $0.messageID.hasPrefix("device-") }
                let new = NewDevice(
                    id: third.id,
                    account: third.account,
                    address: third.address,
                    language: .english
                )
                try expect(told == [announcement(of: new)])
            },
            Check(
                description: """
                    a mail about a device is in the language of the account's settings, else of its latest \
                    sign-in, and never in that of the one it warns of
                    """
            ) { store in
                func language(ofDevice number: Int, _ own: Language) async throws -> String {
                    let time = now.advanced(by: .seconds(Int64(number)))
                    let device = try await device(number, in: store, at: time, language: own)
                    let told = try await mails(of: store).map(\.mail.messageID)
                    let mail = told.last { $0.hasPrefix("device-\(device.id.bits)-") }
                    return String(try value(mail).split(separator: "-").last ?? "")
                }
                let first = try await device(1, in: store, language: .german)
                try expect(try await language(ofDevice: 2, .japanese) == "de")
                try expect(try await language(ofDevice: 3, .french) == "ja")
                let change = SettingsChange(
                    account: first.account,
                    name: ChangeName(node: [1], number: 1, attempt: 1, digest: [1]),
                    time: now,
                    settledThrough: 0,
                    madeOn: 0,
                    fields: [SharedSettings.language: "it"],
                    rateKey: [9]
                )
                guard case .accepted = try await store.change(change, at: now) else {
                    throw BrokenPromise(check: "the settings are changed")
                }
                try expect(try await language(ofDevice: 4, .korean) == "it")
            },
            Check(description: "no mail tells of a device while no other one is signed in") {
                store in
                let first = try await device(1, in: store)
                try expect(try await store.revoke(first.id, of: first.account, at: now) != nil)
                _ = try await device(2, in: store, at: now.advanced(by: .seconds(1)))
                let told = try await mails(of: store).map(\.mail)
                try expect(!told.contains { $0.messageID.hasPrefix("device-") })
            },
            Check(description: "mails tell of so many devices a day, and of more the next day") {
                store in
                var rules = VerificationRules()
                rules.announcements = 3
                for number in 1...5 {
                    let time = now.advanced(by: .seconds(Int64(number)))
                    _ = try await device(number, in: store, at: time, rules: rules)
                }
                let tomorrow = now.advanced(by: .seconds(86_500))
                let last = try await device(6, in: store, at: tomorrow, rules: rules)
                let told = try await mails(of: store).map(\.mail.messageID)
                    .filter { $0.hasPrefix("device-") }
                try expect(told.count == 3)
                try expect(told.contains { $0.hasPrefix("device-\(last.id.bits)-") })
            },
            Check(
                description: "a sign-in beside the end of its account is an account with a device"
            ) {
                store in
                let age = RunningAge(lifetime: .seconds(100))
                let last = try await device(1, in: store)
                _ = try await store.revoke(last.id, of: last.account, at: now)
                try await store.forgetDevices(age)
                _ = try await store.ageDeadLetters(age, after: .seconds(100))
                let later = now.advanced(by: .seconds(1))
                try expect(try await ask(store, verification(7, to: 2, from: 2, at: later)))
                let right = try confirmation(7, of: 2, token: 2, at: later)
                let results = try await inCrowd { number in
                    if number % 2 == 0 {
                        try await store.forgetDevices(age)
                        return false
                    }
                    return try await store.confirm(right, rules: VerificationRules()) == .granted
                }
                try expect(results.count { $0 } == 1)
                let device = try value(try await store.device(tokenHash: [0, 2]))
                try expect(try await store.devices(of: device.account).map(\.id) == [device.id])
            },
            Check(description: "an account signs in so many devices a day, revoked ones among them")
            {
                store in
                var rules = VerificationRules()
                rules.signIns = 3
                for number in 1...3 {
                    let time = now.advanced(by: .seconds(Int64(number)))
                    let device = try await device(number, in: store, at: time, rules: rules)
                    _ = try await store.revoke(device.id, of: device.account, at: time)
                }
                let later = now.advanced(by: .seconds(10))
                _ = try await device(9, of: 2, in: store, at: later, rules: rules)
                let asked = verification(7, to: 4, from: 4, at: later)
                try expect(try await ask(store, asked))
                let right = try confirmation(7, of: 4, token: 4, at: later)
                let wait = SignInDecision.wait(.seconds(86_391))
                for _ in 0..<9 {
                    try expect(try await store.confirm(right, rules: rules) == wait)
                }
                try expect(try await store.device(tokenHash: [0, 4]) == nil)
                let next = later.advanced(by: .seconds(86_391))
                _ = try await device(5, in: store, at: next, rules: rules)
            },
            Check(description: "at most as many devices are listed as an account has") { store in
                let account = try await device(1, in: store).account
                try expect(try await store.devices(of: account).count == 1)
                var rules = VerificationRules()
                rules.signIns = .max
                rules.devices = .max
                for number in 2...VerificationRules().devices + 1 {
                    let time = now.advanced(by: .seconds(Int64(number)))
                    _ = try await device(number, in: store, at: time, rules: rules)
                }
                let listed = try await store.devices(of: account)
                try expect(listed.count == VerificationRules().devices)
                try expect(listed.last?.name == "device 2")
            },
            Check(description: "a device is not revoked in the name of another account") {
                let mine = try await device(1, in: $0)
                let stranger = try await device(2, of: 2, in: $0)
                try expect(try await $0.revoke(mine.id, of: stranger.account, at: now) == nil)
                try expect(!(try value(try await $0.device(tokenHash: [0, 1])).isRevoked))
            },
        ]
    }
}
