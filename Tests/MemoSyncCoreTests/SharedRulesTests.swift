import MemoCore
import MemoSyncCore
import SyncCore
import Testing
import WireCore

@Suite("The rules of shared records")
struct SharedRulesTests {
    private let rules = SharedRules()
    private let kind = SharedKind.settings.bytes

    private func fields(_ values: [String: String]) -> [Field] {
        values.sorted { $0.key < $1.key }.map {
            Field(name: Array($0.key.utf8), value: Array($0.value.utf8))
        }
    }

    private func merge(
        _ base: [String: String],
        _ mine: [String: String],
        _ theirs: [String: String]?
    ) -> [String: String]? {
        rules.merge(
            kind,
            base: fields(base),
            mine: fields(mine),
            theirs: theirs.map { fields($0) }
        )
        .map {
            Dictionary(
                uniqueKeysWithValues: $0.map { (Wire.text($0.name), Wire.text($0.value)) }
            )
        }
    }

    @Test("for one setting, all versions of base, mine and theirs: nothing written by hand is lost")
    func oneSetting() {
        let values: [String?] = [nil, "", "a", "b"]
        for name in ["language", "overlay", "subject", "signature", "x-later"] {
            let byHand = name == "subject" || name == "signature"
            for base in values {
                for mine in values where !(base != nil && mine == nil) {
                    for theirs in values {
                        func record(_ value: String?) -> [String: String] {
                            value.map { [name: $0] } ?? [:]
                        }
                        let merged = merge(record(base), record(mine), record(theirs))
                        let context = "\(name) \(base ?? "-") \(mine ?? "-") \(theirs ?? "-")"
                        if mine == base || mine == theirs {
                            #expect(merged == record(theirs), "\(context)")
                        } else if theirs == base || !byHand {
                            #expect(merged == record(mine), "\(context)")
                        } else {
                            #expect(merged == nil, "\(context)")
                        }
                    }
                }
            }
        }
    }

    @Test("changes of different settings both stay")
    func different() {
        #expect(
            merge(
                ["subject": "s", "signature": "a"],
                ["subject": "s", "signature": "mine"],
                ["subject": "theirs", "signature": "a", "x-later": "1"]
            ) == ["subject": "theirs", "signature": "mine", "x-later": "1"]
        )
    }

    @Test("settings that the relay no longer has are written again")
    func gone() {
        #expect(merge(["signature": "a"], ["signature": "b"], nil) == ["signature": "b"])
    }

    @Test("the policies are those of the table")
    func policies() {
        #expect(rules.policy(for: kind) == .merge)
        #expect(rules.policy(for: SharedKind.device.bytes) == .clientWins)
        #expect(rules.policy(for: SharedKind.memo.bytes) == .serverWins)
        #expect(rules.policy(for: Array("label".utf8)) == .serverWins)
    }

    @Test("settings keep the relay's limits, to the byte")
    func limits() {
        let names = (0...RelayLimits.settings).map { "n\($0)" }
        let full = Dictionary(uniqueKeysWithValues: names.dropLast().map { ($0, "") })
        let more = Dictionary(uniqueKeysWithValues: names.map { ($0, "") })
        #expect(rules.isValid(fields(full), in: kind))
        #expect(!rules.isValid(fields(more), in: kind))
        let long = RelayLimits.settingsLength - "signature".utf8.count
        #expect(rules.isValid(fields(["signature": String(repeating: "a", count: long)]), in: kind))
        #expect(
            !rules.isValid(fields(["signature": String(repeating: "a", count: long + 1)]), in: kind)
        )
        let name = String(repeating: "n", count: RelayLimits.settingNameLength)
        #expect(rules.isValid(fields([name: ""]), in: kind))
        for name in ["", name + "n", "a b", "ä", "a_b"] {
            #expect(!rules.isValid(fields([name: ""]), in: kind))
        }
        #expect(rules.isValid(fields(["A-z9": "ä€🐻"]), in: kind))
        for bytes: [UInt8] in [
            [0xFF], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80],
        ] {
            #expect(!rules.isValid([Field(name: [0x61], value: bytes)], in: kind))
        }
    }

    @Test("a setting is found by its name alone")
    func names() {
        for setting in SharedSetting.allCases {
            #expect(SharedSetting(name: setting.name) == setting)
        }
        #expect(SharedSetting(name: Array("Language".utf8)) == nil)
        #expect(
            SharedSetting.allCases.map { Wire.text($0.name) }
                == ["language", "subject", "signature", "overlay"]
        )
    }
}
