import OutboxCore
import RelayRules
import RelayServer

/// The promises about mailboxes of single addresses.
extension RelayStoreConformance {
    static var ownMailboxChecks: [Check] {
        [
            Check(
                description: "an address has the mailbox that it was given last, and no other one"
            ) {
                store in
                let operators = try store.operators()
                let (max, eve) = (try address("max"), try address("eve"))
                try expect(try await mailbox(of: max, in: store) == nil)
                let given = [
                    try ownMailbox(of: max, password: "first"),
                    try ownMailbox(of: max, password: "second", folder: "Memos & more"),
                ]
                for mailbox in given {
                    try await operators.keep(mailbox, at: now)
                    try expect(try await self.mailbox(of: max, in: store) == mailbox)
                }
                try expect(try await mailbox(of: eve, in: store) == nil)
                try await operators.keep(ownMailbox(of: eve, password: "third"), at: later)
                try expect(try await mailbox(of: max, in: store) == given[1])
                let spelled = try value(MailAddress("MAX@inbox.example"))
                try expect(try await mailbox(of: spelled, in: store) == given[1])
                let listed = try await operators.ownMailboxes()
                try expect(listed.map(\.address) == [max, eve])
                try expect(listed.map(\.folder) == ["Memos & more", nil])
                try expect(listed.map(\.changedAt) == [now, later])
            },
            Check(description: "a mailbox that is removed is gone, and no other one") { store in
                let operators = try store.operators()
                let (max, eve) = (try address("max"), try address("eve"))
                for address in [max, eve] {
                    try await operators.keep(ownMailbox(of: address, password: "p"), at: now)
                }
                try expect(try await operators.removeMailbox(of: max))
                try expect(try await !operators.removeMailbox(of: max))
                try expect(try await mailbox(of: max, in: store) == nil)
                try expect(try await operators.ownMailboxes().map(\.address) == [eve])
            },
            Check(description: "an erased account takes its own mailbox along, and no other one") {
                store in
                let operators = try store.operators()
                let (max, eve) = (try address("max"), try address("eve"))
                for address in [max, eve] {
                    try await operators.keep(ownMailbox(of: address, password: "p"), at: now)
                }
                let device = try await signIn(max, 1, in: store)
                try expect(
                    try await ask(store, verification(9, to: 9, from: 9, as: max, in: store))
                )
                for code: UInt8 in [8, 9] {
                    let erasure = AccountErasure(
                        account: device.account,
                        code: .digits([code], handle: [9, 9]),
                        addressKey: store.secret.key(of: max),
                        now: now
                    )
                    let isErased = try await store.erase(erasure, rules: VerificationRules())
                    try expect(isErased == (code == 9))
                    let isThere = try await mailbox(of: max, in: store) != nil
                    try expect(isThere == !isErased)
                }
                try await forgetAll(in: store)
                try expect(try await operators.ownMailboxes().map(\.address) == [eve])
            },
            Check(description: "of \(crowd) changes of a mailbox at once, one is there, and whole")
            {
                store in
                let operators = try store.operators()
                let max = try address("max")
                let all = try (0..<crowd).map { number in
                    try ownMailbox(of: max, password: "\(number)", folder: "folder-\(number)")
                }
                _ = try await inCrowd { try await operators.keep(all[$0], at: now) }
                let kept = try value(try await mailbox(of: max, in: store))
                try expect(all.contains(kept))
                try expect(try await operators.ownMailboxes().count == 1)
            },
        ]
    }

    private static var later: WallTime { now.advanced(by: .seconds(1)) }

    private static func ownMailbox(
        of address: MailAddress,
        password: String,
        folder: String? = nil
    ) throws -> OwnMailbox {
        let user = address.localPart
        return try value(
            OwnMailbox(address: address, user: user, password: password, folder: folder)
        )
    }

    private static func mailbox(
        of address: MailAddress,
        in store: Store
    ) async throws -> OwnMailbox? {
        try await store.ownMailbox(of: store.secret.key(of: address))
    }

    // MARK: Steps of addresses

    static func address(_ name: String) throws -> MailAddress {
        try value(MailAddress("\(name)@inbox.example"))
    }

    /// A request for a code, under the key that the store's own secret gives the address.
    static func verification(
        _ code: UInt8,
        to number: UInt8,
        from source: UInt8,
        as address: MailAddress,
        maySignUp: Bool = true,
        at time: WallTime = now,
        in store: Store
    ) -> NewVerification {
        let new = verification(code, to: number, from: source, maySignUp: maySignUp, at: time)
        return NewVerification(
            handle: new.handle,
            addressKey: store.secret.key(of: address),
            subjects: new.subjects,
            maySignUp: maySignUp,
            now: time,
            letter: new.letter
        )
    }

    /// The confirmation of a code that ``verification(_:to:from:as:maySignUp:at:in:)`` has asked for.
    static func confirmation(
        _ code: UInt8,
        of number: UInt8,
        as address: MailAddress,
        at time: WallTime = now,
        in store: Store
    ) -> Confirmation {
        Confirmation(
            code: .digits([code], handle: [number, code]),
            addressKey: store.secret.key(of: address),
            address: address,
            mailbox: store.secret.mailbox(of: address),
            tokenHash: [number],
            deviceName: "device",
            now: time
        ) { announcement(of: $0) }
    }

    private static func signIn(
        _ address: MailAddress,
        _ number: UInt8,
        in store: Store
    ) async throws -> AuthenticatedDevice {
        let new = verification(7, to: number, from: number, as: address, in: store)
        try expect(try await ask(store, new))
        let confirmation = confirmation(7, of: number, as: address, in: store)
        let decision = try await store.confirm(confirmation, rules: VerificationRules())
        try expect(decision == .granted)
        return try value(try await store.device(tokenHash: [number]))
    }
}
