public import MemoCore
public import OutboxCore
public import SyncCore
import WireCore

/// One page of the changes of an account, as `SyncCore` takes it.
public struct AccountPage: Hashable, Sendable {
    /// The page, or the news that the relay has forgotten the cursor.
    public let answer: PullAnswer
    /// The relay's name of the device that asked; empty with a forgotten cursor.
    public let device: [UInt8]
}

extension RelayRequest {
    /// Asks for the rows behind a cursor.
    public static func pull(_ request: PullRequest, token: [UInt8]) -> RelayRequest {
        .accountChanges(after: request.cursor ?? [], token: token)
    }
}

extension RelayAnswer {
    /// The page of an answer to ``/MemoCore/RelayRequest/pull(_:token:)``.
    ///
    /// A page is taken as a whole or not at all: a row that was passed over would never come again. Only
    /// kinds that this build does not know are passed over.
    ///
    /// - Parameter now: The wall clock, for a wait until a date.
    /// - Throws: ``SharingFailure``.
    /// - Complexity: O(bytes of the answer).
    public func page(now: WallTime) throws(SharingFailure) -> Told<AccountPage> {
        if status == 410, problem?.code == .cursorForgotten, let relayTime {
            return Told(AccountPage(answer: .cursorForgotten, device: []), relayTime)
        }
        guard let json = success else { throw SharingFailure(self, now: now) }
        guard let relayTime, let told = json["rows"]?.array,
            told.count <= RelayLimits.changesPage,
            let cursor = json[string: "cursor"], ChangesPage.isCursor(cursor),
            let hasMore = json[bool: "more"], let device = json[string: "device"],
            !device.isEmpty
        else { throw .notOurAnswer }
        var rows: [Row] = []
        for told in told {
            guard let kind = told[string: "kind"], let version = told[number: "version"],
                let version = version.changeNumber
            else { throw .notOurAnswer }
            let row: Row?
            switch kind {
            case SharedKind.memo: row = SharedMemo.row(told, version)
            case SharedKind.device: row = SharedDevice.row(told, version)
            case SharedKind.settings: row = SettingsRow.row(told, version)
            default: continue
            }
            guard let row else { throw .notOurAnswer }
            rows.append(row)
        }
        return Told(
            AccountPage(answer: .page(rows, cursor: cursor, hasMore: hasMore), device: device),
            relayTime
        )
    }
}
