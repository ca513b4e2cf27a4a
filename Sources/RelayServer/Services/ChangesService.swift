import MemoCore
import OutboxCore
package import RelayAPI
import RelayRules

/// Tells the devices of an account what has changed.
package struct ChangesService<Store: RelayStore>: Sendable {
    private let store: Store
    private let secret: RelaySecret

    package init(store: Store, secret: RelaySecret) {
        self.store = store
        self.secret = secret
    }

    /// The changes of the account since the answer that held `cursor`.
    ///
    /// A cursor is the position behind the latest row that was told, and the account's latest change
    /// when the reader began. What is swept away later than that was there to be told.
    ///
    /// - Parameters:
    ///   - cursor: `nil` for everything.
    ///   - device: The device that asks.
    /// - Throws: ``Refusal/cursorForgotten`` for a cursor that this relay did not make for this account,
    ///   that is ahead of the stored changes, or behind which a row was swept away; the store's own
    ///   errors.
    package func changes(
        after cursor: String?,
        for device: AuthenticatedDevice
    ) async throws -> AccountChanges {
        let cursors = ChangeCursor(
            secret: secret,
            account: device.account,
            purpose: .accountCursor
        )
        var position: (last: Int64, begun: Int64)?
        if let cursor {
            guard let numbers = cursors.numbers(of: cursor, count: 2) else {
                throw Refusal.cursorForgotten
            }
            position = (numbers[0], numbers[1])
        }
        let limit = RelayLimits.changesPage
        let list = try await store.accountChanges(
            of: device.account,
            after: position?.last ?? 0,
            limit: limit + 1
        )
        if let position {
            let isKept = max(position.last, position.begun) >= list.forgotten
            guard isKept, position.last <= list.latest else { throw Refusal.cursorForgotten }
        }
        let page = list.changes.prefix(limit)
        let hasMore = list.changes.count > limit
        let last = hasMore ? page.last?.number : list.latest
        return AccountChanges(
            rows: page.map(ChangedRow.init),
            cursor: cursors.text(of: last ?? 0, position?.begun ?? list.latest),
            more: hasMore,
            device: "\(device.id.bits)"
        )
    }
}

extension ChangedRow {
    init(_ change: AccountChange) {
        switch change.row {
        case .memo(let memo):
            self.init(.memo, version: change.number, id: "\(memo.id)")
            status = memo.status
            reason = memo.reason
            device = "\(memo.device.bits)"
            acceptedAt = memo.acceptedAt.millisecondsSinceEpoch
        case .device(let device):
            self.init(.device, version: change.number, id: "\(device.id.bits)")
            name = device.name
            createdAt = device.createdAt.millisecondsSinceEpoch
        case .revoked(let device, let time):
            self.init(.device, version: change.number, id: "\(device.bits)")
            revokedAt = time.millisecondsSinceEpoch
        case .settings(let settings):
            self.init(.settings, version: change.number)
            fields = settings.fields
        }
    }
}
