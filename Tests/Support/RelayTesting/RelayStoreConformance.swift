import Outbox
import OutboxCore
package import RelayServer
import Synchronization

/// The contract of `RelayStore` as checks that every store must pass.
///
/// ```swift
/// @Test(arguments: RelayStoreConformance<MyStore>.checks)
/// func conforms(_ check: RelayStoreConformance<MyStore>.Check) async throws {
///     try await check.run(on: try MyStore(emptyDatabase))
/// }
/// ```
package enum RelayStoreConformance<Store: RelayStore> {
    /// A check of one guarantee.
    package struct Check: Sendable, CustomStringConvertible {
        /// The guarantee, as a sentence.
        package let description: String
        let body: @Sendable (Store) async throws -> Void

        /// Runs the check on a new, empty store.
        ///
        /// - Throws: ``BrokenPromise``, or the error of the store.
        package func run(on store: Store) async throws {
            try await body(store)
        }
    }

    /// All checks, in no particular order. Each check runs on a store of its own.
    package static var checks: [Check] {
        verificationChecks + deviceChecks + memoChecks + mailChecks + crowdChecks
    }

    /// The moment at which a check begins.
    static var now: WallTime { WallTime(millisecondsSinceEpoch: 1_800_000_000_000) }

    /// The number of callers that a check lets loose at once.
    static var crowd: Int { 64 }

    // MARK: Expectations

    static func expect(
        _ condition: Bool,
        file: StaticString = #fileID,
        line: Int = #line
    ) throws {
        guard condition else { throw BrokenPromise(place: "\(file):\(line)") }
    }

    static func value<Value>(
        _ value: Value?,
        file: StaticString = #fileID,
        line: Int = #line
    ) throws -> Value {
        guard let value else { throw BrokenPromise(place: "\(file):\(line)") }
        return value
    }

    // MARK: Steps

    /// The results of as many calls as ``crowd``, all under way at once.
    static func inCrowd<Result: Sendable>(
        _ call: @escaping @Sendable (_ number: Int) async throws -> Result
    ) async throws -> [Result] {
        try await withThrowingTaskGroup(of: Result.self) { group in
            for number in 0..<crowd { group.addTask { try await call(number) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    static func mail(_ name: String) -> QueuedMail {
        QueuedMail(
            sender: "relay@relay.example",
            recipient: "somebody@inbox.example",
            messageID: name,
            message: Array("Subject: \(name)\r\n\r\n\(name)\r\n".utf8)
        )
    }

    static func verification(
        _ code: UInt8,
        to address: UInt8 = 1,
        from source: UInt8 = 1,
        at time: WallTime = now
    ) -> NewVerification {
        NewVerification(
            address: [address],
            source: [0, source],
            code: [code],
            now: time,
            mail: mail("code-\(code)")
        )
    }

    static func confirmation(
        _ code: UInt8,
        of address: UInt8 = 1,
        person: UInt8 = 1,
        token: Int = 1,
        at time: WallTime = now
    ) throws -> Confirmation {
        Confirmation(
            limitKey: [address],
            code: [code],
            addressKey: [person],
            address: try value(MailAddress("person\(person)@inbox.example")),
            tokenHash: [UInt8(token >> 8), UInt8(token & 255)],
            deviceName: "device \(token)",
            now: time
        )
    }

    /// Signs in a device of a person, with a token of this number.
    static func device(
        _ token: Int,
        of person: UInt8 = 1,
        in store: Store,
        at time: WallTime = now
    ) async throws -> AuthenticatedDevice {
        let address = UInt8(token)
        let new = verification(7, to: address, from: address, at: time)
        try expect(try await store.startVerification(new, rules: VerificationRules()) == nil)
        let confirmation = try confirmation(7, of: address, person: person, token: token, at: time)
        try expect(try await store.confirm(confirmation, rules: VerificationRules()))
        return try value(try await store.device(tokenHash: confirmation.tokenHash))
    }

    static func memo(
        _ number: UInt64,
        from device: AuthenticatedDevice,
        content: UInt8 = 1,
        at time: WallTime = now
    ) -> NewMemo {
        let id = OperationID(high: 1, low: number)
        return NewMemo(
            id: id,
            account: device.account,
            device: device.id,
            contentCode: [content],
            response: [UInt8(truncatingIfNeeded: number), content],
            acceptedAt: time,
            mail: mail("memo-\(number)")
        )
    }

    /// The mails in the queue, in the order in which they are handed over, with the operations that
    /// they were queued as. They leave the queue.
    ///
    /// - Parameters:
    ///   - store: The store whose queue is emptied.
    ///   - last: The code of a mail that is queued behind all others, to see the end of the queue.
    static func mails(
        of store: Store,
        before last: UInt8 = 250
    ) async throws -> [(operation: OperationID, mail: QueuedMail)] {
        let new = verification(last, to: last, from: last)
        try expect(try await store.startVerification(new, rules: VerificationRules()) == nil)
        let handed = Mutex<[(operation: OperationID, payload: [UInt8])]>([])
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let handler: OperationHandler = { operation in
            handed.withLock { $0.append((operation.id, operation.payload)) }
            if operation.payload == new.mail.encoded() { end.yield() }
            return .done
        }
        let delivery = Task {
            try await store.deliver([.memoMail: handler, .verificationMail: handler])
        }
        for await _ in ends { break }
        delivery.cancel()
        _ = await delivery.result
        return try handed.withLock { $0 }.compactMap { operation, payload in
            guard payload != new.mail.encoded() else { return nil }
            return (operation, try value(QueuedMail(decoding: payload)))
        }
    }
}

/// A promise that a store did not keep.
package struct BrokenPromise: Error, CustomStringConvertible {
    let place: String

    package var description: String { "the store breaks the promise checked at \(place)" }
}
