import OutboxCore
import RelayRules
import RelayServer

/// The promises about invited addresses.
extension RelayStoreConformance {
    static var invitationChecks: [Check] {
        [
            Check(description: "an invited address signs up once where others may not") { store in
                let operators = try store.operators()
                let (max, eve) = (try address("max"), try address("eve"))
                try expect(try await operators.invite(max, at: now) == .invited)
                try expect(try await operators.invitations(at: now).map(\.address) == [max])
                for (number, address) in [(UInt8(1), max), (2, eve)] {
                    let new = asking(number, address, in: store)
                    // The same answer to both.
                    try expect(
                        try await store.startVerification(new, rules: closed) == .send(digits: 6)
                    )
                    let isInvited = number == 1
                    let mailed = try await mails(of: store).map(\.mail.messageID)
                    try expect(mailed == (isInvited ? ["code-1"] : []))
                    let entered = confirmation(number, of: number, as: address, in: store)
                    let decision = try await store.confirm(entered, rules: closed)
                    try expect(decision == (isInvited ? .granted : .refused))
                }
                try expect(try await operators.invitations(at: now).isEmpty)
                try expect(try await operators.invite(max, at: now) == .hasAccount)
                try expect(try await !operators.withdrawInvitation(of: max))
            },
            Check(description: "a code makes no account once the invitation is withdrawn or void") {
                store in
                let operators = try store.operators()
                let (max, eve) = (try address("max"), try address("eve"))
                let lifetime = Invitation.lifetime
                let early = now.advanced(by: Milliseconds(-lifetime.count + 1))
                try expect(try await operators.invite(max, at: now) == .invited)
                try expect(try await operators.invite(eve, at: early) == .invited)
                for (number, address) in [(UInt8(1), max), (2, eve)] {
                    let new = asking(number, address, in: store)
                    try expect(try await ask(store, new))
                }
                try expect(try await mails(of: store).count == 2)
                try expect(try await operators.withdrawInvitation(of: max))
                let late = now.advanced(by: Milliseconds(1))
                try expect(try await operators.invitations(at: late).isEmpty)
                for (number, address) in [(UInt8(1), max), (2, eve)] {
                    let entered = confirmation(
                        number,
                        of: number,
                        as: address,
                        at: late,
                        in: store
                    )
                    try expect(try await store.confirm(entered, rules: closed) == .refused)
                }
                let again = asking(3, eve, at: late, in: store)
                _ = try await store.startVerification(again, rules: closed)
                try expect(try await mails(of: store).isEmpty)
            },
            Check(description: "invitations have a number that \(crowd) callers do not exceed") {
                store in
                let operators = try store.operators()
                for number in 0..<Invitation.most - crowd / 2 {
                    let decision = try await operators.invite(address("person\(number)"), at: now)
                    try expect(decision == .invited)
                }
                let decisions = try await inCrowd { number in
                    try await operators.invite(address("guest\(number)"), at: now)
                }
                try expect(decisions.count { $0 == .invited } == crowd / 2)
                try expect(decisions.count { $0 == .tooMany } == crowd / 2)
                try expect(try await operators.invitations(at: now).count == Invitation.most)
                // One that is there already takes no room, and void ones make room.
                try expect(try await operators.invite(address("person0"), at: now) == .invited)
                let late = now.advanced(by: Invitation.lifetime)
                try expect(try await operators.invite(address("last"), at: late) == .invited)
                try expect(try await operators.invitations(at: late).count == 1)
            },
        ]
    }

    private static var closed: VerificationRules {
        var rules = VerificationRules()
        rules.signUp = .closed
        return rules
    }

    private static func asking(
        _ number: UInt8,
        _ address: MailAddress,
        at time: WallTime = now,
        in store: Store
    ) -> NewVerification {
        verification(
            number,
            to: number,
            from: number,
            as: address,
            maySignUp: false,
            at: time,
            in: store
        )
    }
}
