import MemoSyncCore
import Testing
import WireCore

@Suite("What becomes of the two values of a setting")
struct SettingMeetingTests {
    private static let values = ["", "a", "b", "c"]

    @Test(
        "all values of all settings: who changed nothing takes, and no two changes meet without a person"
    )
    func all() {
        for setting in SharedSetting.allCases {
            for mine in Self.values {
                for shared in [nil] + Self.values {
                    for basis in [nil] + Self.values {
                        let meeting = SettingMeeting(
                            of: setting,
                            mine: Array(mine.utf8),
                            shared: shared.map { Array($0.utf8) },
                            basis: basis.map { Array($0.utf8) }
                        )
                        #expect(
                            meeting == expected(setting, mine, shared, basis),
                            "\(setting) \(mine) \(shared ?? "none") \(basis ?? "none")"
                        )
                    }
                }
            }
        }
    }

    private func expected(
        _ setting: SharedSetting,
        _ mine: String,
        _ shared: String?,
        _ basis: String?
    ) -> SettingMeeting {
        let isChangedHere = mine != basis ?? ""
        guard let shared else { return isChangedHere ? .tell : .agree }
        if mine == shared { return .agree }
        let isChangedThere = shared != basis ?? ""
        switch (isChangedHere, isChangedThere) {
        case (false, _): return .take
        case (true, false): return .tell
        case (true, true):
            if setting.isWrittenByHand { return .ask }
            return basis == nil ? .take : .tell
        }
    }
}
