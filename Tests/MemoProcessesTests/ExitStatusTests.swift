import MemoCore
import MemoKit
import MemoProcesses
import Testing

@Suite("Exit statuses")
struct ExitStatusTests {
    @Test("every error has an exit status of sysexits")
    func table() {
        let errors: [MemoError] = [
            .emptyMemo, .notUTF8, .containsNUL, .tooLong(limit: 5), .noDataFolder,
            .readOnly("/p"), .diskFull("/p"), .folderUnusable("/p", code: 2),
            .keyUnreadable("/k"), .keyPermissions("/k"), .keyDamaged("/k"), .keyMissing("/k"),
            .wrongKey("/k"), .busy, .databaseDamaged("/d"), .databaseTooNew("/d"),
            .storage(cause: "SQLite 10"), .unknownOperation, .entryDamaged, .accountDamaged,
            .agentSilent,
            .noAccount, .agentNotStarted(code: 2), .settingsDamaged, .badTemplate(.brace),
            .badTemplate(.placeholder), .badTemplate(.tooLong), .signatureTooLong,
            .unknownLanguage("nl"),
        ]
        #expect(errors.allSatisfy { (64...78).contains($0.exitStatus.rawValue) })
    }
}
