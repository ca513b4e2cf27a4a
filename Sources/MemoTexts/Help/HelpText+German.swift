extension HelpText {
    var german: StaticString {
        switch self {
        case .helpUsage: "Aufruf:"
        case .helpArguments: "Argumente:"
        case .helpOptions: "Optionen:"
        case .helpSubcommands: "Befehle:"
        case .helpDefault: "(Vorgabe: {1})"
        case .helpStandard: "(Vorgabe)"
        case .helpSee: "Mehr zu einem Befehl: {1}"
        case .helpManual: "Formate, Exit-Codes und Umgebung erklärt auf Englisch: {1}"
        case .showHelp: "Zeigt diese Hilfe."
        case .showVersion: "Zeigt die Version."
        case .argumentMissing: "{1} fehlt."
        case .limitNegative: "--limit darf nicht negativ sein."
        case .memoCommand: "Eine Notiz schreiben, senden und im eigenen Posteingang finden."
        case .usageCompose: "im Terminal schreiben (Strg-D sendet, Strg-C beendet)"
        case .usageWords: "sendet die Wörter, durch Leerzeichen verbunden"
        case .usageDashes: "sendet die Wörter, wie auch immer sie aussehen"
        case .usageInput: "sendet die Standardeingabe, auch: memo -"
        case .usageJSON: "gibt die Kennung der Notiz als JSON aus"
        case .usageDiscardDraft: "verwirft den Entwurf, den das nächste memo öffnen würde"
        case .sending:
            """
            Das Senden endet, sobald die Notiz dauerhaft auf diesem Gerät gespeichert ist; \
            memo-agent stellt sie im Hintergrund zu. Ein Text aus der Standardeingabe verliert \
            einen Zeilenumbruch am Ende.
            """
        case .historyCommand: "Zeigt die von Ihren Geräten gesendeten Notizen, die neueste zuerst."
        case .historyLimit: "So viele Notizen werden höchstens gezeigt."
        case .historyResend: "Eine Notiz, die nicht angekommen ist, als neue Notiz erneut senden."
        case .historyShow: "Zeigt eine ganze Notiz mit ihrer Kennung."
        case .historyDelete:
            "Löscht eine Notiz samt Text von diesem Gerät; eine wartende wird nicht gesendet."
        case .memoIdentifier: "Die Kennung der Notiz, wie memo history sie ausgibt."
        case .printJSON: "Gibt JSON aus."
        case .outboxCommand: "Was dieses Gerät noch nicht verlassen hat."
        case .outboxList: "Zeigt die Einträge."
        case .outboxLimit: "So viele Einträge werden je Zustand höchstens gezeigt."
        case .outboxShow: "Zeigt einen Eintrag und seine Notiz."
        case .entry: "Die Kennung des Eintrags oder entry:NUMBER."
        case .outboxWatch:
            "Gibt den Zustand des Postausgangs aus, jetzt und nach jeder Änderung, bis Strg-C."
        case .printJSONLines: "Gibt JSON aus, ein Objekt je Zeile."
        case .outboxRetry:
            "Versucht einen Eintrag sofort, oder alle, die warten oder angehalten sind."
        case .entryOrAll: "Die Kennung des Eintrags oder entry:NUMBER; ohne sie alle."
        case .outboxExport:
            """
            Gibt die gespeicherten Bytes eines Eintrags aus, um eine Kopie eines unlesbaren zu \
            behalten.
            """
        case .outboxDelete: "Löscht einen Eintrag endgültig; seine Notiz wird nicht gesendet."
        case .settingsCommand: "Zeigt die Einstellungen oder ändert sie auf allen Ihren Geräten."
        case .settingLanguage:
            "Die Sprache: ja, en, es, fr, de, it, pt, ko, zh-Hans, ar; auto für die von $LANG."
        case .settingTemplate: "Wie Betreffzeilen gebildet werden."
        case .settingSignature: "Was unter jeder Notiz steht; - liest die Standardeingabe."
        case .settingKeyStore: "Wo der Schlüssel liegt: file, secret-service."
        case .settingRotate: "Verschlüsselt alles neu mit einem neuen Schlüssel."
        case .doctorCommand:
            """
            Zeigt den Zustand dieses Geräts und wohin Notizen gehen; nichts, was geschrieben wurde.
            """
        case .loginCommand:
            "Bestätigt Ihre Adresse, damit Notizen das Gerät verlassen: memo login ADDRESS."
        case .loginArguments: "Die Adresse, und --relay URL."
        case .logoutCommand:
            "Widerruft das Token dieses Geräts. Verlauf, Entwurf und Postausgang bleiben."
        case .syncCommand: "Gleicht Einstellungen, Status und Geräte mit Ihren anderen Geräten ab."
        case .devicesCommand: "Geräte zeigen oder abmelden: memo devices revoke ID."
        case .accountCommand: "Löscht Ihr Konto auf dem Server: memo account delete."
        case .discardChanges:
            "Gibt die Änderungen der Einstellungen auf, die der Server nicht bestätigt hat."
        case .agentCommand: "Stellt zu, was wartet, im Vordergrund oder als Dienst."
        case .agentInstall:
            """
            Lässt den Agenten zustellen, ohne dass memo aufgerufen wird: als Dienst von systemd \
            oder launchd.
            """
        case .agentUninstall: "Entfernt den Dienst; Notizen bleiben gespeichert."
        case .agentStatus: "Zeigt, ob der Dienst eingerichtet ist und läuft, und was zu tun ist."
        case .runCommand: "Stellt zu, was gespeichert ist, und endet dann."
        case .runOnce:
            """
            Je Datenordner läuft ein Agent; ein zweiter ruft ihn nur. Er endet, wenn nichts \
            mehr zu versuchen ist. Was er getan hat, steht in agent.log im Datenordner.
            """
        case .runJSON: "Gibt als JSON aus, wie der Lauf geendet hat."
        case .agentLogin: "Anmelden: Von da an gehen Notizen an ADDRESS."
        case .signInCode:
            """
            Der Server schickt einen Code an ADDRESS; geben Sie ihn ein, oder als \
            Zeile auf der Standardeingabe. Die URL eines Servers ist https, oder http auf diesem \
            Rechner selbst.
            """
        case .signInAddress: "Die E-Mail-Adresse, an der Notizen ankommen sollen."
        case .signInRelay: "Die URL des Servers. Vorgabe: $MEMO_RELAY, sonst http://127.0.0.1:8080."
        case .resultJSON: "Gibt das Ergebnis als JSON aus."
        case .agentLogout: "Abmelden: Der Server widerruft das Token dieses Geräts."
        case .signOutKeeps:
            """
            Verlauf und nicht gesendete Notizen bleiben; diese werden nach der nächsten Anmeldung \
            gesendet.
            """
        case .memoAgentCommand: "Stellt Notizen im Hintergrund zu; meldet an und ab."
        }
    }
}
