/// The texts that only the terminal has, in ten languages; the rest it shares with ``AppText``.
///
/// Complete by construction, like those. Commands, options, environment variables and signals keep
/// their names in every language.
public enum CommandText: UInt8, CaseIterable, Sendable {
    // Sending and composing.
    case saved
    case savedSignedOut
    /// `{1}` is the reason.
    case savedNotLeaving
    case signedOutElsewhere
    case waitingLong
    case composeHint
    case composeKeys
    case fieldEmptied
    case draftKept
    /// `{1}` is the reason.
    case draftNotSaved
    /// `{1}` is the reason.
    case draftLossAhead
    /// `{1}` is the reason.
    case draftLost
    /// `{1}` is a number.
    case draftsDiscarded
    /// `{1}` is the reason.
    case notSent
    case needsTerminal
    case usageHint
    /// `{1}` is a number, counted from 1.
    case argumentUnclear
    /// `{1}` is a command line.
    case didYouMean

    // Faults of a memo.
    case emptyMemo
    case notUTF8
    case containsNUL
    /// `{1}` is a number of bytes.
    case tooLong
    /// `{1}` is an offset in bytes.
    case inputNotUTF8
    /// `{1}` is the system’s words for the error.
    case inputUnreadable
    /// `{1}` is the system’s words for the error.
    case outputFailed
    /// `{1}` is the system’s words for the error.
    case outputFailedStored

    // Faults of the device.
    case noDataFolder
    /// `{1}` is a path.
    case readOnly
    /// `{1}` is a path.
    case readingNeedsWriting
    /// `{1}` is a path.
    case diskFull
    /// `{1}` is a path, `{2}` the system’s words for the error.
    case folderUnusable
    /// `{1}` is a path.
    case keyUnreadable
    /// `{1}` is a path.
    case keyPermissions
    /// `{1}` is a path.
    case keyDamaged
    /// `{1}` is a path.
    case keyMissing
    /// `{1}` is a path.
    case wrongKey
    case keyringLocked
    case keyringUnreachable
    case keyringItemMissing
    /// `{1}` is what was asked for, `{2}` the places that there are.
    case keyStoreUnknown
    case keyCopyLeft
    /// `{1}` is their number.
    case keyRotated
    case oldKeyKept
    case busy
    /// `{1}` is a path.
    case databaseDamaged
    /// `{1}` is a path.
    case databaseInconsistent
    /// `{1}` is a path.
    case logDamaged
    /// `{1}` is a path.
    case databaseTooNew
    /// `{1}` is the cause: `SQLite` and its result code, or the type of the failure.
    case storageFailed
    case unknownOperation
    case unknownMemo
    case ambiguousIdentifier
    case notResendable
    case entryDamaged
    case memoDeleted
    case accountDamaged
    case settingsDamaged
    case agentSilent
    case noAccount
    /// `{1}` is the system’s words for the error.
    case agentNotStarted
    /// `{1}` is the type of the failure.
    case agentFailed
    /// `{1}` is the type of the failure.
    case agentCannotWork
    /// `{1}` is a number.
    case entriesNeedPerson
    /// `{1}` is a number.
    case memosNotArrived
    /// `{1}` is a URL, `{2}` a time, `{3}` a reason code, `{4}` a number.
    case relayUnreached
    /// `{1}` is a path.
    case folderLacksLocks
    /// `{1}` is the system’s words for the error.
    case agentMissing

    // Lists and diagnosis.
    case outboxEmpty
    /// `{1}` is a number.
    case outboxRetried
    case folder
    case key
    case keyPresent
    case keyIsMissing
    case keyIsOpen
    case keyIsUnreadable
    case keyInKeyring
    case signedIn
    case server
    case yes
    case notSignedIn
    case noLongerSignedIn
    case codeEntryWaits
    case outbox
    case outboxUnreadable
    /// `{1}` is a time, such as ``minutes``.
    case oldest
    /// `{1}` is a number, as in the next ones.
    case seconds
    case minutes
    case hours
    case days
    /// `{1}` is a time, such as ``minutes``.
    case nextAttemptIn
    /// `{1}` is a time.
    case newsAsOf
    case newsNever
    case agentErrors
    case none
    case problem

    // Settings.
    /// `{1}` is what was asked for, `{2}` the tags that there are.
    case unknownLanguage
    case settingsReplaced

    // Signing in and out, delivering.
    case codePrompt
    /// `{1}` is a time.
    case codePending
    /// `{1}` is a number.
    case codeWrong
    case codeNoTries
    case codeExpired
    /// `{1}` is an address, `{2}` a URL.
    case signedInTo
    case noCode
    case signedInFormerValid
    case signedOut
    case signedOutUntold
    case synced
    /// `{1}` is a number.
    case notConfirmed
    /// `{1}` is a time.
    case lastSynced
    /// `{1}` is the reason.
    case syncFailed
    /// `{1}` is the name of a setting.
    case settingAsked
    case unknownDevice
    /// `{1}` is the name of a setting.
    case noQuestion
    /// `{1}` is the name of a device.
    case deviceLeaving
    case elsewhere
    case eraseAccount
    /// `{1}` is an address.
    case eraseWarning
    case accountErased
    /// `{1}` is a number.
    case changesKept
    case relayNotURL
    case relayUnencrypted
    /// `{1}` is a URL.
    case relayUnreachable
    case relayUntrusted
    case agentIdle
    case agentStopped
    case agentRunsElsewhere

    // The agent as a service.
    case serviceRuns
    case serviceMissing
    /// `{1}` is a path.
    case serviceOutdated
    /// `{1}` is a command line.
    case serviceInactive
    case serviceUnreachable
    /// `{1}` is a command line.
    case serviceNeedsLogin
    /// `{1}` is a path.
    case serviceWritten
    /// `{1}` is a path.
    case serviceUnchanged
    /// `{1}` is a path.
    case serviceRemoved
    /// `{1}` is a path.
    case serviceKept
    /// `{1}` is a path.
    case serviceForeign
    /// `{1}` is a path, `{2}` the system’s words for the error.
    case serviceFailed
    /// `{1}` is a path, or the value of a variable.
    case serviceUnfit
}
