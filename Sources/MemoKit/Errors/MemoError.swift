import LibC
public import MemoCore
public import OutboxCore

/// A failure on the device.
///
/// A case carries paths and codes, never the person's text: an error is safe to print and log.
public enum MemoError: ExplainedError, Hashable, Sendable {
    /// The memo is empty or only white space.
    case emptyMemo
    /// The memo's bytes are not UTF-8.
    case notUTF8
    /// The memo holds a NUL character, which mail cannot carry.
    case containsNUL
    /// The memo is longer than `limit` bytes of UTF-8; the signature's bytes are already subtracted
    /// from `limit`.
    case tooLong(limit: Int)

    /// The environment names no folder to keep memos in.
    case noDataFolder
    /// The data folder, or the disk it is on, cannot be written.
    case readOnly(String)
    /// The disk that holds the data folder is full.
    case diskFull(String)
    /// The data folder cannot be written, which a command that only reads needs as well.
    case readingNeedsWriting(String)
    /// The data folder cannot be made or entered; `code` is the system's `errno`.
    case folderUnusable(String, code: Int32)

    /// The file system of the data folder lacks locks or shared memory.
    case folderLacksLocks(String)

    /// The key file exists and cannot be read.
    case keyUnreadable(String)
    /// Other users may read the key file.
    case keyPermissions(String)
    /// The key file does not hold a key.
    case keyDamaged(String)
    /// There is no key file, and data was sealed with one before.
    case keyMissing(String)
    /// The key that sealed the stored data is not the one in the key file.
    case wrongKey(String)
    /// The keyring that has the key is locked, and nobody unlocked it.
    case keyringLocked
    /// The keyring that has the key cannot be reached from here, or did not answer.
    case keyringUnreachable
    /// The keyring does not have the key that data was sealed with.
    case keyringItemMissing
    /// This system has no place for keys of the given name.
    case keyStoreUnknown(String)
    /// The key was moved into its file; its copy in the keyring could not be removed.
    case keyCopyLeft

    /// Another process kept the database locked.
    case busy
    /// The database file is damaged or not a database.
    case databaseDamaged(String)
    /// The database contradicts itself: some entries may never be sent, or not be listed.
    case databaseInconsistent(String)
    /// Part of what was stored could not be recovered; the damaged log was set aside under the path.
    case logDamaged(String)
    /// The database was written by a newer build.
    case databaseTooNew(String)
    /// Another failure of the database; `cause` is SQLite's extended result code, or the type of the
    /// failure.
    case storage(cause: String)

    /// There is no operation with this identifier.
    case unknownOperation
    /// The history has no memo with this identifier.
    case unknownMemo
    /// A shortened identifier names several entries.
    case ambiguousIdentifier
    /// The history has no memo with this identifier that did not arrive and was not sent again yet.
    case notResendable
    /// The person has no device of the given identifier.
    case unknownDevice
    /// There is nothing to choose for the setting of this name.
    case noQuestion(String)
    /// A stored entry is damaged: no key will open it.
    case entryDamaged
    /// The stored account is damaged: no key will open it.
    case accountDamaged
    /// The stored settings are damaged: no key will open them.
    case settingsDamaged
    /// A text is no template for subjects.
    case badTemplate(SubjectTemplateError)
    /// There is no language of the given tag.
    case unknownLanguage(String)
    /// A signature is longer than `Signature.maximumLength`.
    case signatureTooLong
    /// Another process holds the agent's lock, and does not answer.
    case agentSilent
    /// Nobody is signed in.
    case noAccount
    /// The relay refuses this device's token: a person signed the device out elsewhere.
    case signedOutElsewhere
    /// Memos did not arrive, and the person has not seen that yet.
    case memosNotArrived(Int)
    /// The relay has not taken a memo since the time, for the reason; memos wait.
    case relayUnreached(relay: String, since: WallTime, reason: String, waiting: Int)
    /// The program that delivers could not be started; `code` is the system's `errno`.
    case agentNotStarted(code: Int32)
    /// The last agent could not work; see ``DataFolder/agentFailure``.
    case agentCannotWork(String)
    /// Operations of the outbox leave only when a person retries or deletes them.
    case entriesNeedPerson(Int)

    /// The error for a folder that the system does not give to this program.
    ///
    /// - Parameter name: The name by which the program has asked for the folder.
    public static func folderMissing(_ name: String) -> MemoError {
        .folderUnusable(name, code: ENOENT)
    }

    /// The error for a system call on the data folder that failed with `errno`.
    init(folder: String, errno code: Int32) {
        switch code {
        case ENOLCK, ENODEV, ENOSYS, EOPNOTSUPP: self = .folderLacksLocks(folder)
        case EROFS, EACCES, EPERM: self = .readOnly(folder)
        case ENOSPC, EDQUOT: self = .diskFull(folder)
        default: self = .folderUnusable(folder, code: code)
        }
    }
}
