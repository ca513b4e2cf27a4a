extension AppText {
    var english: StaticString {
        switch self {
        case .memo: "Memo"
        case .send: "Send"
        case .sendWithShortcut: "Send ({1})"
        case .back: "Back"
        case .close: "Close"
        case .cancel: "Cancel"
        case .firstHint: "Write a memo and press Send. It arrives in your own inbox."
        case .saved: "Saved. It will be in your inbox shortly."
        case .savedOffline: "Saved. It leaves when the connection is back."
        case .savedSignedOut: "Saved. It leaves once you have signed in."
        case .savedUnreached: "Saved. It leaves once the server can be reached."
        case .savedLimited: "Saved. The server asks to wait, so it leaves a little later."
        case .savedKept: "Saved. The memo is kept on this device."
        case .offline: "Offline"
        case .unreached: "Server not reached"
        case .waitingLong: "A memo has been waiting for over an hour. It is safe on this device."
        case .notArrived: "A memo did not arrive. Its text is kept."
        case .notifyMe: "Notify me when a memo does not arrive"
        case .showQueue: "Show"
        case .updateReady: "A new version is ready. Your draft is kept."
        case .update: "Update"
        case .memoTooLong:
            """
            The memo is longer than 1 MiB, so it was not sent. The text stays here; shorten or \
            split it.
            """
        case .memoContainsNUL:
            """
            The memo contains a NUL character, which mail cannot carry, so it was not sent. The text \
            stays here; remove the character and send it again.
            """
        case .memoNotStored:
            """
            The memo could not be saved, so it was not sent. The text stays here; please try \
            again.
            """
        case .storageFull:
            """
            The storage is full, so the memo was not sent. The text stays here; free some space \
            and try again.
            """
        case .storageUnavailable:
            """
            This browser does not let Simple Memo save anything. Nothing can be sent; your text \
            stays here. Copy it, or open Simple Memo in an ordinary window.
            """
        case .persistenceRefused:
            """
            When space runs short, the browser may delete memos that have not left yet. \
            Installing the app makes that less likely.
            """
        case .draftNotSaved:
            """
            The draft cannot be saved right now. The text stays here; keep this page open until \
            you have sent it.
            """
        case .shareMissed:
            """
            The shared text did not reach the app. Nothing else is affected; please share it \
            again.
            """
        case .shareOffered: "Another app or site shared a text:"
        case .shareTake: "Add to memo"
        case .shareDiscard: "Discard"
        case .shareTooLong:
            """
            The shared text is longer than 1 MiB, so it was not taken. Nothing else is \
            affected; shorten or split it, then share it again.
            """
        case .keyLost:
            """
            The key to the memos saved on this device is missing. They are kept but cannot be \
            read or sent. Mails that arrived are not affected. To start afresh, sign out.
            """
        case .databaseTooNew:
            """
            A newer version of Simple Memo saved the data on this device. Nothing was changed. \
            Reload the page to update.
            """
        case .insecureConnection:
            """
            This page was not opened by https, so memos cannot be saved safely. Nothing can be \
            sent; your text stays here. Copy it, and open Simple Memo by https.
            """
        case .otherTab:
            """
            Another tab runs an older version of Simple Memo. Nothing is lost; close that tab, \
            then reload this page.
            """
        case .signedOutElsewhere:
            """
            Another tab signed out and deleted everything on this device, so the memo was not \
            saved. The text stays here; copy it, then load the page again.
            """
        case .appStopped:
            """
            The app has stopped. The text in the field is kept; copy it, then load the page again. \
            Memos that were sent are safe.
            """
        case .tokenRevoked:
            """
            This device is no longer signed in. Your memos are kept here and leave once you sign \
            in again.
            """
        case .signIn: "Sign in"
        case .history: "History"
        case .historyEmpty: "No memos yet"
        case .historyMore: "Show more"
        case .memoUnreadable: "Cannot be opened"
        case .showAll: "Show all ({1} characters)"
        case .statusQueued: "Queued"
        case .statusSent: "Sent"
        case .statusDelivered: "Delivered"
        case .statusBounced: "Bounced"
        case .statusExpired: "Expired"
        case .statusRefused: "Refused"
        case .statusDeleted: "Deleted"
        case .statusResent: "Sent again"
        case .statusParked: "Needs attention"
        case .statusUnreadable: "Unreadable"
        case .statusUnknown: "Unknown"
        case .reasonSignedOut: "Kept here until you sign in ({1})."
        case .reasonOffline: "Waiting for the connection ({1})."
        case .reasonRelay: "The server is not answering ({1}). The memo is kept and tried again."
        case .reasonWait: "The server asks to wait ({1}). The memo is kept and sent later."
        case .reasonForeign:
            """
            Something other than the server answered, perhaps this network’s sign-in page ({1}). \
            The memo is kept and tried again.
            """
        case .reasonUntrusted:
            "The server’s certificate is not to be trusted ({1}). The memo is kept and tried again."
        case .reasonFailed: "The last attempt failed ({1}). The memo is kept and tried again."
        case .reasonRefused:
            """
            The server did not accept it ({1}). It is kept here; change it and send it again, or \
            delete it.
            """
        case .reasonLost:
            """
            The server lost what it had stored of this memo ({1}). The text is kept here; send \
            it again.
            """
        case .reasonBounced:
            """
            The mail server refused it ({1}). The text is kept here; check your address and send \
            it again.
            """
        case .reasonMailboxFull:
            "Your inbox is full ({1}). The text is kept here; make room and send it again."
        case .reasonNoMailbox:
            """
            The mail server does not know your address ({1}). The text is kept here; check the \
            address and send it again.
            """
        case .reasonExpired:
            """
            The mail server did not take it for days ({1}). The text is kept here; you can send \
            it again.
            """
        case .reasonUnsupported:
            "This version cannot send it ({1}). It is kept here; update the app."
        case .reasonUnreadable:
            "It is damaged and cannot be read ({1}). It is kept as it is; you can delete it."
        case .copy: "Copy"
        case .copied: "Copied"
        case .copyFailed: "Could not be copied. Select the text and copy it yourself."
        case .resend: "Send again"
        case .resent: "Saved again. It will be in your inbox shortly."
        case .delete: "Delete"
        case .deleteQuestion: "Delete this memo?"
        case .deleteSentHint: "It disappears from this device. The mail in your inbox stays."
        case .deleteQueuedHint: "It has not been sent yet and will not be. This cannot be undone."
        case .settings: "Settings"
        case .address: "Mail address"
        case .addressHint: "Your memos arrive here."
        case .askCode: "Mail me a code"
        case .codeSent: "A code is on its way to this address."
        case .longCode: "Enter the long code from the latest Simple Memo mail in your inbox."
        case .code: "Code from the mail"
        case .confirmCode: "Confirm"
        case .signedInAs: "Memos go to {1}"
        case .signedIn: "Signed in"
        case .addressInvalid: "No mail can be sent to this address. Please check it."
        case .codeInvalid: "A code has {1} digits."
        case .codeRejected: "This code is wrong. Check it, or ask for a new one."
        case .codeExpired: "This code has expired. Ask for a new one."
        case .codeSpent: "No tries are left for this code. Ask for a new one."
        case .handleMissing:
            """
            The server takes a code only from the app that asked for it. Your memos are kept. Ask for a \
            new code; if this comes again, update Simple Memo.
            """
        case .tooManyRequests: "Too many attempts. You can try again in {1} s."
        case .tooManyRequestsLater: "Too many attempts. Please try again later."
        case .relayUnreachable:
            "The server cannot be reached. Nothing is lost; check the connection and try again."
        case .relayFailed:
            "The server had a problem (HTTP {1}). Nothing is lost; please try again later."
        case .notARelay:
            """
            Something other than the server answered, perhaps this network’s sign-in page. \
            Nothing is lost; check the connection and try again.
            """
        case .subjectTemplate: "Subject"
        case .subjectTemplateHint:
            """
            {line} is the first line of the memo, {date} the date, {id} a short code that keeps \
            mails apart.
            """
        case .subjectPreview: "Example: {1}"
        case .templatePlaceholder:
            """
            Only {line}, {date} and {id} can stand in braces, {line} once. The former subject \
            stays in use.
            """
        case .templateBrace:
            """
            A brace has no counterpart. Write {{ or }} for a brace itself. The former subject \
            stays in use.
            """
        case .templateTooLong: "This subject is too long. Shorten it; the former one stays in use."
        case .signature: "Signature"
        case .signatureHint: "Added below each memo."
        case .signatureTooLong:
            "This signature is too long. Shorten it; the former one stays in use."
        case .language: "Language"
        case .languageAutomatic: "Automatic"
        case .devices: "Devices"
        case .deviceCurrent: "This device"
        case .deviceSince: "Since {1}"
        case .deviceUsed: "Last used: {1}"
        case .deviceQuestion: "Sign this device out?"
        case .deviceHint: "{1} can send no more memos. Mails in your inbox stay."
        case .deviceSignedOut: "The device is signed out."
        case .privacyOverlay: "Hide the text when the app is in the background"
        case .signOut: "Sign out"
        case .signOutQuestion: "Sign out and delete everything on this device?"
        case .signOutHint:
            "History, draft and settings are deleted from this device. Mails in your inbox stay."
        case .signOutUnsent: "Memos that have not been sent and will be lost: {1}"
        case .signOutConfirm: "Sign out and delete"
        case .signOutUntold:
            """
            Everything on this device is deleted. The server could not be told, so this device \
            may still be in its list.
            """
        case .signOutKeep: "Sign out and keep everything"
        case .signOutKept:
            "Signed out. Everything on this device is kept, sealed, for your next sign-in."
        case .signOutKeptUntold:
            """
            Signed out. Everything on this device is kept for your next sign-in. The server \
            could not be told, so this device may still be in its list.
            """
        case .settingsSaved: "Saved"
        case .settingsNotSaved:
            "The change could not be saved. The former setting stays in use; please try again."
        case .syncing: "Syncing"
        case .changesUnconfirmed: "Changes not confirmed yet: {1}"
        case .syncedAt: "Last synced: {1}"
        case .changeMet: "Another device has changed this, too. There: {1}"
        case .changeRefused: "This change was not accepted."
        case .edit: "Edit"
        case .writtenOn: "Written on {1}"
        case .writtenElsewhere: "Written on another device"
        case .diagnostics: "Diagnostics"
        case .queue: "Queue"
        case .queueEmpty: "Nothing is waiting"
        case .queued: "Queued: {1}"
        case .parked: "Needs attention: {1}"
        case .quarantined: "Unreadable: {1}"
        case .waitingSince: "Since {1}"
        case .attempts: "Attempts: {1}"
        case .nextAttempt: "Next attempt: {1}"
        case .retryNow: "Try now"
        case .retryAll: "Try all now"
        case .timings: "Timings"
        case .timeToText: "From start to typing"
        case .sendToReset: "From sending to an empty field"
        case .timing: "Median {1} ms, latest {2} ms, target {3} ms"
        case .notMeasured: "Not measured yet"
        case .log: "Latest steps"
        case .logRemoved: "Left the queue"
        case .ratingQuestion: "How do you like Simple Memo?"
        case .ratingStars: "Stars: {1} of 5"
        case .ratingDismiss: "Not now"
        case .ratingThanks: "Thank you for your rating."
        case .hidden: "Hidden for privacy"
        }
    }
}
