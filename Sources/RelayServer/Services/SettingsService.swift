import MemoCore
import OutboxCore
package import RelayAPI
package import RelayRules

/// The settings that the devices of an account share.
package struct SettingsService<Store: RelayStore>: Sendable {
    private let store: Store
    private let secret: RelaySecret
    private let reserve: DiskReserve
    private let clock: WallClock

    package init(
        store: Store,
        secret: RelaySecret,
        reserve: DiskReserve,
        clock: @escaping WallClock
    ) {
        self.store = store
        self.secret = secret
        self.reserve = reserve
        self.clock = clock
    }

    /// The settings of an account.
    ///
    /// - Throws: ``Refusal/notFound`` where nothing was ever set; the store's own errors.
    func settings(of account: AccountID) async throws -> SharedSettings {
        guard let settings = try await store.settings(of: account) else { throw Refusal.notFound }
        return settings
    }

    /// Applies a change of the settings, at most once. A change that was answered before is answered
    /// again before any limit counts.
    ///
    /// - Parameters:
    ///   - request: The change.
    ///   - madeOn: The version that the change was made on; 0 for no settings.
    ///   - device: A device of the account. The limit is that of its mailbox.
    /// - Throws: ``Refusal``; the store's own errors. After any error nothing was applied.
    package func change(
        _ request: SettingsRequest,
        madeOn: Int64,
        of device: AuthenticatedDevice
    ) async throws -> SettingsAnswer {
        let account = device.account
        let mailbox = secret.mailbox(of: device.address)
        let name = try name(of: request.change, account)
        guard (0...ChangeName.greatestNumber).contains(request.settledThrough),
            (-ChangeName.greatestNumber...ChangeName.greatestNumber).contains(request.time)
        else { throw Refusal.malformedBody }
        guard reserve.hasRoom() else {
            let earlier = try await store.answer(to: name, of: account, isRepeated: true)
            guard let earlier else { throw Refusal.diskReserved }
            return try Self.answer(earlier)
        }
        let change = SettingsChange(
            account: account,
            name: name,
            time: WallTime(millisecondsSinceEpoch: request.time),
            settledThrough: min(request.settledThrough, name.number - 1),
            madeOn: madeOn,
            fields: request.fields,
            rateKey: secret.authenticationCode(.settings, mailbox.bits.bytes)
        )
        return try Self.answer(try await store.change(change, at: clock()))
    }

    /// The answer to an earlier change, which was lost.
    ///
    /// - Throws: ``Refusal/notFound`` for a change that never came; the store's own errors.
    package func answer(
        to question: ChangeIdentity,
        of account: AccountID
    ) async throws -> SettingsAnswer {
        let name = try name(of: question, account)
        guard let answer = try await store.answer(to: name, of: account, isRepeated: false) else {
            throw Refusal.notFound
        }
        return try Self.answer(answer)
    }

    /// The digest is kept as a keyed hash, because short settings could be guessed from it.
    private func name(
        of change: ChangeIdentity,
        _ account: AccountID
    ) throws(Refusal) -> ChangeName {
        guard let node = bytes(hexadecimal: change.node), node.count == 16,
            let digest = bytes(hexadecimal: change.digest), digest.count == 8,
            (1...ChangeName.greatestNumber).contains(change.number),
            (0...Int64(UInt32.max)).contains(change.attempt)
        else { throw .malformedBody }
        let code = secret.authenticationCode(.settingsDigest, account.bits.bytes, node, digest)
        return ChangeName(
            node: node,
            number: change.number,
            attempt: change.attempt,
            digest: Array(code.prefix(16))
        )
    }

    private static func answer(_ decision: SettingsDecision) throws(Refusal) -> SettingsAnswer {
        switch decision {
        case .accepted(let version, let time):
            SettingsAnswer(.accepted, version: version, time: time.millisecondsSinceEpoch)
        case .conflict(let settings, let time):
            SettingsAnswer(.conflict, time: time.millisecondsSinceEpoch, settings: settings)
        case .refused(let reason, let settings):
            SettingsAnswer(.refused, reason: reason, settings: settings)
        case .newNode: SettingsAnswer(.newNode)
        case .wait(let wait): throw .tooManyChanges(retryAfter: wait)
        }
    }
}
