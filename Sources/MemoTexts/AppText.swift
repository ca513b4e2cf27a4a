import WireCore

/// The texts of a face with windows, in ten languages: the web app's.
///
/// Each language is one property with a `switch` over all cases and no `default`, so a text that is
/// missing in any language does not compile. A text is never joined from parts; a number or a name
/// goes where the text says `{1}`, `{2}` or `{3}`, by ``Swift/StaticString/filled(with:isolated:)``.
/// Numbers stand behind a colon or before a unit, so that no language needs plural forms.
///
/// The ``name`` of a case is the key by which a page asks for it: `data-text="send"`.
public enum AppText: UInt8, CaseIterable, Sendable {
    // Composing.
    case memo
    case send
    /// `{1}` is the keys that send.
    case sendWithShortcut
    case back
    case close
    case cancel
    /// In the empty field, until a memo is sent.
    case firstHint
    case saved
    case savedOffline
    case savedSignedOut
    case savedUnreached
    case savedLimited
    case savedKept
    case offline
    /// The server does not answer, although the device has a network.
    case unreached
    case waitingLong
    case notArrived
    /// A button: has the browser ask for the permission of notifications.
    case notifyMe
    case showQueue
    case updateReady
    case update

    // Trouble with storing: what happened, whether the memo is safe, what to do.
    case memoTooLong
    case memoContainsNUL
    case memoNotStored
    case storageFull
    case storageUnavailable
    case persistenceRefused
    case draftNotSaved
    case shareMissed
    case shareOffered
    case shareTake
    case shareDiscard
    case shareTooLong
    case keyLost
    case databaseTooNew
    case insecureConnection
    case otherTab
    case signedOutElsewhere
    case appStopped
    case tokenRevoked
    case signIn

    // The history: its statuses, the reasons that go with them, what can be done.
    case history
    case historyEmpty
    case historyMore
    case memoUnreadable
    /// `{1}` is their number, in the hundreds or more.
    case showAll
    case statusQueued
    case statusSent
    case statusDelivered
    case statusBounced
    case statusExpired
    case statusRefused
    case statusDeleted
    case statusResent
    case statusParked
    case statusUnreadable
    case statusUnknown
    /// `{1}` is the reason code.
    case reasonSignedOut
    /// `{1}` is the reason code.
    case reasonOffline
    /// `{1}` is the reason code.
    case reasonRelay
    /// `{1}` is the reason code.
    case reasonWait
    /// `{1}` is the reason code.
    case reasonForeign
    /// `{1}` is the reason code.
    case reasonUntrusted
    /// `{1}` is the reason code.
    case reasonFailed
    /// `{1}` is the reason code.
    case reasonRefused
    /// `{1}` is the reason code.
    case reasonLost
    /// `{1}` is the reason code.
    case reasonBounced
    /// `{1}` is the reason code.
    case reasonMailboxFull
    /// `{1}` is the reason code.
    case reasonNoMailbox
    /// `{1}` is the reason code.
    case reasonExpired
    /// `{1}` is the reason code.
    case reasonUnsupported
    /// `{1}` is the reason code.
    case reasonUnreadable
    case copy
    case copied
    case copyFailed
    case resend
    case resent
    case delete
    case deleteQuestion
    case deleteSentHint
    case deleteQueuedHint

    // Settings, and verifying the address.
    case settings
    case address
    case addressHint
    case askCode
    case codeSent
    /// No digits were mailed, or something else than a long code was entered.
    case longCode
    case code
    case confirmCode
    /// `{1}` is the address.
    case signedInAs
    case signedIn
    case addressInvalid
    /// `{1}` is the number of digits.
    case codeInvalid
    case codeRejected
    case codeExpired
    /// The code was tried too often.
    case codeSpent
    case handleMissing
    /// `{1}` is seconds.
    case tooManyRequests
    case tooManyRequestsLater
    case relayUnreachable
    /// `{1}` is the HTTP status.
    case relayFailed
    case notARelay
    case subjectTemplate
    case subjectTemplateHint
    /// `{1}` is a subject.
    case subjectPreview
    case templatePlaceholder
    case templateBrace
    case templateTooLong
    case signature
    case signatureHint
    case signatureTooLong
    case language
    case languageAutomatic
    case devices
    case deviceCurrent
    /// `{1}` is a date.
    case deviceSince
    /// `{1}` is a date.
    case deviceUsed
    case deviceQuestion
    /// `{1}` is the device's name.
    case deviceHint
    case deviceSignedOut
    case privacyOverlay
    case signOut
    case signOutQuestion
    case signOutHint
    /// `{1}` is their number.
    case signOutUnsent
    case signOutConfirm
    case signOutUntold
    /// A button.
    case signOutKeep
    case signOutKept
    case signOutKeptUntold
    case settingsSaved
    case settingsNotSaved

    // What all devices share.
    case syncing
    /// `{1}` is a number.
    case changesUnconfirmed
    /// `{1}` is a moment.
    case syncedAt
    /// `{1}` is the other device's value.
    case changeMet
    case changeRefused
    case edit
    /// `{1}` is the name of a device. In the place of a memo's text.
    case writtenOn
    case writtenElsewhere

    // Diagnostics.
    case diagnostics
    case queue
    case queueEmpty
    /// `{1}` is their number.
    case queued
    /// `{1}` is their number.
    case parked
    /// `{1}` is their number.
    case quarantined
    /// `{1}` is a time.
    case waitingSince
    /// `{1}` is their number.
    case attempts
    /// `{1}` is a time.
    case nextAttempt
    case retryNow
    case retryAll
    case timings
    case timeToText
    case sendToReset
    /// `{1}`, `{2}` and `{3}` are milliseconds.
    case timing
    case notMeasured
    case log
    /// An operation was handed over or deleted.
    case logRemoved

    // The star rating.
    case ratingQuestion
    /// `{1}` is a number from 1 to 5.
    case ratingStars
    case ratingDismiss
    case ratingThanks

    // The privacy overlay.
    case hidden
}

extension AppText {
    /// The text with this name.
    ///
    /// - Parameter name: ASCII, as in `data-text`.
    /// - Returns: `nil` for a name that no text has.
    /// - Complexity: O(number of texts).
    public init?(name: some Collection<UInt8>) {
        for text in Self.allCases where name.isEqual(to: text.name) {
            self = text
            return
        }
        return nil
    }
}
