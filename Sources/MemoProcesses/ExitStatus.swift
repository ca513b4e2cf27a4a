public import MemoKit

/// An error that may end a process.
public protocol EndingError: ExplainedError {
    /// The exit status of a process that ends because of this error.
    var exitStatus: ExitStatus { get }
}

/// The exit statuses of `memo` and `memo-agent`, after `sysexits.h`.
public enum ExitStatus: Int32, Sendable, CaseIterable {
    /// Success. After sending: the memo is durably stored, whether or not it has left.
    case success = 0
    /// The command line was not understood.
    case usage = 64
    /// The memo, code, address or identifier given cannot be accepted.
    case badInput = 65
    /// The relay cannot be reached, or does not answer as a relay; nobody is signed in; there is no
    /// agent.
    case unavailable = 69
    /// The product itself failed.
    case internalError = 70
    /// The data folder cannot be made or written.
    case cannotCreate = 73
    /// The disk is full, or the database failed.
    case ioError = 74
    /// Another process holds a lock, or the relay asks to wait: the same command may succeed later.
    case temporaryFailure = 75
    /// The key cannot be used, or the relay refuses the device.
    case noPermission = 77
}

extension MemoError: EndingError {
    public var exitStatus: ExitStatus {
        switch self {
        case .emptyMemo, .notUTF8, .containsNUL, .tooLong, .unknownOperation, .unknownMemo,
            .ambiguousIdentifier, .notResendable, .unknownDevice, .noQuestion,
            .badTemplate,
            .signatureTooLong, .unknownLanguage, .keyStoreUnknown:
            .badInput
        case .noAccount, .signedOutElsewhere, .memosNotArrived, .relayUnreached, .agentNotStarted,
            .agentCannotWork, .entriesNeedPerson:
            .unavailable
        case .noDataFolder, .readOnly, .readingNeedsWriting, .folderUnusable, .folderLacksLocks:
            .cannotCreate
        case .diskFull, .databaseDamaged, .databaseInconsistent, .logDamaged, .databaseTooNew,
            .storage, .entryDamaged,
            .accountDamaged, .settingsDamaged:
            .ioError
        case .busy, .agentSilent, .keyringLocked, .keyringUnreachable, .keyCopyLeft:
            .temporaryFailure
        case .keyUnreadable, .keyPermissions, .keyDamaged, .keyMissing, .wrongKey,
            .keyringItemMissing:
            .noPermission
        }
    }
}
