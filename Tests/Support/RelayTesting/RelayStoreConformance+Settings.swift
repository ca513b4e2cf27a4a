import OutboxCore
import RelayAPI
import RelayRules
import RelayServer

/// The promises about the settings that an account's devices share.
extension RelayStoreConformance {
    static var settingsChecks: [Check] {
        [
            Check(description: "settings are read as they were written, by their version") {
                store in
                let device = try await device(1, in: store)
                try expect(try await store.settings(of: device.account) == nil)
                let first = change(1, of: device, ["a": "1", "b": "2"])
                let version = try await accepted(first, in: store)
                let written = try value(try await store.settings(of: device.account))
                try expect(written.version == version && version > 0)
                try expect(written.fields.mapValues(\.value) == ["a": "1", "b": "2"])
                try expect(written.fields["a"]?.number == 1)
                try expect(written.fields["a"]?.time == now.millisecondsSinceEpoch)
                let later = now.advanced(by: .seconds(9))
                let second = change(2, of: device, ["b": "3"], on: version, stamped: later)
                let next = try await accepted(second, at: later, in: store)
                let changed = try value(try await store.settings(of: device.account))
                try expect(next > version && changed.version == next)
                try expect(changed.fields.mapValues(\.value) == ["a": "1", "b": "3"])
                try expect(changed.fields.mapValues(\.number) == ["a": 1, "b": 2])
            },
            Check(description: "settings are each account's own") { store in
                let mine = try await device(1, in: store)
                let stranger = try await device(2, of: 2, in: store)
                _ = try await accepted(change(1, of: mine, ["a": "1"]), in: store)
                try expect(try await store.settings(of: stranger.account) == nil)
                let same = change(1, of: stranger, ["a": "2"])
                _ = try await accepted(same, in: store)
                try expect(try await text("a", of: mine, in: store) == "1")
            },
            Check(
                description: "a change on another version changes nothing, and is told the settings"
            ) {
                store in
                let device = try await device(1, in: store)
                let none = change(1, of: device, ["a": "1"], on: 7)
                try expect(try await store.change(none, at: now) == .conflict(nil, time: now))
                let version = try await accepted(change(2, of: device, ["a": "2"]), in: store)
                let settings = try await store.settings(of: device.account)
                for madeOn in [0, version - 1, version + 1] {
                    let late = change(3, of: device, ["a": "3"], on: madeOn, attempt: madeOn + 1)
                    let answer = try await store.change(late, at: now)
                    try expect(answer == .conflict(settings, time: now))
                }
                try expect(try await store.settings(of: device.account) == settings)
            },
            Check(description: "a repeated change is answered as before, and applied once") {
                store in
                let device = try await device(1, in: store)
                let first = change(1, of: device, ["a": "1"])
                let version = try await accepted(first, in: store)
                _ = try await accepted(change(2, of: device, ["a": "2"], on: version), in: store)
                let later = now.advanced(by: .seconds(9))
                let again = try await store.change(first, at: later)
                try expect(again == .accepted(version: version, time: now))
                try expect(try await text("a", of: device, in: store) == "2")
                for isRepeated in [true, false] {
                    let answer = try await store.answer(
                        to: first.name,
                        of: device.account,
                        isRepeated: isRepeated
                    )
                    try expect(answer == again)
                }
            },
            Check(description: "a change that never came has no answer") { store in
                let device = try await device(1, in: store)
                _ = try await accepted(change(1, of: device, ["a": "1"]), in: store)
                for other in [
                    change(2, of: device, ["a": "1"]),
                    change(1, of: device, ["a": "1"], attempt: 2),
                    change(1, of: device, ["a": "1"], node: 2),
                ] {
                    let answer = try await store.answer(
                        to: other.name,
                        of: device.account,
                        isRepeated: false
                    )
                    try expect(answer == nil)
                }
            },
            Check(description: "a number has one content, and a conflict has another attempt") {
                store in
                let device = try await device(1, in: store)
                _ = try await accepted(change(1, of: device, ["a": "1"]), in: store)
                let copy = change(1, of: device, ["a": "2"], digest: 2)
                try expect(try await store.change(copy, at: now) == .newNode)
                let conflict = change(2, of: device, ["a": "3"])
                _ = try await store.change(conflict, at: now)
                let version = try value(try await store.settings(of: device.account)).version
                let next = change(2, of: device, ["a": "4"], on: version, attempt: 2, digest: 4)
                _ = try await accepted(next, in: store)
                try expect(try await store.change(conflict, at: now) == .newNode)
                let third = change(2, of: device, ["a": "5"], attempt: 3)
                try expect(try await store.change(third, at: now) == .newNode)
                try expect(try await text("a", of: device, in: store) == "4")
            },
            Check(description: "a number that is settled is not applied any more") { store in
                let device = try await device(1, in: store)
                let first = change(1, of: device, ["a": "1"])
                var version = try await accepted(first, in: store)
                let second = change(3, of: device, ["a": "3"], on: version, settled: 2)
                version = try await accepted(second, in: store)
                for late in [first, change(2, of: device, ["a": "2"], on: version)] {
                    try expect(try await store.change(late, at: now) == .newNode)
                    let answer = try await store.answer(
                        to: late.name,
                        of: device.account,
                        isRepeated: false
                    )
                    try expect(answer == .newNode)
                }
                try expect(try await text("a", of: device, in: store) == "3")
            },
            Check(description: "a time ahead of the relay's is moved back, and keeps the order") {
                store in
                let device = try await device(1, in: store)
                let ahead = now.advanced(by: .seconds(86_400))
                let most = now.advanced(by: .seconds(60))
                let first = change(1, of: device, ["a": "1"], stamped: ahead)
                let version = try await accepted(first, time: most, in: store)
                let second = change(2, of: device, ["a": "2"], on: version, stamped: now)
                _ = try await accepted(second, time: most, in: store)
                let past = now.advanced(by: .seconds(-86_400))
                let other = change(1, of: device, ["a": "3"], node: 2, stamped: past)
                try expect(
                    try await store.change(other, at: now)
                        == .conflict(try await store.settings(of: device.account), time: past)
                )
            },
            Check(description: "settings beyond the limits are refused, and stay as they are") {
                store in
                let device = try await device(1, in: store)
                let version = try await accepted(change(1, of: device, ["a": "1"]), in: store)
                let settings = try await store.settings(of: device.account)
                let long = String(repeating: "x", count: 8192)
                let many = Dictionary(uniqueKeysWithValues: (1...16).map { ("b\($0)", "") })
                for (number, (fields, reason)) in [
                    (["b": long], "too-long"), (many, "too-many"), (["": ""], "bad-name"),
                    (["é": ""], "bad-name"),
                ].enumerated() {
                    let bad = change(Int64(2 + number), of: device, fields, on: version)
                    let refused = SettingsDecision.refused(reason: reason, settings)
                    try expect(try await store.change(bad, at: now) == refused)
                    try expect(try await store.change(bad, at: now) == refused)
                }
                try expect(try await store.settings(of: device.account) == settings)
            },
            Check(
                description: "an account has so many changes an hour, and repetitions beside them"
            ) {
                store in
                let device = try await device(1, in: store)
                let first = change(1, of: device, ["a": "1"])
                let version = try await accepted(first, in: store)
                for number in 2...Int64(SettingsRate.perHour) {
                    let late = change(number, of: device, ["a": "2"])
                    _ = try await store.change(late, at: now)
                }
                let next = change(500, of: device, ["a": "2"], on: version)
                guard case .wait(let wait) = try await store.change(next, at: now) else {
                    return try expect(false)
                }
                let later = now.advanced(by: wait)
                _ = try await accepted(next, time: now, at: later, in: store)
                let stranger = try await Self.device(2, of: 2, in: store)
                _ = try await accepted(change(1, of: stranger, ["a": "1"]), in: store)
            },
            Check(description: "a node has so many answers, and an account so many nodes") {
                store in
                let device = try await device(1, in: store)
                let first = change(1, of: device, ["a": "1"])
                var version = try await accepted(first, in: store)
                let most = Int64(ChangeLedger.mostAnswers)
                for number in 2...(most + 1) {
                    let next = change(number, of: device, ["a": "2"], on: version)
                    version = try await accepted(next, in: store)
                }
                try expect(try await store.change(first, at: now) == .newNode)
                // The first node is forgotten for the last one of these.
                for node in 2...UInt8(ChangeLedger.mostNodes + 1) {
                    let later = now.advanced(by: .seconds(Int64(node)))
                    let other = change(1, of: device, ["a": "3"], node: node)
                    _ = try await store.change(other, at: later)
                }
                let latest = try await store.settings(of: device.account)
                let forgotten = try await store.answer(
                    to: first.name,
                    of: device.account,
                    isRepeated: false
                )
                try expect(forgotten == nil)
                let kept = try await store.answer(
                    to: change(1, of: device, [:], node: 2).name,
                    of: device.account,
                    isRepeated: false
                )
                try expect(kept == .conflict(latest, time: now))
                // It comes again, and nothing is applied twice.
                let again = try await store.change(first, at: now)
                try expect(again == .conflict(latest, time: now))
            },
            Check(description: "of \(crowd) changes of one version, one is applied") { store in
                let device = try await device(1, in: store)
                let decisions = try await inCrowd { number in
                    let change = change(1, of: device, ["a": "\(number)"], node: UInt8(number))
                    return try await store.change(change, at: now)
                }
                let accepted = decisions.count { if case .accepted = $0 { true } else { false } }
                let met = decisions.count { if case .conflict = $0 { true } else { false } }
                try expect(accepted == 1 && met == crowd - 1)
            },
            Check(
                description: "of \(crowd) copies of one change, one is applied and all are told so"
            ) {
                store in
                let device = try await device(1, in: store)
                let decisions = try await inCrowd { _ in
                    try await store.change(change(1, of: device, ["a": "1"]), at: now)
                }
                let settings = try value(try await store.settings(of: device.account))
                let answer = SettingsDecision.accepted(version: settings.version, time: now)
                try expect(decisions.allSatisfy { $0 == answer })
                let next = change(2, of: device, ["a": "2"], on: settings.version)
                try expect(try await accepted(next, in: store) == settings.version + 1)
            },
        ]
    }

    // MARK: Steps

    /// A change of a device's account. Its digest tells its first value unless told otherwise.
    static func change(
        _ number: Int64,
        of device: AuthenticatedDevice,
        _ fields: [String: String],
        on version: Int64 = 0,
        node: UInt8 = 1,
        attempt: Int64 = 1,
        digest: UInt8 = 1,
        settled: Int64 = 0,
        stamped time: WallTime = now
    ) -> SettingsChange {
        SettingsChange(
            account: device.account,
            name: ChangeName(
                node: Array(repeating: node, count: 16),
                number: number,
                attempt: attempt,
                digest: [digest]
            ),
            time: time,
            settledThrough: settled,
            madeOn: version,
            fields: fields,
            rateKey: [9] + device.account.bits.bytes
        )
    }

    /// The version of an accepted change.
    static func accepted(
        _ change: SettingsChange,
        time: WallTime? = nil,
        at now: WallTime = now,
        in store: Store
    ) async throws -> Int64 {
        guard case .accepted(let version, let given) = try await store.change(change, at: now)
        else {
            throw BrokenPromise(check: "the change is accepted")
        }
        try expect(given == time ?? change.time)
        return version
    }

    private static func text(
        _ name: String,
        of device: AuthenticatedDevice,
        in store: Store
    ) async throws -> String? {
        try await store.settings(of: device.account)?.fields[name]?.value
    }
}
