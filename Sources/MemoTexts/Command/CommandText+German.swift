extension CommandText {
    var german: StaticString {
        switch self {
        case .saved: "Gespeichert; die Notiz ist in Kürze in Ihrem Posteingang."
        case .savedSignedOut:
            "Gespeichert. Die Notiz wird gesendet, sobald Sie angemeldet sind: memo login ADRESSE"
        case .savedNotLeaving: "Gespeichert. {1}"
        case .signedOutElsewhere:
            """
            Dieses Gerät ist nicht mehr angemeldet. Ihre Notizen bleiben hier und werden \
            gesendet, sobald Sie sich wieder anmelden: memo login ADRESSE
            """
        case .waitingLong:
            """
            Eine Notiz wartet seit mehr als einer Stunde. Sie ist auf diesem Gerät sicher; siehe: \
            memo outbox
            """
        case .composeHint: "Strg-D sendet, Strg-C beendet, Strg-G Tasten."
        case .composeKeys:
            """
            Strg-D sendet. Strg-C beendet, der Entwurf bleibt. Strg-X leert das Feld, Strg-Y \
            holt zurück. Strg-A, Strg-E: Anfang, Ende der Zeile. Alt-B, Alt-F: wortweise. \
            Strg-W, Strg-U, Strg-K löschen ein Wort, bis zum Anfang, bis zum Ende. Strg-Z hält an.
            """
        case .fieldEmptied: "Das Feld ist leer. Strg-Y holt den Text zurück."
        case .draftKept: "Der Entwurf bleibt erhalten. Mit memo schreiben Sie weiter."
        case .draftNotSaved: "Der Entwurf ist nicht gespeichert. {1}"
        case .draftLossAhead:
            """
            Der Entwurf ist nicht gespeichert. {1} Ein weiteres Strg-C beendet, und der Text ist \
            verloren.
            """
        case .draftLost:
            """
            Was Sie geschrieben haben, ist NICHT erhalten: Der Entwurf konnte nicht gespeichert \
            werden. {1}
            """
        case .draftsDiscarded: "Verworfene Entwürfe: {1}"
        case .notSent: "Nicht gesendet. {1}"
        case .needsTerminal:
            """
            Zum Schreiben ist ein Terminal nötig. Nichts wurde gesendet. Einen Text senden Sie \
            mit: memo TEXT, oder … | memo
            """
        case .usageHint:
            """
            Nichts wurde gesendet. Ein Text, der mit einem Strich oder einem Unterbefehl beginnt: \
            memo -- TEXT
            """
        case .argumentUnclear: "Argument {1} wurde nicht verstanden."
        case .didYouMean:
            """
            Nichts wurde gesendet. Meinten Sie {1}? Um die Wörter als Notiz zu senden: memo -- TEXT
            """
        case .emptyMemo: "Die Notiz ist leer, es gibt nichts zu senden."
        case .notUTF8:
            """
            Die Notiz ist kein gültiger UTF-8-Text. Nichts wurde gesendet; wandeln Sie sie um und \
            senden Sie sie erneut.
            """
        case .containsNUL:
            """
            Die Notiz enthält ein NUL-Zeichen, das E-Mail nicht befördern kann. Nichts wurde \
            gesendet; entfernen Sie es und senden Sie die Notiz erneut.
            """
        case .tooLong:
            "Die Notiz ist länger als {1} Bytes. Nichts wurde gesendet; kürzen oder teilen Sie sie."
        case .inputNotUTF8:
            """
            Die Standardeingabe ist bei Byte {1} kein gültiges UTF-8. Nichts wurde gesendet; \
            wandeln Sie sie um und senden Sie sie erneut.
            """
        case .inputUnreadable:
            """
            Die Standardeingabe ist nicht lesbar ({1}). Nichts wurde gesendet; prüfen Sie ihre \
            Herkunft und versuchen Sie es erneut.
            """
        case .outputFailed:
            """
            Die Standardausgabe kann nicht geschrieben werden ({1}), das Ergebnis ist also \
            unvollständig. Nichts Gespeichertes ist verloren; schreiben Sie an einen anderen Ort.
            """
        case .outputFailedStored:
            """
            Die Notiz ist gespeichert, senden Sie sie nicht erneut. Nur ihre Kennung konnte \
            nicht auf die Standardausgabe geschrieben werden ({1}); siehe: memo history
            """
        case .noDataFolder:
            """
            Es gibt keinen Ordner für Notizen. Nichts wurde gespeichert; setzen Sie HOME, oder \
            MEMO_HOME auf einen eigenen Ordner.
            """
        case .readOnly:
            """
            {1} ist nicht beschreibbar. Nichts wurde gespeichert; bewahren Sie den Text auf und \
            erlauben Sie das Schreiben.
            """
        case .readingNeedsWriting:
            """
            {1} kann nicht geschrieben werden, und auch das Lesen braucht das. Nichts wurde \
            geändert; erlauben Sie das Schreiben, oder kopieren Sie den Ordner und setzen Sie \
            MEMO_HOME auf die Kopie.
            """
        case .diskFull:
            """
            Der Datenträger mit {1} ist voll. Nichts wurde gespeichert; bewahren Sie den Text auf \
            und schaffen Sie Platz.
            """
        case .folderUnusable:
            "{1} ist nicht benutzbar ({2}). Nichts wurde gespeichert; bewahren Sie den Text auf."
        case .keyUnreadable:
            """
            Die Schlüsseldatei {1} ist nicht lesbar. Nichts wurde verändert; erlauben Sie ihrem \
            Besitzer, sie zu lesen.
            """
        case .keyPermissions:
            """
            Andere dürfen die Schlüsseldatei {1} lesen. Nichts wurde verändert; führen Sie aus: \
            chmod 600 '{1}'
            """
        case .keyDamaged:
            """
            Die Schlüsseldatei {1} enthält keinen Schlüssel. Nichts wurde verändert; stellen Sie \
            sie aus einer Sicherung wieder her.
            """
        case .keyMissing:
            """
            Die Schlüsseldatei {1} fehlt, und gespeicherte Daten brauchen sie. Nichts wurde \
            verändert; stellen Sie sie aus einer Sicherung wieder her, oder verschieben Sie für \
            einen Neubeginn den ganzen Ordner.
            """
        case .wrongKey:
            """
            Die gespeicherten Daten wurden mit einem anderen Schlüssel als {1} verschlüsselt. Nichts \
            wurde gespeichert, und die Daten bleiben, wie sie sind; stellen Sie die richtige \
            Schlüsseldatei wieder her.
            """
        case .keyringLocked:
            """
            Der Schlüsselbund mit dem Schlüssel ist gesperrt. Nichts wurde verändert; \
            entsperren Sie ihn und versuchen Sie es erneut.
            """
        case .keyringUnreachable:
            """
            Der Schlüsselbund mit dem Schlüssel antwortet hier nicht. Nichts wurde verändert; \
            versuchen Sie es in der Desktop-Sitzung, zu der er gehört.
            """
        case .keyringItemMissing:
            """
            Im Schlüsselbund ist der Schlüssel nicht mehr, und gespeicherte Daten brauchen \
            ihn. Nichts wurde verändert; stellen Sie den Schlüsselbund aus einer Sicherung \
            wieder her.
            """
        case .keyStoreUnknown:
            """
            Einen Ort namens {1} gibt es hier für den Schlüssel nicht. Nichts wurde verändert. \
            Es gibt: {2}
            """
        case .keyCopyLeft:
            """
            Der Schlüssel ist in seiner Datei, aber seine Kopie im Schlüsselbund ließ sich \
            nicht entfernen. Nichts ist verloren; versuchen Sie es erneut, wenn der \
            Schlüsselbund antwortet.
            """
        case .keyRotated:
            """
            Alles Neue wird mit einem neuen Schlüssel verschlüsselt. Gespeicherte Einträge, die neu \
            verschlüsselt wurden: {1}
            """
        case .oldKeyKept:
            """
            Der alte Schlüssel bleibt daneben erhalten: Ein anderes Programm von Simple Memo \
            läuft, oder ein Eintrag ist nicht lesbar.
            """
        case .busy:
            """
            Ein anderer Prozess hielt die Datenbank gesperrt. Nichts wurde gespeichert; versuchen \
            Sie es erneut.
            """
        case .databaseDamaged:
            """
            {1} ist beschädigt oder keine Datenbank. Nichts wurde gespeichert, und die Datei \
            bleibt, wie sie ist; stellen Sie sie aus einer Sicherung wieder her oder verschieben \
            Sie sie.
            """
        case .databaseInconsistent:
            """
            {1} ist beschädigt. Manche Notizen im Postausgang werden vielleicht nie gesendet \
            oder nicht aufgeführt: Vergleichen Sie memo outbox mit memo history und senden \
            Sie erneut, was fehlt.
            """
        case .logDamaged:
            """
            Ein Teil des zuletzt Gespeicherten war nicht lesbar: Das Protokoll der \
            Datenbank ist beschädigt, oder der Strom fiel aus. Frühere Notizen sind sicher. \
            Prüfen Sie mit memo history die letzten und senden Sie erneut, was fehlt. Das \
            Protokoll bleibt verschlüsselt in {1}; löschen Sie die Datei, um diesen Hinweis zu \
            beenden.
            """
        case .databaseTooNew:
            """
            {1} stammt von einer neueren Version von Simple Memo. Nichts wurde verändert; \
            aktualisieren Sie.
            """
        case .storageFailed:
            """
            Die Datenbank meldet einen Fehler ({1}). Nichts wurde gespeichert; bewahren \
            Sie den Text auf.
            """
        case .unknownOperation:
            """
            Diesen Eintrag gibt es im Postausgang nicht. Nichts wurde verändert; siehe: memo \
            outbox
            """
        case .unknownMemo:
            "Der Verlauf enthält keine solche Notiz. Nichts wurde geändert; siehe: memo history"
        case .ambiguousIdentifier:
            """
            Mehrere Kennungen beginnen oder enden so. Nichts wurde geändert; geben Sie mehr \
            davon an. Ganze zeigt: --json
            """
        case .notResendable:
            """
            Nur eine Notiz, die nicht angekommen ist, lässt sich erneut senden, und das einmal. \
            Im Verlauf steht keine solche Notiz mit dieser Kennung, und nichts wurde gesendet; \
            siehe: memo history
            """
        case .entryDamaged:
            """
            Der Eintrag ist beschädigt und nicht lesbar. Er bleibt, wie er ist, und wird nicht \
            gesendet; stellen Sie die Datenbank aus einer Sicherung wieder her, oder löschen Sie \
            den Eintrag.
            """
        case .memoDeleted:
            "Von diesem Gerät gelöscht. Eine angekommene E-Mail bleibt im Posteingang."
        case .accountDamaged:
            """
            Das gespeicherte Konto ist beschädigt und nicht lesbar. Notizen bleiben gespeichert; \
            melden Sie sich erneut an mit: memo login ADRESSE
            """
        case .settingsDamaged:
            """
            Die gespeicherten Einstellungen sind beschädigt und nicht lesbar. Notizen werden ohne \
            sie gesendet; setzen Sie sie neu mit: memo settings
            """
        case .agentSilent:
            """
            Ein anderer memo-agent hat die Zustellung übernommen und antwortet nicht. \
            Gespeicherte Notizen bleiben gespeichert; beenden Sie diesen Prozess, oder versuchen \
            Sie es später erneut.
            """
        case .noAccount:
            """
            Niemand ist angemeldet. Notizen bleiben gespeichert; führen Sie aus: memo login \
            ADRESSE
            """
        case .agentNotStarted:
            """
            Das zustellende Programm ließ sich nicht starten ({1}). Die Notiz ist gespeichert und \
            wird beim nächsten Start gesendet: memo agent
            """
        case .agentFailed:
            """
            Das zustellende Programm konnte beim letzten Mal nicht arbeiten ({1}). Notizen sind \
            gespeichert und sicher; siehe: memo doctor
            """
        case .agentCannotWork:
            """
            Das zustellende Programm kann nicht arbeiten ({1}). Gespeicherte Notizen sind sicher, \
            werden aber nicht gesendet. Den Grund zeigt: memo agent
            """
        case .entriesNeedPerson:
            """
            Einträge im Postausgang, die Ihre Aufmerksamkeit brauchen: {1}. Sie sind auf diesem \
            Gerät sicher; siehe: memo outbox
            """
        case .memosNotArrived:
            """
            Notizen, die nicht angekommen sind und die Sie noch nicht gesehen haben: {1}. Ihre \
            Texte bleiben erhalten; siehe: memo history
            """
        case .relayUnreached:
            """
            Der Server {1} hat seit {2} keine Notiz angenommen ({3}). Wartende Notizen: {4}. Sie \
            sind sicher und werden von selbst gesendet.
            """
        case .folderLacksLocks:
            """
            Dem Dateisystem von {1} fehlen Sperren oder gemeinsamer Speicher. Nichts wurde \
            gespeichert; bewahren Sie den Text auf, und setzen Sie MEMO_HOME auf einen Ordner \
            einer lokalen Platte.
            """
        case .agentMissing:
            """
            memo-agent lässt sich nicht starten ({1}). Gespeicherte Notizen bleiben gespeichert. \
            Das Programm gehört in denselben Ordner wie memo oder in den Suchpfad.
            """
        case .outboxEmpty: "Der Postausgang ist leer."
        case .outboxRetried: "Notizen, deren Senden jetzt versucht wird: {1}"
        case .folder: "Datenordner"
        case .key: "Schlüssel"
        case .keyPresent: "vorhanden"
        case .keyIsMissing: "fehlt"
        case .keyIsOpen: "für andere lesbar"
        case .keyIsUnreadable: "nicht lesbar"
        case .keyInKeyring: "im Schlüsselbund"
        case .signedIn: "Angemeldet"
        case .server: "Server"
        case .yes: "ja"
        case .notSignedIn: "nein; führen Sie aus: memo login ADRESSE"
        case .noLongerSignedIn: "nicht mehr; führen Sie aus: memo login ADRESSE"
        case .codeEntryWaits:
            "noch nicht; um den Code einzugeben, führen Sie aus: memo login ADRESSE"
        case .outbox: "Postausgang"
        case .outboxUnreadable: "nicht lesbar"
        case .oldest: "Ältester Eintrag: {1}"
        case .seconds: "{1} s"
        case .minutes: "{1} min"
        case .hours: "{1} h"
        case .days: "{1} T"
        case .nextAttemptIn: "Nächster Versuch in {1}"
        case .newsAsOf:
            """
            Der Server konnte nicht gefragt werden. Was er von gesendeten Notizen weiß, hat den \
            Stand von {1}.
            """
        case .newsNever:
            """
            Der Server konnte noch nicht gefragt werden. Vielleicht weiß er mehr von gesendeten \
            Notizen.
            """
        case .agentErrors: "Zustellfehler"
        case .none: "keine"
        case .problem: "Problem"
        case .unknownLanguage:
            """
            Die Sprache {1} gibt es hier nicht. Die bisherige Einstellung gilt weiter; wählen Sie \
            eine von: {2}
            """
        case .settingsReplaced:
            "Die zuvor gespeicherten Einstellungen waren nicht lesbar und wurden ganz ersetzt."
        case .codePrompt: "Geben Sie den Code aus der E-Mail ein:"
        case .codePending:
            "Um {1} wurde ein Code geschickt. Für einen neuen drücken Sie nur die Eingabetaste."
        case .codeWrong:
            """
            Dieser Code ist falsch. Verbleibende Versuche: {1}. Für einen neuen drücken Sie nur \
            die Eingabetaste.
            """
        case .codeNoTries:
            """
            Dieser Code ist falsch, und es ist kein Versuch mehr übrig, also ist niemand \
            angemeldet. Führen Sie den Befehl für einen neuen erneut aus.
            """
        case .codeExpired:
            """
            Dieser Code ist abgelaufen, also ist niemand angemeldet. Führen Sie den Befehl für \
            einen neuen erneut aus.
            """
        case .signedInTo: "Angemeldet. Notizen gehen an {1} über den Server {2}"
        case .noCode:
            """
            Es wurde kein Code eingegeben, also ist niemand angemeldet. Führen Sie den Befehl \
            erneut aus, um ihn einzugeben oder einen neuen zu bekommen.
            """
        case .signedInFormerValid:
            """
            Angemeldet. Das frühere Token dieses Geräts konnte nicht widerrufen werden und ist \
            bei seinem Server noch gültig; es kann nur seinem Besitzer schreiben. Notizen sind \
            sicher und werden mit dem neuen Token gesendet. Um das frühere zu widerrufen, melden \
            Sie es in der Geräteliste der Web-App ab.
            """
        case .signedOut:
            "Abgemeldet. Verlauf, Entwurf und nicht gesendete Notizen bleiben auf diesem Gerät."
        case .signedOutUntold:
            """
            Hier abgemeldet, doch der Server konnte nicht benachrichtigt werden: Das Token ist \
            auf diesem Gerät gelöscht, beim Server aber noch gültig und nicht mehr zu widerrufen. \
            Es konnte nur seinem Besitzer schreiben.
            """
        case .synced: "Alles ist wie auf Ihren anderen Geräten."
        case .notConfirmed: "Noch nicht bestätigte Änderungen: {1}"
        case .lastSynced: "Zuletzt abgeglichen: {1}"
        case .syncFailed:
            """
            Der Server konnte nicht gefragt werden ({1}). Was Sie geändert haben, bleibt auf \
            diesem Gerät und wird beim nächsten memo sync gesendet.
            """
        case .settingAsked:
            """
            {1} wurde hier und auf einem anderen Gerät geändert. 1 behält die Fassung dieses \
            Geräts, 2 die andere; mit der Eingabetaste entscheiden Sie später.
            """
        case .unknownDevice:
            """
            Sie haben kein Gerät mit dieser Kennung. Nichts wurde geändert; memo devices zeigt \
            die Geräte.
            """
        case .noQuestion: "Für {1} ist nichts zu entscheiden. Nichts wurde geändert."
        case .deviceLeaving: "{1} wird abgemeldet, sobald der Server erreichbar ist."
        case .elsewhere: "ein anderes Gerät"
        case .eraseAccount: "Konto löschen"
        case .eraseWarning:
            """
            Auf dem Server werden alle Notizen, Einstellungen und Geräte von {1} gelöscht; das \
            lässt sich nicht rückgängig machen. Was auf Ihren Geräten ist, bleibt dort. Zum \
            Löschen geben Sie den Code aus der E-Mail ein:
            """
        case .accountErased:
            """
            Das Konto ist auf dem Server gelöscht, und dieses Gerät ist abgemeldet. Was auf \
            diesem Gerät ist, bleibt.
            """
        case .changesKept:
            """
            Änderungen, die der Server nicht bestätigt hat: {1}. Sie bleiben verschlüsselt auf \
            diesem Gerät, bis Sie sich wieder bei diesem Konto anmelden. Um sie zu verwerfen: \
            memo logout --discard-changes
            """
        case .relayNotURL:
            """
            Das ist nicht die URL eines Servers. Nichts wurde verändert; sie sieht aus wie \
            https://relay.example.org
            """
        case .relayUnencrypted:
            """
            Unverschlüsseltes http gilt nur für einen Server auf diesem Gerät. Nichts wurde \
            gesendet; verwenden Sie https.
            """
        case .relayUnreachable:
            """
            Der Server {1} ist nicht erreichbar. Nichts wurde geändert; prüfen Sie das Netz und \
            die URL, die --relay angibt, und versuchen Sie es erneut.
            """
        case .relayUntrusted:
            """
            Dem Zertifikat des Servers ist nicht zu trauen, also wurde nichts gesendet. Prüfen \
            Sie die URL, oder fragen Sie den Betreiber des Servers.
            """
        case .agentIdle: "Nichts mehr zuzustellen."
        case .agentStopped: "Angehalten. Was noch nicht gesendet ist, bleibt gespeichert."
        case .agentRunsElsewhere: "Ein anderer memo-agent stellt zu; er wurde gerufen."
        case .serviceRuns:
            """
            Der Agent ist als Dienst eingerichtet. Wartende Notizen werden gesendet, ohne dass memo \
            aufgerufen wird: bei jeder Anmeldung am Rechner und alle 15 Minuten.
            """
        case .serviceMissing:
            """
            Der Agent ist nicht als Dienst eingerichtet. Notizen bleiben gespeichert und \
            werden gesendet, wenn memo aufgerufen wird. Um ihn einzurichten, führen Sie aus: memo agent install
            """
        case .serviceOutdated:
            """
            {1} ist nicht so, wie diese Version es für diesen Datenordner schreibt. Notizen \
            bleiben gespeichert; führen Sie aus: memo agent install
            """
        case .serviceInactive:
            """
            Die Dienstverwaltung lässt den Dienst nicht laufen. Notizen bleiben gespeichert und \
            werden gesendet, wenn memo aufgerufen wird. Um ihn zu starten, führen Sie aus: memo agent \
            install. Den Grund zeigt: {1}
            """
        case .serviceUnreachable:
            """
            Hier antwortet keine Dienstverwaltung, der Dienst läuft also noch nicht. Er startet \
            mit der nächsten Sitzung, die eine hat; um ihn dort sofort zu starten, führen Sie \
            aus: memo agent install
            """
        case .serviceNeedsLogin:
            """
            Nach einem Neustart des Rechners warten Notizen, bis Sie sich am Rechner anmelden. \
            Damit sie vorher gesendet werden, führen Sie aus: {1}
            """
        case .serviceWritten: "Geschrieben: {1}"
        case .serviceUnchanged: "Unverändert: {1}"
        case .serviceRemoved: "Entfernt: {1}"
        case .serviceKept: "Behalten, weil memo agent install es nicht geschrieben hat: {1}"
        case .serviceForeign:
            """
            {1} wurde nicht von memo agent install geschrieben. Nichts wurde verändert; \
            verschieben Sie es, und führen Sie memo agent install erneut aus.
            """
        case .serviceFailed:
            """
            {1} lässt sich nicht lesen, schreiben oder entfernen ({2}). Notizen bleiben \
            gespeichert, doch der Dienst ist vielleicht nur zum Teil da; beheben Sie das, und \
            führen Sie den Befehl erneut aus.
            """
        case .serviceUnfit:
            """
            Kein Dienst kann diesen Pfad oder Wert haben: {1}. Darin ist ein Anführungszeichen, \
            ein umgekehrter Schrägstrich oder ein nicht druckbares Zeichen. Nichts wurde \
            verändert; wählen Sie einen anderen Ort.
            """
        }
    }
}
