extension AppText {
    var german: StaticString {
        switch self {
        case .memo: "Notiz"
        case .send: "Senden"
        case .sendWithShortcut: "Senden ({1})"
        case .back: "Zurück"
        case .close: "Schließen"
        case .cancel: "Abbrechen"
        case .firstHint:
            """
            Schreiben Sie eine Notiz und senden Sie sie. Sie kommt in Ihrem eigenen Posteingang \
            an.
            """
        case .saved: "Gespeichert. Die Notiz ist in Kürze in Ihrem Posteingang."
        case .savedOffline:
            "Gespeichert. Die Notiz wird gesendet, sobald die Verbindung wieder da ist."
        case .savedSignedOut: "Gespeichert. Die Notiz wird gesendet, sobald Sie angemeldet sind."
        case .savedUnreached:
            "Gespeichert. Die Notiz wird gesendet, sobald der Server erreichbar ist."
        case .savedLimited:
            "Gespeichert. Der Server bittet zu warten; die Notiz wird etwas später gesendet."
        case .savedKept: "Gespeichert. Die Notiz bleibt auf diesem Gerät."
        case .offline: "Offline"
        case .unreached: "Server nicht erreicht"
        case .waitingLong:
            "Eine Notiz wartet seit mehr als einer Stunde. Sie ist auf diesem Gerät sicher."
        case .notArrived: "Eine Notiz ist nicht angekommen. Ihr Text bleibt erhalten."
        case .notifyMe: "Benachrichtigen, wenn eine Notiz nicht ankommt"
        case .showQueue: "Anzeigen"
        case .updateReady: "Eine neue Version ist bereit. Ihr Entwurf bleibt erhalten."
        case .update: "Aktualisieren"
        case .memoTooLong:
            """
            Die Notiz ist länger als 1 MiB und wurde nicht gesendet. Der Text bleibt hier; kürzen \
            oder teilen Sie ihn.
            """
        case .memoContainsNUL:
            """
            Die Notiz enthält ein NUL-Zeichen, das E-Mail nicht befördern kann, und wurde nicht \
            gesendet. Der Text bleibt hier; entfernen Sie das Zeichen und senden Sie ihn erneut.
            """
        case .memoNotStored:
            """
            Die Notiz konnte nicht gespeichert werden und wurde nicht gesendet. Der Text bleibt \
            hier; bitte versuchen Sie es erneut.
            """
        case .storageFull:
            """
            Der Speicher ist voll, die Notiz wurde nicht gesendet. Der Text bleibt hier; schaffen \
            Sie Platz und versuchen Sie es erneut.
            """
        case .storageUnavailable:
            """
            Dieser Browser lässt Simple Memo nichts speichern. Senden ist nicht möglich; Ihr Text \
            bleibt hier. Kopieren Sie ihn, oder öffnen Sie Simple Memo in einem normalen Fenster.
            """
        case .persistenceRefused:
            """
            Wenn der Platz knapp wird, kann der Browser noch nicht gesendete Notizen löschen. \
            Wenn Sie die App installieren, ist das weniger wahrscheinlich.
            """
        case .draftNotSaved:
            """
            Der Entwurf kann gerade nicht gespeichert werden. Der Text bleibt hier; lassen Sie \
            diese Seite offen, bis Sie ihn gesendet haben.
            """
        case .shareMissed:
            """
            Der geteilte Text hat die App nicht erreicht. Sonst ist nichts betroffen; bitte \
            teilen Sie ihn noch einmal.
            """
        case .shareOffered: "Eine andere App oder Website hat einen Text geteilt:"
        case .shareTake: "Zur Notiz hinzufügen"
        case .shareDiscard: "Verwerfen"
        case .shareTooLong:
            """
            Der geteilte Text ist länger als 1 MiB und wurde nicht übernommen. Sonst ist nichts \
            betroffen; kürzen Sie ihn, und teilen Sie ihn noch einmal.
            """
        case .keyLost:
            """
            Der Schlüssel zu den Notizen auf diesem Gerät fehlt. Sie bleiben erhalten, können \
            aber weder gelesen noch gesendet werden. Angekommene E-Mails sind nicht betroffen. \
            Für einen Neubeginn melden Sie sich ab.
            """
        case .databaseTooNew:
            """
            Die Daten auf diesem Gerät stammen von einer neueren Version von Simple Memo. Nichts \
            wurde verändert. Laden Sie die Seite neu, um zu aktualisieren.
            """
        case .insecureConnection:
            """
            Diese Seite wurde nicht über https geöffnet; Notizen können nicht sicher gespeichert \
            und nicht gesendet werden. Ihr Text bleibt hier. Kopieren Sie ihn, und öffnen Sie \
            Simple Memo über https.
            """
        case .otherTab:
            """
            In einem anderen Tab läuft eine ältere Version von Simple Memo. Nichts ist verloren; \
            schließen Sie den anderen Tab, und laden Sie diese Seite neu.
            """
        case .signedOutElsewhere:
            """
            Ein anderer Tab hat Sie abgemeldet und alles auf diesem Gerät gelöscht, daher wurde \
            die Notiz nicht gespeichert. Der Text bleibt hier; kopieren Sie ihn, und laden Sie \
            die Seite neu.
            """
        case .appStopped:
            """
            Die App läuft nicht mehr. Der Text im Feld bleibt erhalten; kopieren Sie ihn, und \
            laden Sie die Seite neu. Gesendete Notizen sind sicher.
            """
        case .tokenRevoked:
            """
            Dieses Gerät ist nicht mehr angemeldet. Ihre Notizen bleiben hier und werden \
            gesendet, sobald Sie sich wieder anmelden.
            """
        case .signIn: "Anmelden"
        case .history: "Verlauf"
        case .historyEmpty: "Noch keine Notizen"
        case .historyMore: "Mehr anzeigen"
        case .memoUnreadable: "Lässt sich nicht öffnen"
        case .showAll: "Alles anzeigen ({1} Zeichen)"
        case .statusQueued: "Wartet"
        case .statusSent: "Gesendet"
        case .statusDelivered: "Zugestellt"
        case .statusBounced: "Zurückgewiesen"
        case .statusExpired: "Abgelaufen"
        case .statusRefused: "Abgelehnt"
        case .statusDeleted: "Gelöscht"
        case .statusResent: "Erneut gesendet"
        case .statusParked: "Bitte prüfen"
        case .statusUnreadable: "Unlesbar"
        case .statusUnknown: "Unbekannt"
        case .reasonSignedOut: "Bleibt hier, bis Sie sich anmelden ({1})."
        case .reasonOffline: "Wartet auf die Verbindung ({1})."
        case .reasonRelay:
            """
            Der Server antwortet nicht ({1}). Die Notiz bleibt gespeichert; das Senden wird \
            wiederholt.
            """
        case .reasonWait:
            """
            Der Server bittet zu warten ({1}). Die Notiz bleibt gespeichert und wird später \
            gesendet.
            """
        case .reasonForeign:
            """
            Statt des Servers hat etwas anderes geantwortet, vielleicht die Anmeldeseite dieses \
            Netzes ({1}). Die Notiz bleibt gespeichert; das Senden wird wiederholt.
            """
        case .reasonUntrusted:
            """
            Dem Zertifikat des Servers ist nicht zu trauen ({1}). Die Notiz bleibt gespeichert; \
            das Senden wird wiederholt.
            """
        case .reasonFailed:
            """
            Der letzte Versuch ist gescheitert ({1}). Die Notiz bleibt gespeichert; das Senden \
            wird wiederholt.
            """
        case .reasonRefused:
            """
            Der Server hat sie nicht angenommen ({1}). Sie bleibt hier; ändern Sie sie und senden \
            Sie sie erneut, oder löschen Sie sie.
            """
        case .reasonLost:
            """
            Der Server hat verloren, was er von dieser Notiz gespeichert hatte ({1}). Der Text \
            bleibt hier; senden Sie sie erneut.
            """
        case .reasonBounced:
            """
            Der Mailserver hat sie abgelehnt ({1}). Der Text bleibt hier; prüfen Sie Ihre Adresse \
            und senden Sie sie erneut.
            """
        case .reasonMailboxFull:
            """
            Ihr Posteingang ist voll ({1}). Der Text bleibt hier; schaffen Sie Platz und senden \
            Sie sie erneut.
            """
        case .reasonNoMailbox:
            """
            Der Mailserver kennt Ihre Adresse nicht ({1}). Der Text bleibt hier; prüfen Sie die \
            Adresse und senden Sie sie erneut.
            """
        case .reasonExpired:
            """
            Der Mailserver hat sie tagelang nicht angenommen ({1}). Der Text bleibt hier; Sie \
            können ihn erneut senden.
            """
        case .reasonUnsupported:
            "Diese Version kann sie nicht senden ({1}). Sie bleibt hier; aktualisieren Sie die App."
        case .reasonUnreadable:
            """
            Sie ist beschädigt und nicht lesbar ({1}). Sie bleibt, wie sie ist; Sie können sie \
            löschen.
            """
        case .copy: "Kopieren"
        case .copied: "Kopiert"
        case .copyFailed:
            "Kopieren nicht möglich. Markieren Sie den Text, und kopieren Sie ihn selbst."
        case .resend: "Erneut senden"
        case .resent: "Erneut gespeichert. Die Notiz ist in Kürze in Ihrem Posteingang."
        case .delete: "Löschen"
        case .deleteQuestion: "Diese Notiz löschen?"
        case .deleteSentHint:
            "Sie verschwindet von diesem Gerät. Die E-Mail in Ihrem Posteingang bleibt."
        case .deleteQueuedHint:
            """
            Sie wurde noch nicht gesendet und wird dann auch nicht mehr gesendet. Das lässt sich \
            nicht rückgängig machen.
            """
        case .settings: "Einstellungen"
        case .address: "E-Mail-Adresse"
        case .addressHint: "Hier kommen Ihre Notizen an."
        case .askCode: "Code per E-Mail anfordern"
        case .codeSent: "Ein Code ist an diese Adresse unterwegs."
        case .longCode:
            "Geben Sie den langen Code aus der letzten E-Mail von Simple Memo in Ihrem Posteingang ein."
        case .code: "Code aus der E-Mail"
        case .confirmCode: "Bestätigen"
        case .signedInAs: "Notizen gehen an {1}"
        case .signedIn: "Angemeldet"
        case .addressInvalid:
            "An diese Adresse kann keine E-Mail gesendet werden. Bitte prüfen Sie sie."
        case .codeInvalid: "Der Code hat {1} Ziffern."
        case .codeRejected:
            "Dieser Code ist falsch. Prüfen Sie ihn, oder fordern Sie einen neuen an."
        case .codeExpired: "Dieser Code ist abgelaufen. Fordern Sie einen neuen an."
        case .codeSpent: "Für diesen Code ist kein Versuch mehr übrig. Fordern Sie einen neuen an."
        case .handleMissing:
            """
            Der Server nimmt einen Code nur von der App an, die ihn angefordert hat. Ihre Notizen \
            bleiben erhalten. Fordern Sie einen neuen an; kommt das wieder, aktualisieren Sie Simple Memo.
            """
        case .tooManyRequests: "Zu viele Versuche. Sie können es in {1} s erneut versuchen."
        case .tooManyRequestsLater: "Zu viele Versuche. Bitte versuchen Sie es später erneut."
        case .relayUnreachable:
            """
            Der Server ist nicht erreichbar. Nichts ist verloren; prüfen Sie die Verbindung und \
            versuchen Sie es erneut.
            """
        case .relayFailed:
            """
            Der Server hatte ein Problem (HTTP {1}). Nichts ist verloren; bitte versuchen Sie es \
            später erneut.
            """
        case .notARelay:
            """
            Statt des Servers hat etwas anderes geantwortet, vielleicht die Anmeldeseite dieses \
            Netzes. Nichts ist verloren; prüfen Sie die Verbindung und versuchen Sie es erneut.
            """
        case .subjectTemplate: "Betreff"
        case .subjectTemplateHint:
            """
            {line} ist die erste Zeile der Notiz, {date} das Datum, {id} ein kurzer Code, der \
            E-Mails auseinanderhält.
            """
        case .subjectPreview: "Beispiel: {1}"
        case .templatePlaceholder:
            """
            In geschweiften Klammern können nur {line}, {date} und {id} stehen, {line} nur \
            einmal. Der bisherige Betreff gilt weiter.
            """
        case .templateBrace:
            """
            Einer geschweiften Klammer fehlt ihr Gegenstück. Die Klammer selbst schreiben Sie als \
            {{ oder }}. Der bisherige Betreff gilt weiter.
            """
        case .templateTooLong:
            "Dieser Betreff ist zu lang. Kürzen Sie ihn; der bisherige gilt weiter."
        case .signature: "Signatur"
        case .signatureHint: "Steht unter jeder Notiz."
        case .signatureTooLong:
            "Diese Signatur ist zu lang. Kürzen Sie sie; die bisherige gilt weiter."
        case .language: "Sprache"
        case .languageAutomatic: "Automatisch"
        case .devices: "Geräte"
        case .deviceCurrent: "Dieses Gerät"
        case .deviceSince: "Seit {1}"
        case .deviceUsed: "Zuletzt benutzt: {1}"
        case .deviceQuestion: "Dieses Gerät abmelden?"
        case .deviceHint:
            "{1} kann keine Notizen mehr senden. E-Mails in Ihrem Posteingang bleiben."
        case .deviceSignedOut: "Das Gerät ist abgemeldet."
        case .privacyOverlay: "Text verbergen, wenn die App im Hintergrund ist"
        case .signOut: "Abmelden"
        case .signOutQuestion: "Abmelden und alles auf diesem Gerät löschen?"
        case .signOutHint:
            """
            Verlauf, Entwurf und Einstellungen werden von diesem Gerät gelöscht. E-Mails in Ihrem \
            Posteingang bleiben.
            """
        case .signOutUnsent: "Nicht gesendete Notizen, die verloren gehen: {1}"
        case .signOutConfirm: "Abmelden und löschen"
        case .signOutUntold:
            """
            Auf diesem Gerät ist alles gelöscht. Der Server konnte nicht benachrichtigt werden; \
            dieses Gerät steht vielleicht noch in seiner Liste.
            """
        case .signOutKeep: "Abmelden und alles behalten"
        case .signOutKept:
            """
            Abgemeldet. Alles auf diesem Gerät bleibt verschlüsselt für Ihre nächste Anmeldung \
            erhalten.
            """
        case .signOutKeptUntold:
            """
            Abgemeldet. Alles auf diesem Gerät bleibt für Ihre nächste Anmeldung erhalten. Der \
            Server konnte nicht benachrichtigt werden; dieses Gerät steht vielleicht noch in \
            seiner Liste.
            """
        case .settingsSaved: "Gespeichert"
        case .settingsNotSaved:
            """
            Die Änderung konnte nicht gespeichert werden. Die bisherige Einstellung gilt weiter; \
            bitte versuchen Sie es erneut.
            """
        case .syncing: "Wird abgeglichen"
        case .changesUnconfirmed: "Noch nicht bestätigte Änderungen: {1}"
        case .syncedAt: "Zuletzt abgeglichen: {1}"
        case .changeMet: "Ein anderes Gerät hat dies ebenfalls geändert. Dort: {1}"
        case .changeRefused: "Diese Änderung wurde nicht angenommen."
        case .edit: "Bearbeiten"
        case .writtenOn: "Geschrieben auf {1}"
        case .writtenElsewhere: "Auf einem anderen Gerät geschrieben"
        case .diagnostics: "Diagnose"
        case .queue: "Warteschlange"
        case .queueEmpty: "Nichts wartet"
        case .queued: "Wartend: {1}"
        case .parked: "Zu prüfen: {1}"
        case .quarantined: "Unlesbar: {1}"
        case .waitingSince: "Seit {1}"
        case .attempts: "Versuche: {1}"
        case .nextAttempt: "Nächster Versuch: {1}"
        case .retryNow: "Jetzt versuchen"
        case .retryAll: "Alle jetzt versuchen"
        case .timings: "Zeiten"
        case .timeToText: "Vom Start bis zum Tippen"
        case .sendToReset: "Vom Senden bis zum leeren Feld"
        case .timing: "Median {1} ms, zuletzt {2} ms, Ziel {3} ms"
        case .notMeasured: "Noch nicht gemessen"
        case .log: "Letzte Schritte"
        case .logRemoved: "Warteschlange verlassen"
        case .ratingQuestion: "Wie gefällt Ihnen Simple Memo?"
        case .ratingStars: "Sterne: {1} von 5"
        case .ratingDismiss: "Nicht jetzt"
        case .ratingThanks: "Vielen Dank für Ihre Bewertung."
        case .hidden: "Zum Schutz der Privatsphäre verborgen"
        }
    }
}
