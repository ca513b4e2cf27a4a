/// The names on the page: of elements, parts of rows, templates, attributes and classes.
///
/// Names cross the border as numbers. The host learns them at the start, see ``all``; the tests
/// hold the two in step.
package enum Name: UInt8, CaseIterable {
    case none
    // The page itself.
    case root, body
    // Composing.
    case memo, send, ghost, notice, noticeAction, offline, offlineText, updateReady, openHistory
    case openSettings, share, shareText, shareTake, shareDiscard
    // The history.
    case history, historyTitle, historyList, historyRow, historyMore, historyEmpty, historyBack
    case notify
    // Settings.
    case settings, settingsTitle, settingsBack, destination, address, askCode, code, confirmCode
    case signedInAs, signOut, subjectTemplate, subjectPreview, signature, language
    case addressError, codeError, subjectError, signatureError
    case privacyOverlaySetting, storageHint, deviceGroup, deviceList, deviceRow, openDiagnostics
    // Diagnostics.
    case syncState, syncNews, changeList, changeRow
    case diagnostics, diagnosticsTitle, diagnosticsBack, queueList, queueRow, queueEmpty, retryNow
    case timeToText, sendToReset, logList, logRow
    // Questions, and the overlay over everything.
    case rating, rate1, rate2, rate3, rate4, rate5, ratingDismiss
    case wipeConfirm, wipeUnsent, wipeChanges, wipeAccept, wipeCancel, wipeKeep
    case confirm, confirmTitle, confirmText, confirmAccept, confirmCancel, overlay
    // Parts of rows.
    case text, status, time, copy, resend, delete, reason, name, revoke, state, age, attempts, next
    case id, retry, whole, edit
    // Attributes and classes.
    case lang, dir, hidden, title, placeholder, ariaLabel, ariaInvalid, ariaLive, dataScreen
    case dataState, dataStars, inputmode, isLeaving

    /// The names in their order, as the page writes them.
    static let all: StaticString = """
         root body memo send ghost notice notice-action offline offline-text update-ready \
        open-history open-settings share share-text share-take share-discard history \
        history-title history-list history-row history-more history-empty history-back notify settings \
        settings-title settings-back destination address ask-code code confirm-code \
        signed-in-as sign-out subject-template subject-preview signature language address-error \
        code-error subject-error signature-error privacy-overlay-setting storage-hint \
        device-group device-list device-row open-diagnostics sync-state sync-news change-list \
        change-row diagnostics diagnostics-title \
        diagnostics-back queue-list queue-row queue-empty retry-now time-to-text send-to-reset \
        log-list log-row rating rate-1 rate-2 rate-3 rate-4 rate-5 rating-dismiss wipe-confirm \
        wipe-unsent wipe-changes wipe-accept wipe-cancel wipe-keep confirm confirm-title confirm-text confirm-accept \
        confirm-cancel overlay text status time copy resend delete reason name revoke state age \
        attempts next id retry whole edit lang dir hidden title placeholder aria-label aria-invalid \
        aria-live data-screen data-state data-stars inputmode is-leaving
        """
}

/// An element: its id, the key of a row in it (0 for none), a part of that row.
package struct Element {
    package let id: Name
    package var row: UInt32
    package var part: Name

    static let root = Element(.root)
    static let body = Element(.body)
    static let memo = Element(.memo)

    package init(_ id: Name, row: UInt32 = 0, part: Name = .none) {
        self.id = id
        self.row = row
        self.part = part
    }
}
