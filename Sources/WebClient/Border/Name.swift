/// The names on the page: of elements, parts of rows, templates, attributes and classes.
///
/// Names cross the border as numbers. The host learns them at the start, see ``all``; the tests
/// hold the two in step.
enum Name: UInt8, CaseIterable {
    case none
    // The page itself.
    case root, body
    // Composing.
    case memo, send, ghost, notice, noticeAction, offline, updateReady, openHistory, openSettings
    case share, shareTake, shareDiscard
    // The history.
    case history, historyTitle, historyList, historyRow, historyMore, historyEmpty, historyBack
    // Settings.
    case settings, settingsTitle, settingsBack, destination, address, askCode, code, confirmCode
    case signedInAs, signOut, subjectTemplate, subjectPreview, signature, language
    case privacyOverlaySetting, deviceGroup, deviceList, deviceRow, openDiagnostics
    // Diagnostics.
    case diagnostics, diagnosticsTitle, diagnosticsBack, queueList, queueRow, queueEmpty, retryNow
    case timeToText, sendToReset, log
    // Questions, and the overlay over everything.
    case rating, rate1, rate2, rate3, rate4, rate5, ratingDismiss
    case wipeConfirm, wipeUnsent, wipeAccept, wipeCancel
    case deleteConfirm, deleteText, deleteAccept, deleteCancel, overlay
    // Parts of rows.
    case text, status, time, copy, resend, delete, reason, name, revoke, state, age, attempts, next
    case id, retry
    // Attributes and classes.
    case lang, dir, hidden, title, ariaLabel, dataScreen, dataState, dataStars, isLeaving

    /// The names in their order, as the page writes them.
    static let all: StaticString = """
         root body memo send ghost notice notice-action offline update-ready open-history \
        open-settings share share-take share-discard history history-title history-list history-row history-more history-empty \
        history-back settings settings-title settings-back destination address ask-code code \
        confirm-code signed-in-as sign-out subject-template subject-preview signature language \
        privacy-overlay-setting device-group device-list device-row open-diagnostics diagnostics \
        diagnostics-title diagnostics-back queue-list queue-row queue-empty retry-now \
        time-to-text send-to-reset log rating rate-1 rate-2 rate-3 rate-4 rate-5 rating-dismiss \
        wipe-confirm wipe-unsent wipe-accept wipe-cancel delete-confirm delete-text delete-accept \
        delete-cancel overlay text status time copy resend delete reason name revoke state age \
        attempts next id retry lang dir hidden title aria-label data-screen data-state data-stars \
        is-leaving
        """
}

/// An element: its id, the key of a row in it (0 for none), a part of that row.
struct Element {
    let id: Name
    var row: UInt32
    var part: Name

    static let root = Element(.root)
    static let body = Element(.body)
    static let memo = Element(.memo)

    init(_ id: Name, row: UInt32 = 0, part: Name = .none) {
        self.id = id
        self.row = row
        self.part = part
    }
}
