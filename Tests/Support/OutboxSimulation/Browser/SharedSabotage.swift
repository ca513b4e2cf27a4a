import MemoCore
import OutboxCore
import OutboxTesting
import RelayAPI
import SimulatedBrowser
import SyncCore
import WebClient
import WireCore

// What a saboteur's browser does wrong with the records that all devices share.

extension PageProcess {
    /// The request that the page sends in place of its own.
    func spoiled(_ call: RelayCall) -> RelayCall {
        guard world.sabotage == .trustedWallClock,
            case .changeSettings(let body, let version) = call,
            var change = try? RelayJSON.decode(SettingsRequest.self, from: body)
        else { return call }
        change.time = device.clock.wallTime.millisecondsSinceEpoch
        return .changeSettings((try? RelayJSON.encode(change)) ?? body, madeOn: version)
    }

    /// The answer that the page hears in place of the relay's.
    func spoiled(_ result: Exchange.Result, to call: RelayCall) -> Exchange.Result {
        switch (world.sabotage, call, result) {
        case (.confirmingErrors?, .changeSettings(let body, let version), _) where !isHeard(result):
            guard let change = try? RelayJSON.decode(SettingsRequest.self, from: body) else {
                return result
            }
            let answer = SettingsAnswer(.accepted, version: version + 1, time: change.time)
            return replaced(answer, at: change.time)
        case (.forgottenTombstones?, .accountChanges, .success(let answer)):
            guard let page = try? RelayJSON.decode(AccountChanges.self, from: answer.body) else {
                return result
            }
            let left = AccountChanges(
                rows: page.rows.filter { $0.revokedAt == nil },
                cursor: page.cursor,
                more: page.more,
                device: page.device
            )
            return replaced(left, at: device.clock.wallTime.millisecondsSinceEpoch)
        default: return result
        }
    }

    private func isHeard(_ result: Exchange.Result) -> Bool {
        guard case .success(let answer) = result else { return false }
        return answer.status < 500
    }

    private func replaced(_ content: some Encodable, at time: Int64) -> Exchange.Result {
        .success(
            NetworkAnswer(
                status: 200,
                contentType: RelayMediaType.json.bytes,
                relayTime: Array("\(time)".utf8),
                body: (try? RelayJSON.encode(content)) ?? []
            )
        )
    }
}

extension BrowserDevice {
    /// Takes changes out of the stored records.
    func dropChanges(_ isDropped: (SyncRecord, SyncChange) -> Bool) {
        for (key, stored) in browser.rows(.shared) where key != [0] {
            guard let bytes = browser.opened(stored),
                let record = try? SyncRecord(decoding: bytes)
            else { continue }
            let count = record.changes.count
            record.changes.removeAll { isDropped(record, $0) }
            guard record.changes.count < count else { continue }
            browser.replace(stored, in: .shared, by: record.encoded())
        }
    }
}
