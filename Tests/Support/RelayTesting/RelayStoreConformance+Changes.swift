import OutboxCore
import RelayAPI
import RelayRules
import RelayServer
import Synchronization

/// The promises about the changes that all devices of an account are told.
extension RelayStoreConformance {
    static var changesChecks: [Check] {
        [
            Check(description: "memos, devices and settings of an account are numbered together") {
                store in
                let first = try await device(1, in: store)
                let second = try await device(2, in: store)
                _ = try await store.accept(memo(1, from: first), limits: MemoLimits())
                let version = try await accepted(change(1, of: first, ["a": "1"]), in: store)
                _ = try await store.accept(memo(2, from: second), limits: MemoLimits())
                let all = try await store.accountChanges(of: first.account, after: 0, limit: 99)
                try expect(
                    all.changes.map { name(of: $0.row) } == [
                        "device 1", "device 2", "memo 1 accepted", "settings 1",
                        "memo 2 accepted",
                    ]
                )
                let numbers = all.changes.map(\.number)
                try expect(numbers == numbers.sorted() && Set(numbers).count == 5)
                try expect(numbers[0] > 0 && numbers[3] == version && numbers[4] == all.latest)
                let writers = all.changes.compactMap { change in
                    if case .memo(let memo) = change.row { memo.device } else { nil }
                }
                try expect(writers == [first.id, second.id])
                let page = try await store.accountChanges(
                    of: first.account,
                    after: numbers[0],
                    limit: 2
                )
                try expect(page.changes.map(\.number) == [numbers[1], numbers[2]])
                try expect(page.latest == all.latest && page.forgotten == 0)
            },
            Check(description: "a row that changes again stands at its latest change alone") {
                store in
                let device = try await device(1, in: store)
                for number: UInt64 in 1...2 {
                    _ = try await store.accept(memo(number, from: device), limits: MemoLimits())
                }
                let before = try await store.accountChanges(
                    of: device.account,
                    after: 0,
                    limit: 99
                )
                try await drain(store) { $0.messageID == "memo-1" ? .park("smtp.550") : .done }
                let after = try await store.accountChanges(
                    of: device.account,
                    after: before.latest,
                    limit: 99
                )
                try expect(
                    Set(after.changes.map { name(of: $0.row) })
                        == ["memo 1 bounced smtp.550", "memo 2 delivered"]
                )
                let all = try await store.accountChanges(of: device.account, after: 0, limit: 99)
                try expect(all.changes.count == 3)
            },
            Check(description: "a revoked device stands at its revocation, however often") {
                store in
                let lost = try await device(1, in: store)
                let mine = try await device(2, in: store)
                let number = try value(try await store.revoke(lost.id, of: lost.account, at: now))
                let again = try await store.revoke(
                    lost.id,
                    of: lost.account,
                    at: now.advanced(by: .seconds(9))
                )
                try expect(again == number)
                let all = try await store.accountChanges(of: mine.account, after: 0, limit: 99)
                try expect(
                    all.changes.map { name(of: $0.row) } == ["device 2", "revoked"]
                )
                try expect(all.changes[1].row == .revoked(lost.id, at: now))
                try expect(all.changes[1].number == number && all.latest == number)
            },
            Check(description: "an account is told nothing of another") { store in
                let mine = try await device(1, in: store)
                let stranger = try await device(2, of: 2, in: store)
                _ = try await store.accept(memo(1, from: mine), limits: MemoLimits())
                _ = try await accepted(change(1, of: mine, ["a": "1"]), in: store)
                let told = try await store.accountChanges(
                    of: stranger.account,
                    after: 0,
                    limit: 99
                )
                try expect(told.changes.map { name(of: $0.row) } == ["device 2"])
                try expect(told.latest == told.changes[0].number)
            },
            Check(description: "a reader misses no change while \(crowd) callers write") { store in
                let writer = try await device(1, in: store)
                let flag = Flag()
                async let followed = followed(writer.account, in: store, until: flag)
                _ = try await inCrowd { try await write($0, writer, in: store) }
                flag.set()
                let read = try await followed
                let all = try await store.accountChanges(
                    of: writer.account,
                    after: 0,
                    limit: 1000
                )
                let whole = Dictionary(
                    uniqueKeysWithValues: all.changes.map { (key(of: $0.row), $0) }
                )
                try expect(read == whole)
                try expect(Set(all.changes.map(\.number)).count == all.changes.count)
                try expect(whole.count > crowd)
                try expect(all.latest == all.changes.last?.number)
            },
        ]
    }

    /// The rows that a reader has who follows the changes in short pages until the writers are done.
    private static func followed(
        _ account: AccountID,
        in store: Store,
        until flag: Flag
    ) async throws -> [String: AccountChange] {
        var rows: [String: AccountChange] = [:]
        var last: Int64 = 0
        while true {
            try Task.checkCancellation()
            let isLast = flag.isSet
            let page = try await store.accountChanges(of: account, after: last, limit: 3)
            for change in page.changes {
                try expect(change.number > last && change.number <= page.latest)
                last = change.number
                rows[key(of: change.row)] = change
            }
            if page.changes.isEmpty, isLast { return rows }
            await Task.yield()
        }
    }

    /// One of the changes that a crowd makes at once.
    private static func write(
        _ number: Int,
        _ writer: AuthenticatedDevice,
        in store: Store
    ) async throws {
        var rules = VerificationRules()
        rules.signIns = crowd
        switch number % 4 {
        case 0:
            let limits = MemoLimits(device: DeviceLimits(perMinute: 100, perDay: 100))
            _ = try await store.accept(memo(UInt64(number), from: writer), limits: limits)
        case 1:
            let version = try await store.settings(of: writer.account)?.version ?? 0
            let change = change(
                1,
                of: writer,
                ["a": "\(number)"],
                on: version,
                node: UInt8(number)
            )
            _ = try await store.change(change, at: now)
        case 2: _ = try await device(number + 2, in: store, rules: rules)
        default:
            let device = try await device(number + 2, in: store, rules: rules)
            _ = try await store.revoke(device.id, of: device.account, at: now)
            let limits = MemoLimits(device: DeviceLimits(perMinute: 100, perDay: 100))
            _ = try await store.accept(memo(UInt64(number), from: writer), limits: limits)
        }
    }

    private static func key(of row: AccountChange.Row) -> String {
        switch row {
        case .memo(let memo): "memo \(memo.id)"
        case .device(let device): "device \(device.id.bits)"
        case .revoked(let device, _): "device \(device.bits)"
        case .settings: "settings"
        }
    }

    private static func name(of row: AccountChange.Row) -> String {
        switch row {
        case .memo(let memo):
            ["memo \(memo.id.low) \(memo.status.rawValue)", memo.reason].compactMap { $0 }
                .joined(separator: " ")
        case .device(let device): device.name
        case .revoked: "revoked"
        case .settings(let settings): "settings " + (settings.fields["a"]?.value ?? "")
        }
    }
}

/// Tells a reader that the writers are done.
private final class Flag: Sendable {
    private let value = Mutex(false)

    var isSet: Bool { value.withLock { $0 } }

    func set() { value.withLock { $0 = true } }
}
