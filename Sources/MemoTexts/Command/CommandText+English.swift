extension CommandText {
    var english: StaticString {
        switch self {
        case .saved: "Saved; it will be in your inbox shortly."
        case .savedSignedOut: "Saved. It leaves once you have signed in: memo login ADDRESS"
        case .savedNotLeaving: "Saved. {1}"
        case .signedOutElsewhere:
            """
            This device is no longer signed in. Your memos are kept here and leave once you sign \
            in again: memo login ADDRESS
            """
        case .waitingLong:
            "A memo has been waiting for over an hour. It is safe on this device; see: memo outbox"
        case .composeHint: "Ctrl-D send, Ctrl-C leave, Ctrl-G keys."
        case .composeKeys:
            """
            Ctrl-D sends. Ctrl-C leaves, the draft stays. Ctrl-X empties the field, Ctrl-Y \
            brings back. Ctrl-A, Ctrl-E: start, end of the line. Alt-B, Alt-F: by words. Ctrl-W, \
            Ctrl-U, Ctrl-K delete a word, to the start, to the end. Ctrl-Z suspends.
            """
        case .fieldEmptied: "The field is empty. Ctrl-Y brings the text back."
        case .draftKept: "The draft is kept. Run memo to go on writing."
        case .draftNotSaved: "The draft is not saved. {1}"
        case .draftLossAhead: "The draft is not saved. {1} Ctrl-C again leaves, and loses the text."
        case .draftLost: "What you wrote is NOT kept: the draft could not be saved. {1}"
        case .draftsDiscarded: "Drafts thrown away: {1}"
        case .notSent: "Not sent. {1}"
        case .needsTerminal:
            "Composing needs a terminal. Nothing was sent. Send a text with: memo TEXT, or … | memo"
        case .usageHint:
            "Nothing was sent. A text that begins with a dash or a subcommand: memo -- TEXT"
        case .argumentUnclear: "Argument {1} was not understood."
        case .didYouMean:
            "Nothing was sent. Did you mean {1}? To send the words as a memo: memo -- TEXT"
        case .emptyMemo: "The memo is empty, so there is nothing to send."
        case .notUTF8:
            "The memo is not valid UTF-8 text. Nothing was sent; convert it and send it again."
        case .containsNUL:
            """
            The memo contains a NUL character, which mail cannot carry. Nothing was sent; remove \
            it and send the memo again.
            """
        case .tooLong: "The memo is longer than {1} bytes. Nothing was sent; shorten or split it."
        case .inputNotUTF8:
            """
            Standard input is not valid UTF-8 at byte {1}. Nothing was sent; convert it and send \
            it again.
            """
        case .inputUnreadable:
            """
            Standard input cannot be read ({1}). Nothing was sent; check where it comes from and \
            try again.
            """
        case .outputFailed:
            """
            Standard output cannot be written ({1}), so the result is not complete. Nothing that \
            is stored is lost; write to another place.
            """
        case .outputFailedStored:
            """
            The memo is stored, do not send it again. Only its identifier could not be written \
            to standard output ({1}); see: memo history
            """
        case .noDataFolder:
            """
            There is no folder to keep memos in. Nothing was stored; set HOME, or MEMO_HOME to a \
            folder of yours.
            """
        case .readOnly:
            "{1} cannot be written. Nothing was stored; keep the text, and make it writable."
        case .readingNeedsWriting:
            """
            {1} cannot be written, and reading needs that, too. Nothing was changed; make it \
            writable, or copy the folder and set MEMO_HOME to the copy.
            """
        case .diskFull:
            "The disk that holds {1} is full. Nothing was stored; keep the text, and free space."
        case .folderUnusable: "{1} cannot be used ({2}). Nothing was stored; keep the text."
        case .keyUnreadable:
            "The key file {1} cannot be read. Nothing was changed; allow its owner to read it."
        case .keyPermissions:
            "The key file {1} may be read by others. Nothing was changed; run: chmod 600 '{1}'"
        case .keyDamaged:
            "The key file {1} does not hold a key. Nothing was changed; restore it from a backup."
        case .keyMissing:
            """
            The key file {1} is gone, and stored data needs it. Nothing was changed; restore it \
            from a backup, or move the whole folder away to start afresh.
            """
        case .wrongKey:
            """
            The stored data was sealed with another key than {1}. Nothing was stored, and the \
            data is kept as it is; restore the right key file.
            """
        case .keyringLocked:
            """
            The keyring that holds the key is locked. Nothing was changed; unlock it and try \
            again.
            """
        case .keyringUnreachable:
            """
            The keyring that holds the key does not answer here. Nothing was changed; try \
            again in the desktop session that it belongs to.
            """
        case .keyringItemMissing:
            """
            The keyring does not hold the key any more, and stored data needs it. Nothing was \
            changed; restore the keyring from a backup.
            """
        case .keyStoreUnknown:
            "There is no place for the key called {1} here. Nothing was changed. There are: {2}"
        case .keyCopyLeft:
            """
            The key is in its file, but the keyring’s copy of it could not be removed. Nothing \
            is lost; try again when the keyring answers.
            """
        case .keyRotated:
            "Everything new is sealed under a new key. Stored entries sealed again: {1}"
        case .oldKeyKept:
            """
            The old key is kept beside it: another program of Simple Memo is running, or an \
            entry cannot be read.
            """
        case .busy:
            "The memo database stayed locked by another process. Nothing was stored; try again."
        case .databaseDamaged:
            """
            {1} is damaged or not a database. Nothing was stored, and it was left as it is; \
            restore it from a backup or move it away.
            """
        case .databaseInconsistent:
            """
            {1} is damaged. Some memos in the outbox may never be sent, or not be listed: \
            compare memo outbox with memo history, and send again what is missing.
            """
        case .logDamaged:
            """
            Part of what was stored last could not be read back: the database’s log is \
            damaged, or the power failed meanwhile. Earlier memos are safe. See memo history \
            for your latest ones and send again what is missing. The log is kept, sealed as \
            it was, as {1}; delete that file to end this notice.
            """
        case .databaseTooNew:
            "{1} was written by a newer version of Simple Memo. Nothing was changed; update."
        case .storageFailed:
            "The memo database failed ({1}). Nothing was stored; keep the text."
        case .unknownOperation:
            "There is no such entry in the outbox. Nothing was changed; see: memo outbox"
        case .unknownMemo: "The history has no such memo. Nothing was changed; see: memo history"
        case .ambiguousIdentifier:
            """
            Several identifiers begin or end so. Nothing was changed; give more of it. Whole \
            ones are shown with: --json
            """
        case .notResendable:
            """
            Only a memo that did not arrive can be sent again, and only once. The history has no \
            such memo with this identifier, and nothing was sent; see: memo history
            """
        case .entryDamaged:
            """
            The entry is damaged and cannot be read. It is kept as it is and is not sent; restore \
            the database from a backup, or delete the entry.
            """
        case .memoDeleted: "Deleted from this device. A mail that has arrived stays in your inbox."
        case .accountDamaged:
            """
            The stored account is damaged and cannot be read. Memos stay stored; sign in again \
            with: memo login ADDRESS
            """
        case .settingsDamaged:
            """
            The stored settings are damaged and cannot be read. Memos are sent without them; set \
            them again with: memo settings
            """
        case .agentSilent:
            """
            Another memo-agent has the role of delivering and does not answer. Stored memos stay \
            stored; end that process, or try again later.
            """
        case .noAccount: "Nobody is signed in. Memos stay stored; run: memo login ADDRESS"
        case .agentNotStarted:
            """
            The delivering program could not be started ({1}). The memo is stored and leaves with \
            the next start of: memo agent
            """
        case .agentFailed:
            """
            The delivering program could not work the last time ({1}). Memos are stored and \
            safe; see: memo doctor
            """
        case .agentCannotWork:
            """
            The delivering program cannot work ({1}). Stored memos are safe, but do not leave. To \
            see why, run: memo agent
            """
        case .entriesNeedPerson:
            """
            Entries of the outbox that need you: {1}. They are safe on this device; see: memo \
            outbox
            """
        case .memosNotArrived:
            """
            Memos that did not arrive, and that you have not seen: {1}. Their texts are kept; \
            see: memo history
            """
        case .relayUnreached:
            """
            The server {1} has not taken a memo since {2} ({3}). Memos that wait: {4}. They are \
            safe, and leave by themselves.
            """
        case .folderLacksLocks:
            """
            The file system of {1} lacks locks or shared memory. Nothing was stored; keep the \
            text, and set MEMO_HOME to a folder on a local disk.
            """
        case .agentMissing:
            """
            memo-agent cannot be started ({1}). Stored memos stay stored. It belongs in the same \
            folder as memo, or on the search path.
            """
        case .outboxEmpty: "The outbox is empty."
        case .outboxRetried: "Memos that are tried now: {1}"
        case .folder: "Data folder"
        case .key: "Key"
        case .keyPresent: "present"
        case .keyIsMissing: "missing"
        case .keyIsOpen: "may be read by others"
        case .keyIsUnreadable: "cannot be read"
        case .keyInKeyring: "in the keyring"
        case .signedIn: "Signed in"
        case .server: "Server"
        case .yes: "yes"
        case .notSignedIn: "no; run: memo login ADDRESS"
        case .noLongerSignedIn: "no longer; run: memo login ADDRESS"
        case .codeEntryWaits: "not yet; to enter the mailed code, run: memo login ADDRESS"
        case .outbox: "Outbox"
        case .outboxUnreadable: "cannot be read"
        case .oldest: "Oldest: {1}"
        case .seconds: "{1} s"
        case .minutes: "{1} min"
        case .hours: "{1} h"
        case .days: "{1} d"
        case .nextAttemptIn: "Next attempt in {1}"
        case .newsAsOf:
            """
            The server could not be asked for news. What it knows of sent memos is shown as of {1}.
            """
        case .newsNever:
            """
            The server could not be asked for news yet. It may know more of sent memos than is \
            shown.
            """
        case .agentErrors: "Agent errors"
        case .none: "none"
        case .problem: "Problem"
        case .unknownLanguage:
            "There is no language {1} here. The former setting stays; choose one of: {2}"
        case .settingsReplaced:
            "The settings stored before could not be read, and were replaced as a whole."
        case .codePrompt: "Enter the code from the mail:"
        case .codePending: "A code was mailed at {1}. Press Enter alone for a new one."
        case .codeWrong: "This code is wrong. Tries left: {1}. Press Enter alone for a new code."
        case .codeNoTries:
            """
            This code is wrong, and no tries are left, so nobody was signed in. Run the command \
            again for a new one.
            """
        case .codeExpired:
            "This code has expired, so nobody was signed in. Run the command again for a new one."
        case .signedInTo: "Signed in. Memos go to {1} through the server {2}"
        case .noCode:
            """
            No code was given, so nobody was signed in. Run the command again to enter it, or to \
            get a new one.
            """
        case .signedInFormerValid:
            """
            Signed in. This device’s former token could not be revoked and is still valid at its \
            server; it can only mail its owner. Memos are safe and leave with the new token. To \
            revoke the former one, sign it out in the web app’s list of devices.
            """
        case .signedOut: "Signed out. History, draft and unsent memos stay on this device."
        case .signedOutUntold:
            """
            Signed out here, but the server could not be told: the token is deleted from this \
            device and still valid at the server, where it can no longer be revoked. It could only \
            ever mail its owner.
            """
        case .synced: "Everything is as on your other devices."
        case .notConfirmed: "Changes that are not confirmed yet: {1}"
        case .lastSynced: "Last synced: {1}"
        case .syncFailed:
            """
            The server could not be asked ({1}). What you changed stays on this device and is \
            sent by the next memo sync.
            """
        case .settingAsked:
            """
            {1} was changed here and on another device. Type 1 to keep this device’s, 2 to keep \
            the other one, Enter to decide later.
            """
        case .unknownDevice:
            "You have no device of this identifier. Nothing was changed; memo devices lists them."
        case .noQuestion: "There is nothing to choose for {1}. Nothing was changed."
        case .deviceLeaving: "{1} is signed out as soon as the server can be reached."
        case .elsewhere: "another device"
        case .eraseAccount: "Erase account"
        case .eraseWarning:
            """
            At the server, all memos, settings and devices of {1} will be erased; it cannot be \
            undone. What is on your devices stays there. To erase them, enter the code from the \
            mail:
            """
        case .accountErased:
            """
            The account is erased at the server, and this device is signed out. What is on this \
            device stays.
            """
        case .changesKept:
            """
            Changes that the server has not confirmed: {1}. They stay on this device, sealed, \
            until you sign in to this account again. To give them up, run: memo logout \
            --discard-changes
            """
        case .relayNotURL:
            """
            That is not a server’s URL. Nothing was changed; it looks like \
            https://relay.example.org
            """
        case .relayUnencrypted:
            "Plain http is only for a server on this machine. Nothing was sent; use https."
        case .relayUnreachable:
            """
            The server {1} cannot be reached. Nothing was changed; check the network and the \
            URL, which --relay gives, and try again.
            """
        case .relayUntrusted:
            """
            The server’s certificate is not to be trusted, so nothing was sent. Check the URL, or \
            ask whoever runs the server.
            """
        case .agentIdle: "Nothing is left to deliver."
        case .agentStopped: "Stopped. What has not left stays stored."
        case .agentRunsElsewhere: "Another memo-agent is delivering; it has been called."
        case .serviceRuns:
            """
            The agent is installed as a service. Memos that wait leave without a call of memo: at \
            each login, and every 15 minutes.
            """
        case .serviceMissing:
            """
            The agent is not installed as a service. Memos stay stored, and leave when memo is \
            called. To install it, run: memo agent install
            """
        case .serviceOutdated:
            """
            {1} is not as this version writes it for this data folder. Memos stay stored; run: \
            memo agent install
            """
        case .serviceInactive:
            """
            The service manager does not run the service. Memos stay stored, and leave when memo \
            is called. To start it, run: memo agent install. To see why it does not run: {1}
            """
        case .serviceUnreachable:
            """
            No service manager answers here, so the service does not run yet. It starts with the \
            next login to a session that has one; to start it there at once, run: memo agent \
            install
            """
        case .serviceNeedsLogin:
            """
            After a restart of the machine, memos wait for your login. To have them leave before \
            it, run: {1}
            """
        case .serviceWritten: "Written: {1}"
        case .serviceUnchanged: "Unchanged: {1}"
        case .serviceRemoved: "Removed: {1}"
        case .serviceKept: "Kept, because memo agent install did not write it: {1}"
        case .serviceForeign:
            """
            {1} was not written by memo agent install. Nothing was changed; move it away, and run \
            memo agent install again.
            """
        case .serviceFailed:
            """
            {1} cannot be read, written or removed ({2}). Memos stay stored, but the service may \
            be there in part; mend that, and run the command again.
            """
        case .serviceUnfit:
            """
            No service can have this path or value: {1}. It has a quotation mark, a backslash or \
            a character that is not printed. Nothing was changed; choose another place.
            """
        }
    }
}
