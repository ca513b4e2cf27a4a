import MemoCore
import MemoKit
import MemoTexts
import Testing

@Suite("The data folder")
struct DataFolderTests {
    @Test("is made with all the folders above it, and making it again changes nothing")
    func made() throws {
        let temporary = try TemporaryFolder()
        let folder = DataFolder(path: temporary.root + "/a/b/c")
        try folder.create()
        try folder.create()
        #expect(throws: Never.self) { _ = try MemoBox(folder: folder) }
    }

    @Test("every error has a sentence of its own in every language")
    func messages() {
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
        for language in Language.allCases {
            let sentences = errors.map { $0.sentence(in: language) }
            #expect(Set(sentences).count == errors.count)
            // No placeholder is left, save those that a template may hold.
            #expect(sentences.allSatisfy { !$0.contains("{1}") && !$0.contains("{2}") })
        }
        #expect(errors.allSatisfy { $0.description == $0.sentence(in: .english) })
    }
}
