extension CommandText {
    var italian: StaticString {
        switch self {
        case .saved: "Salvata; arriverà a breve nella tua casella di posta."
        case .savedSignedOut:
            "Salvata. Partirà appena avrai effettuato l’accesso: memo login INDIRIZZO"
        case .savedNotLeaving: "Salvata. {1}"
        case .signedOutElsewhere:
            """
            Questo dispositivo non è più collegato al tuo account. Le note restano qui e \
            partiranno quando accederai di nuovo: memo login INDIRIZZO
            """
        case .waitingLong:
            """
            Una nota attende da più di un’ora. È al sicuro su questo dispositivo; vedi: memo \
            outbox
            """
        case .composeHint: "Ctrl-D invia, Ctrl-C esce, Ctrl-G tasti."
        case .composeKeys:
            """
            Ctrl-D invia. Ctrl-C esce, la bozza resta. Ctrl-X svuota il campo, Ctrl-Y recupera. \
            Ctrl-A, Ctrl-E: inizio, fine della riga. Alt-B, Alt-F: per parole. Ctrl-W, Ctrl-U, \
            Ctrl-K eliminano una parola, fino all’inizio, fino alla fine. Ctrl-Z sospende.
            """
        case .fieldEmptied: "Il campo è vuoto. Ctrl-Y recupera il testo."
        case .draftKept: "La bozza è conservata. Esegui memo per continuare a scrivere."
        case .draftNotSaved: "La bozza non è salvata. {1}"
        case .draftLossAhead:
            "La bozza non è salvata. {1} Premendo ancora Ctrl-C esci e perdi il testo."
        case .draftLost: "Ciò che hai scritto NON è conservato: la bozza non è stata salvata. {1}"
        case .draftsDiscarded: "Bozze scartate: {1}"
        case .notSent: "Non inviata. {1}"
        case .needsTerminal:
            """
            Per scrivere serve un terminale. Nulla è stato inviato. Invia un testo con: memo \
            TESTO, oppure … | memo
            """
        case .usageHint:
            """
            Nulla è stato inviato. Un testo che inizia con un trattino o un sottocomando: memo -- \
            TESTO
            """
        case .argumentUnclear: "L’argomento {1} non è stato compreso."
        case .didYouMean:
            "Nulla è stato inviato. Intendevi {1}? Per inviare le parole come nota: memo -- TESTO"
        case .emptyMemo: "La nota è vuota, quindi non c’è nulla da inviare."
        case .notUTF8:
            """
            La nota non è testo UTF-8 valido. Nulla è stato inviato; convertila e inviala di \
            nuovo.
            """
        case .containsNUL:
            """
            La nota contiene un carattere NUL, che l’e-mail non può trasportare. Nulla è stato \
            inviato; toglilo e invia di nuovo la nota.
            """
        case .tooLong: "La nota supera {1} byte. Nulla è stato inviato; accorciala o dividila."
        case .inputNotUTF8:
            """
            L’input standard non è UTF-8 valido al byte {1}. Nulla è stato inviato; convertilo e \
            invialo di nuovo.
            """
        case .inputUnreadable:
            """
            L’input standard non può essere letto ({1}). Nulla è stato inviato; controlla da dove \
            arriva e riprova.
            """
        case .outputFailed:
            """
            Lo standard output non può essere scritto ({1}), quindi il risultato è incompleto. \
            Nulla di quanto è salvato è andato perso; scrivi altrove.
            """
        case .outputFailedStored:
            """
            La nota è salvata, non inviarla di nuovo. Solo il suo identificatore non è stato \
            scritto sullo standard output ({1}); vedi: memo history
            """
        case .noDataFolder:
            """
            Non c’è una cartella in cui tenere le note. Nulla è stato salvato; imposta HOME, \
            oppure MEMO_HOME su una tua cartella.
            """
        case .readOnly:
            """
            Impossibile scrivere in {1}. Nulla è stato salvato; conserva il testo e consenti la \
            scrittura.
            """
        case .readingNeedsWriting:
            """
            {1} non può essere scritto, e anche la lettura ne ha bisogno. Nulla è stato \
            modificato; consenti la scrittura, oppure copia la cartella e imposta MEMO_HOME \
            sulla copia.
            """
        case .diskFull:
            """
            Il disco che contiene {1} è pieno. Nulla è stato salvato; conserva il testo e libera \
            spazio.
            """
        case .folderUnusable:
            "Impossibile usare {1} ({2}). Nulla è stato salvato; conserva il testo."
        case .keyUnreadable:
            """
            Il file della chiave {1} non può essere letto. Nulla è stato modificato; consenti al \
            proprietario di leggerlo.
            """
        case .keyPermissions:
            """
            Altri possono leggere il file della chiave {1}. Nulla è stato modificato; esegui: \
            chmod 600 '{1}'
            """
        case .keyDamaged:
            """
            Il file della chiave {1} non contiene una chiave. Nulla è stato modificato; \
            ripristinalo da un backup.
            """
        case .keyMissing:
            """
            Manca il file della chiave {1}, necessario ai dati salvati. Nulla è stato modificato; \
            ripristinalo da un backup, oppure sposta l’intera cartella per ricominciare da capo.
            """
        case .wrongKey:
            """
            I dati salvati sono stati cifrati con una chiave diversa da {1}. Nulla è stato \
            salvato e i dati restano così come sono; ripristina il file della chiave giusto.
            """
        case .keyringLocked:
            """
            Il portachiavi che contiene la chiave è bloccato. Nulla è stato modificato; \
            sbloccalo e riprova.
            """
        case .keyringUnreachable:
            """
            Il portachiavi che contiene la chiave qui non risponde. Nulla è stato modificato; \
            riprova nella sessione desktop a cui appartiene.
            """
        case .keyringItemMissing:
            """
            Il portachiavi non contiene più la chiave, e i dati salvati ne hanno bisogno. \
            Nulla è stato modificato; ripristina il portachiavi da un backup.
            """
        case .keyStoreUnknown:
            """
            Qui non c’è un posto per la chiave chiamato {1}. Nulla è stato modificato. Ci \
            sono: {2}
            """
        case .keyCopyLeft:
            """
            La chiave è nel suo file, ma non è stato possibile rimuoverne la copia dal \
            portachiavi. Nulla è andato perso; riprova quando il portachiavi risponde.
            """
        case .keyRotated:
            """
            Tutto ciò che è nuovo viene cifrato con una nuova chiave. Voci salvate cifrate di \
            nuovo: {1}
            """
        case .oldKeyKept:
            """
            La vecchia chiave resta accanto: un altro programma di Simple Memo è in \
            esecuzione, oppure una voce non è leggibile.
            """
        case .busy:
            "Un altro processo ha tenuto bloccato il database. Nulla è stato salvato; riprova."
        case .databaseDamaged:
            """
            {1} è danneggiato o non è un database. Nulla è stato salvato e il file è rimasto \
            com’era; ripristinalo da un backup o spostalo.
            """
        case .databaseInconsistent:
            """
            {1} è danneggiato. Alcune note in uscita potrebbero non partire mai o non essere \
            elencate: confronta memo outbox con memo history e invia di nuovo ciò che manca.
            """
        case .logDamaged:
            """
            Una parte degli ultimi salvataggi non si è potuta rileggere: il registro del \
            database è danneggiato, o è mancata la corrente. Le note precedenti sono al \
            sicuro. Guarda le ultime con memo history e invia di nuovo ciò che manca. Il \
            registro resta, cifrato, in {1}; elimina quel file per far cessare l’avviso.
            """
        case .databaseTooNew:
            """
            {1} è stato scritto da una versione più recente di Simple Memo. Nulla è stato \
            modificato; aggiorna.
            """
        case .storageFailed:
            "Errore del database ({1}). Nulla è stato salvato; conserva il testo."
        case .unknownOperation:
            """
            Questa voce non esiste nella posta in uscita. Nulla è stato modificato; vedi: memo \
            outbox
            """
        case .unknownMemo:
            "La cronologia non contiene questa nota. Nulla è stato modificato; vedi: memo history"
        case .ambiguousIdentifier:
            """
            Più identificatori iniziano o finiscono così. Nulla è stato modificato; indicane di \
            più. Interi si vedono con: --json
            """
        case .notResendable:
            """
            Solo una nota non arrivata si può inviare di nuovo, e una volta sola. La cronologia \
            non ha una nota così con questo identificatore e nulla è stato inviato; vedi: memo \
            history
            """
        case .entryDamaged:
            """
            La voce è danneggiata e illeggibile. Resta com’è e non viene inviata; ripristina il \
            database da un backup, oppure elimina la voce.
            """
        case .memoDeleted:
            "Eliminata da questo dispositivo. Un’e-mail già arrivata resta nella tua casella."
        case .accountDamaged:
            """
            L’account salvato è danneggiato e illeggibile. Le note restano salvate; accedi di \
            nuovo con: memo login INDIRIZZO
            """
        case .settingsDamaged:
            """
            Le impostazioni salvate sono danneggiate e illeggibili. Le note vengono inviate \
            senza; impostale di nuovo con: memo settings
            """
        case .agentSilent:
            """
            Un altro memo-agent è incaricato della consegna e non risponde. Le note restano \
            salvate; termina quel processo, oppure riprova più tardi.
            """
        case .noAccount:
            "Nessuno ha effettuato l’accesso. Le note restano salvate; esegui: memo login INDIRIZZO"
        case .agentNotStarted:
            """
            Impossibile avviare il programma di consegna ({1}). La nota è salvata e partirà al \
            prossimo avvio di: memo agent
            """
        case .agentFailed:
            """
            Il programma di consegna non ha potuto lavorare l’ultima volta ({1}). Le note sono \
            salvate e al sicuro; vedi: memo doctor
            """
        case .agentCannotWork:
            """
            Il programma di consegna non può lavorare ({1}). Le note salvate sono al sicuro, ma \
            non partono. Per vedere il motivo: memo agent
            """
        case .entriesNeedPerson:
            """
            Voci della posta in uscita che richiedono il tuo intervento: {1}. Sono al sicuro su \
            questo dispositivo; vedi: memo outbox
            """
        case .memosNotArrived:
            """
            Note che non sono arrivate e che non hai ancora visto: {1}. I loro testi sono \
            conservati; vedi: memo history
            """
        case .relayUnreached:
            """
            Il server {1} non accetta note da {2} ({3}). Note in attesa: {4}. Sono al sicuro e \
            partiranno da sole.
            """
        case .folderLacksLocks:
            """
            Al file system di {1} mancano i blocchi o la memoria condivisa. Nulla è stato \
            salvato; conserva il testo e imposta MEMO_HOME su una cartella di un disco locale.
            """
        case .agentMissing:
            """
            Impossibile avviare memo-agent ({1}). Le note restano salvate. Deve trovarsi nella \
            stessa cartella di memo o nel percorso di ricerca.
            """
        case .outboxEmpty: "La posta in uscita è vuota."
        case .outboxRetried: "Note che vengono ritentate ora: {1}"
        case .folder: "Cartella dei dati"
        case .key: "Chiave"
        case .keyPresent: "presente"
        case .keyIsMissing: "mancante"
        case .keyIsOpen: "leggibile da altri"
        case .keyIsUnreadable: "non leggibile"
        case .keyInKeyring: "nel portachiavi"
        case .signedIn: "Accesso effettuato"
        case .server: "Server"
        case .yes: "sì"
        case .notSignedIn: "no; esegui: memo login INDIRIZZO"
        case .noLongerSignedIn: "non più; esegui: memo login INDIRIZZO"
        case .codeEntryWaits: "non ancora; per inserire il codice, esegui: memo login INDIRIZZO"
        case .outbox: "Posta in uscita"
        case .outboxUnreadable: "non leggibile"
        case .oldest: "La più vecchia: {1}"
        case .seconds: "{1} s"
        case .minutes: "{1} min"
        case .hours: "{1} h"
        case .days: "{1} g"
        case .nextAttemptIn: "Prossimo tentativo tra {1}"
        case .newsAsOf:
            """
            Non è stato possibile interrogare il server. Ciò che sa delle note inviate risale a \
            {1}.
            """
        case .newsNever:
            """
            Non è ancora stato possibile interrogare il server. Potrebbe saperne di più sulle \
            note inviate.
            """
        case .agentErrors: "Errori di consegna"
        case .none: "nessuno"
        case .problem: "Problema"
        case .unknownLanguage:
            "La lingua {1} qui non esiste. Resta in uso l’impostazione precedente; scegli tra: {2}"
        case .settingsReplaced:
            """
            Le impostazioni salvate prima non erano leggibili e sono state sostituite del tutto.
            """
        case .codePrompt: "Inserisci il codice ricevuto per e-mail:"
        case .codePending:
            "Un codice è stato inviato alle {1}. Premi solo Invio per riceverne un altro."
        case .codeWrong:
            """
            Questo codice è sbagliato. Tentativi rimasti: {1}. Premi solo Invio per riceverne un \
            altro.
            """
        case .codeNoTries:
            """
            Questo codice è sbagliato e non restano tentativi, quindi nessuno ha effettuato \
            l’accesso. Esegui di nuovo il comando per riceverne uno nuovo.
            """
        case .codeExpired:
            """
            Questo codice è scaduto, quindi nessuno ha effettuato l’accesso. Esegui di nuovo il \
            comando per riceverne uno nuovo.
            """
        case .signedInTo: "Accesso effettuato. Le note vanno a {1} tramite il server {2}"
        case .noCode:
            """
            Non è stato inserito alcun codice, quindi nessuno ha effettuato l’accesso. Esegui di \
            nuovo il comando per inserirlo o riceverne uno nuovo.
            """
        case .signedInFormerValid:
            """
            Accesso effettuato. Il token precedente di questo dispositivo non è stato revocato \
            ed è ancora valido sul suo server; può scrivere solo al suo proprietario. Le note \
            sono al sicuro e partono con il nuovo token. Per revocare il precedente, \
            disconnettilo nell’elenco dei dispositivi dell’app web.
            """
        case .signedOut:
            "Uscita effettuata. Cronologia, bozza e note non inviate restano su questo dispositivo."
        case .signedOutUntold:
            """
            Uscita effettuata qui, ma non è stato possibile avvisare il server: il token è \
            eliminato da questo dispositivo ed è ancora valido sul server, dove non può più \
            essere revocato. Poteva scrivere solo al suo proprietario.
            """
        case .synced: "Tutto è come sugli altri tuoi dispositivi."
        case .notConfirmed: "Modifiche non ancora confermate: {1}"
        case .lastSynced: "Ultima sincronizzazione: {1}"
        case .syncFailed:
            """
            Non è stato possibile interrogare il server ({1}). Le tue modifiche restano su \
            questo dispositivo e partono con il prossimo memo sync.
            """
        case .settingAsked:
            """
            {1} è stato modificato qui e su un altro dispositivo. Digita 1 per tenere la \
            versione di questo dispositivo, 2 per tenere l’altra, Invio per decidere più tardi.
            """
        case .unknownDevice:
            """
            Non hai alcun dispositivo con questo identificativo. Nulla è cambiato; memo devices \
            li elenca.
            """
        case .noQuestion: "Non c’è nulla da scegliere per {1}. Nulla è cambiato."
        case .deviceLeaving: "{1} sarà disconnesso appena il server sarà raggiungibile."
        case .elsewhere: "un altro dispositivo"
        case .eraseAccount: "Cancella account"
        case .eraseWarning:
            """
            Sul server saranno cancellati tutte le note, le impostazioni e i dispositivi di \
            {1}; non si può annullare. Ciò che è sui tuoi dispositivi resta lì. Per \
            cancellarli, inserisci il codice ricevuto per e-mail:
            """
        case .accountErased:
            """
            L’account è cancellato sul server e questo dispositivo è disconnesso. Ciò che è su \
            questo dispositivo resta.
            """
        case .changesKept:
            """
            Modifiche che il server non ha confermato: {1}. Restano cifrate su questo \
            dispositivo finché non accedi di nuovo a questo account. Per rinunciarvi: memo \
            logout --discard-changes
            """
        case .relayNotURL:
            """
            Questo non è l’URL di un server. Nulla è stato modificato; ha la forma \
            https://relay.example.org
            """
        case .relayUnencrypted:
            """
            Il semplice http vale solo per un server su questo computer. Nulla è stato inviato; \
            usa https.
            """
        case .relayUnreachable:
            """
            Il server {1} non è raggiungibile. Nulla è stato modificato; controlla la rete e \
            l’URL, indicato con --relay, e riprova.
            """
        case .relayUntrusted:
            """
            Il certificato del server non è attendibile, quindi nulla è stato inviato. Controlla \
            l’URL, oppure chiedi a chi gestisce il server.
            """
        case .agentIdle: "Non resta nulla da consegnare."
        case .agentStopped: "Fermato. Ciò che non è partito resta salvato."
        case .agentRunsElsewhere: "Un altro memo-agent sta consegnando; è stato avvisato."
        case .serviceRuns:
            """
            L’agente è installato come servizio. Le note in attesa partono senza chiamare memo: a \
            ogni accesso al computer e ogni 15 minuti.
            """
        case .serviceMissing:
            """
            L’agente non è installato come servizio. Le note restano salvate e partono quando si \
            chiama memo. Per installarlo, esegui: memo agent install
            """
        case .serviceOutdated:
            """
            {1} non è come lo scrive questa versione per questa cartella dei dati. Le note \
            restano salvate; esegui: memo agent install
            """
        case .serviceInactive:
            """
            Il gestore dei servizi non esegue il servizio. Le note restano salvate e partono \
            quando si chiama memo. Per avviarlo, esegui: memo agent install. Per vedere il \
            motivo: {1}
            """
        case .serviceUnreachable:
            """
            Qui non risponde alcun gestore dei servizi, quindi il servizio non è ancora in \
            esecuzione. Parte con la prossima sessione che ne ha uno; per avviarlo lì subito, \
            esegui: memo agent install
            """
        case .serviceNeedsLogin:
            """
            Dopo un riavvio della macchina, le note attendono il tuo accesso. Perché partano \
            prima, esegui: {1}
            """
        case .serviceWritten: "Scritto: {1}"
        case .serviceUnchanged: "Invariato: {1}"
        case .serviceRemoved: "Rimosso: {1}"
        case .serviceKept: "Conservato, perché non scritto da memo agent install: {1}"
        case .serviceForeign:
            """
            {1} non è stato scritto da memo agent install. Nulla è stato modificato; spostalo ed \
            esegui di nuovo memo agent install.
            """
        case .serviceFailed:
            """
            Impossibile leggere, scrivere o rimuovere {1} ({2}). Le note restano salvate, ma il \
            servizio può essere incompleto; rimedia ed esegui di nuovo il comando.
            """
        case .serviceUnfit:
            """
            Nessun servizio può avere questo percorso o valore: {1}. Contiene virgolette, una \
            barra rovesciata o un carattere non stampabile. Nulla è stato modificato; scegli un \
            altro posto.
            """
        }
    }
}
