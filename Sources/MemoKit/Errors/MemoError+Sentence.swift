import LibC
import MemoCore
public import MemoTexts

extension MemoError {
    public func sentence(in language: Language) -> String {
        switch self {
        case .emptyMemo: language.string(.emptyMemo)
        case .notUTF8: language.string(.notUTF8)
        case .containsNUL: language.string(.containsNUL)
        case .tooLong(let limit): language.string(.tooLong, "\(limit)")
        case .noDataFolder: language.string(.noDataFolder)
        case .readOnly(let path): language.string(.readOnly, path)
        case .readingNeedsWriting(let path): language.string(.readingNeedsWriting, path)
        case .diskFull(let path): language.string(.diskFull, path)
        case .folderUnusable(let path, let code):
            language.string(.folderUnusable, path, systemMessage(code))
        case .folderLacksLocks(let path): language.string(.folderLacksLocks, path)
        case .keyUnreadable(let path): language.string(.keyUnreadable, path)
        case .keyPermissions(let path): language.string(.keyPermissions, path)
        case .keyDamaged(let path): language.string(.keyDamaged, path)
        case .keyMissing(let path): language.string(.keyMissing, path)
        case .wrongKey(let path): language.string(.wrongKey, path)
        case .keyringLocked: language.string(.keyringLocked)
        case .keyringUnreachable: language.string(.keyringUnreachable)
        case .keyringItemMissing: language.string(.keyringItemMissing)
        case .keyStoreUnknown(let asked):
            language.string(
                .keyStoreUnknown,
                asked,
                KeyHome.offered.map(\.rawValue).joined(separator: ", ")
            )
        case .keyCopyLeft: language.string(.keyCopyLeft)
        case .busy: language.string(.busy)
        case .databaseDamaged(let path): language.string(CommandText.databaseDamaged, path)
        case .databaseInconsistent(let path): language.string(.databaseInconsistent, path)
        case .logDamaged(let path): language.string(.logDamaged, path)
        case .databaseTooNew(let path): language.string(CommandText.databaseTooNew, path)
        case .storage(let cause): language.string(.storageFailed, cause)
        case .unknownOperation: language.string(.unknownOperation)
        case .unknownMemo: language.string(.unknownMemo)
        case .ambiguousIdentifier: language.string(.ambiguousIdentifier)
        case .notResendable: language.string(.notResendable)
        case .unknownDevice: language.string(.unknownDevice)
        case .noQuestion(let setting): language.string(.noQuestion, setting)
        case .entryDamaged: language.string(.entryDamaged)
        case .accountDamaged: language.string(.accountDamaged)
        case .settingsDamaged: language.string(.settingsDamaged)
        case .badTemplate(let error): language.string(error.text)
        case .signatureTooLong: language.string(.signatureTooLong)
        case .unknownLanguage(let asked):
            language.string(
                .unknownLanguage,
                asked,
                (Language.allCases.map(\.tag.description) + ["auto"]).joined(separator: ", ")
            )
        case .agentSilent: language.string(.agentSilent)
        case .noAccount: language.string(.noAccount)
        case .signedOutElsewhere: language.string(CommandText.signedOutElsewhere)
        case .memosNotArrived(let number): language.string(.memosNotArrived, "\(number)")
        case .relayUnreached(let relay, let since, let reason, let waiting):
            language.string(.relayUnreached, relay, Dates.local(since), reason, "\(waiting)")
        case .agentNotStarted(let code): language.string(.agentNotStarted, systemMessage(code))
        case .agentCannotWork(let type): language.string(.agentCannotWork, type)
        case .entriesNeedPerson(let number): language.string(.entriesNeedPerson, "\(number)")
        }
    }
}

/// The system's own words for an `errno`.
public func systemMessage(_ code: Int32) -> String {
    strerror(code).map { String(cString: $0) } ?? "errno \(code)"
}
