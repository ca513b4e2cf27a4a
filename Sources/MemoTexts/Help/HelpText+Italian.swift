extension HelpText {
    var italian: StaticString {
        switch self {
        case .helpUsage: "Uso:"
        case .helpArguments: "Argomenti:"
        case .helpOptions: "Opzioni:"
        case .helpSubcommands: "Comandi:"
        case .helpDefault: "(predefinito: {1})"
        case .helpStandard: "(predefinito)"
        case .helpSee: "Di più su un comando: {1}"
        case .helpManual: "Formati, codici di uscita e ambiente sono spiegati in inglese da: {1}"
        case .showHelp: "Mostra questo aiuto."
        case .showVersion: "Mostra la versione."
        case .argumentMissing: "Manca {1}."
        case .limitNegative: "--limit non deve essere negativo."
        case .memoCommand: "Scrivi una nota, inviala e ritrovala nella tua casella di posta."
        case .usageCompose: "scrivi nel terminale (Ctrl-D invia, Ctrl-C esce)"
        case .usageWords: "invia le parole, unite da spazi"
        case .usageDashes: "invia le parole, qualunque aspetto abbiano"
        case .usageInput: "invia l’input standard, anche: memo -"
        case .usageJSON: "mostra l’identificatore della nota in JSON"
        case .usageDiscardDraft: "scarta la bozza che il prossimo memo aprirebbe"
        case .sending:
            """
            L’invio termina quando la nota è salvata in modo durevole su questo dispositivo; \
            memo-agent la consegna in background. Un testo dall’input standard perde un a capo \
            finale.
            """
        case .historyCommand:
            "Elenca le note inviate dai tuoi dispositivi, la più recente per prima."
        case .historyLimit: "Il numero massimo di note da elencare."
        case .historyResend: "Invia di nuovo una nota non arrivata, come nota nuova."
        case .historyShow: "Mostra una nota per intero, con il suo identificatore."
        case .historyDelete:
            "Elimina una nota da questo dispositivo, testo compreso; se attende, non viene inviata."
        case .memoIdentifier: "L’identificatore della nota, come lo mostra memo history."
        case .printJSON: "Mostra JSON."
        case .outboxCommand: "Ciò che non ha ancora lasciato questo dispositivo."
        case .outboxList: "Elenca le voci."
        case .outboxLimit: "Il numero massimo di voci da elencare per ogni stato."
        case .outboxShow: "Mostra una voce e la sua nota."
        case .entry: "L’identificatore della voce, o entry:NUMBER."
        case .outboxWatch:
            "Mostra lo stato della posta in uscita, ora e dopo ogni cambiamento, fino a Ctrl-C."
        case .printJSONLines: "Mostra JSON, un oggetto per riga."
        case .outboxRetry: "Tenta subito una voce, o tutte quelle in coda o sospese."
        case .entryOrAll: "L’identificatore della voce, o entry:NUMBER; senza, tutte."
        case .outboxExport:
            "Mostra i byte salvati di una voce, per conservare copia di una illeggibile."
        case .outboxDelete: "Elimina una voce per sempre; la sua nota non viene inviata."
        case .settingsCommand: "Mostra le impostazioni, o le cambia su tutti i tuoi dispositivi."
        case .settingLanguage:
            "La lingua: ja, en, es, fr, de, it, pt, ko, zh-Hans, ar; auto per quella di $LANG."
        case .settingTemplate: "Come si forma l’oggetto delle e-mail."
        case .settingSignature: "Ciò che sta sotto ogni nota; - legge l’input standard."
        case .settingKeyStore: "Dove si trova la chiave: file, secret-service."
        case .settingRotate: "Cifra di nuovo tutto con una nuova chiave."
        case .doctorCommand:
            """
            Mostra lo stato di questo dispositivo e dove vanno le note; nulla di quanto è stato \
            scritto.
            """
        case .loginCommand:
            "Verifica il tuo indirizzo, perché le note possano partire: memo login ADDRESS."
        case .loginArguments: "L’indirizzo, e --relay URL."
        case .logoutCommand:
            "Revoca il token di questo dispositivo. Cronologia, bozza e posta in uscita restano."
        case .syncCommand:
            "Allinea impostazioni, stati e dispositivi con gli altri tuoi dispositivi."
        case .devicesCommand:
            "Elenca i tuoi dispositivi, o ne disconnette uno: memo devices revoke ID."
        case .accountCommand: "Cancella il tuo account sul server: memo account delete."
        case .discardChanges:
            "Rinuncia alle modifiche delle impostazioni che il server non ha confermato."
        case .agentCommand: "Consegna ciò che è in coda, in primo piano o come servizio."
        case .agentInstall:
            "Fa consegnare all’agente senza chiamare memo: come servizio di systemd o launchd."
        case .agentUninstall: "Rimuove il servizio; le note restano salvate."
        case .agentStatus: "Mostra se il servizio è installato e in esecuzione, e che cosa fare."
        case .runCommand: "Consegna ciò che è salvato, poi termina."
        case .runOnce:
            """
            Per ogni cartella dei dati c’è un solo agente; un altro lo chiama soltanto. Termina \
            quando non resta nulla da tentare. Ciò che ha fatto è in agent.log nella cartella \
            dei dati.
            """
        case .runJSON: "Mostra in JSON come è terminata l’esecuzione."
        case .agentLogin: "Accedere: da quel momento le note vanno a ADDRESS."
        case .signInCode:
            """
            Il server invia un codice a ADDRESS; digitalo, o dallo come riga \
            dell’input standard. L’URL di un server è https, o http su questa stessa macchina.
            """
        case .signInAddress: "L’indirizzo e-mail a cui devono arrivare le note."
        case .signInRelay:
            "L’URL del server. Predefinito: $MEMO_RELAY, altrimenti http://127.0.0.1:8080."
        case .resultJSON: "Mostra il risultato in JSON."
        case .agentLogout: "Uscire: il server revoca il token di questo dispositivo."
        case .signOutKeeps:
            "La cronologia e le note non inviate restano; partono dopo il prossimo accesso."
        case .memoAgentCommand: "Consegna le note in background; accede ed esce."
        }
    }
}
