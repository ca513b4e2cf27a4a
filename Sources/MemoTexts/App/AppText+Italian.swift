extension AppText {
    var italian: StaticString {
        switch self {
        case .memo: "Nota"
        case .send: "Invia"
        case .sendWithShortcut: "Invia ({1})"
        case .back: "Indietro"
        case .close: "Chiudi"
        case .cancel: "Annulla"
        case .firstHint: "Scrivi una nota e inviala. Arriva nella tua casella di posta."
        case .saved: "Salvata. Arriverà a breve nella tua casella di posta."
        case .savedOffline: "Salvata. Partirà quando tornerà la connessione."
        case .savedSignedOut: "Salvata. Partirà appena avrai effettuato l’accesso."
        case .savedUnreached: "Salvata. Partirà appena il server sarà raggiungibile."
        case .savedLimited:
            "Salvata. Il server chiede di attendere, quindi partirà un po’ più tardi."
        case .savedKept: "Salvata. La nota resta su questo dispositivo."
        case .offline: "Offline"
        case .unreached: "Server non raggiunto"
        case .waitingLong: "Una nota attende da più di un’ora. È al sicuro su questo dispositivo."
        case .notArrived: "Una nota non è arrivata. Il suo testo è conservato."
        case .notifyMe: "Avvisami quando una nota non arriva"
        case .showQueue: "Mostra"
        case .updateReady: "È pronta una nuova versione. La bozza viene conservata."
        case .update: "Aggiorna"
        case .memoTooLong:
            "La nota supera 1 MiB e non è stata inviata. Il testo resta qui; accorcialo o dividilo."
        case .memoContainsNUL:
            """
            La nota contiene un carattere NUL, che l’e-mail non può trasportare, e non è stata \
            inviata. Il testo resta qui; togli il carattere e invialo di nuovo.
            """
        case .memoNotStored: "La nota non è stata salvata né inviata. Il testo resta qui; riprova."
        case .storageFull:
            """
            Lo spazio è esaurito e la nota non è stata inviata. Il testo resta qui; libera spazio \
            e riprova.
            """
        case .storageUnavailable:
            """
            Questo browser non permette a Simple Memo di salvare nulla. L’invio non è possibile; \
            il testo resta qui. Copialo, oppure apri Simple Memo in una finestra normale.
            """
        case .persistenceRefused:
            """
            Se lo spazio scarseggia, il browser può eliminare note non ancora partite. \
            Installando l’app è meno probabile.
            """
        case .draftNotSaved:
            """
            In questo momento la bozza non può essere salvata. Il testo resta qui; tieni aperta \
            questa pagina finché non l’hai inviato.
            """
        case .shareMissed:
            "Il testo condiviso non è arrivato all’app. Nient’altro è cambiato; condividilo di nuovo."
        case .shareOffered: "Un’altra app o un sito ha condiviso un testo:"
        case .shareTake: "Aggiungi alla nota"
        case .shareDiscard: "Scarta"
        case .shareTooLong:
            """
            Il testo condiviso supera 1 MiB e non è stato accettato. Nient’altro è cambiato; \
            accorcialo e condividilo di nuovo.
            """
        case .keyLost:
            """
            Manca la chiave delle note salvate su questo dispositivo. Sono conservate, ma non si \
            possono leggere né inviare. Le e-mail già arrivate non sono interessate. Per \
            ricominciare da capo, esci.
            """
        case .databaseTooNew:
            """
            I dati di questo dispositivo sono stati salvati da una versione più recente di Simple \
            Memo. Nulla è stato modificato. Ricarica la pagina per aggiornare.
            """
        case .insecureConnection:
            """
            Questa pagina non è stata aperta con https, quindi le note non possono essere salvate \
            in modo sicuro né inviate. Il testo resta qui. Copialo e apri Simple Memo con https.
            """
        case .otherTab:
            """
            In un’altra scheda è aperta una versione precedente di Simple Memo. Nulla è andato \
            perso; chiudi quella scheda e ricarica questa pagina.
            """
        case .signedOutElsewhere:
            """
            Un’altra scheda ti ha disconnesso e ha eliminato tutto da questo dispositivo, \
            quindi la nota non è stata salvata. Il testo resta qui; copialo e ricarica la \
            pagina.
            """
        case .appStopped:
            """
            L’app si è fermata. Il testo nel campo è conservato; copialo e ricarica la pagina. Le note \
            inviate sono al sicuro.
            """
        case .tokenRevoked:
            """
            Questo dispositivo non è più collegato al tuo account. Le note restano qui e \
            partiranno quando accederai di nuovo.
            """
        case .signIn: "Accedi"
        case .history: "Cronologia"
        case .historyEmpty: "Ancora nessuna nota"
        case .historyMore: "Mostra altre"
        case .memoUnreadable: "Impossibile aprire"
        case .showAll: "Mostra tutto ({1} caratteri)"
        case .statusQueued: "In attesa"
        case .statusSent: "Inviata"
        case .statusDelivered: "Consegnata"
        case .statusBounced: "Respinta"
        case .statusExpired: "Scaduta"
        case .statusRefused: "Rifiutata"
        case .statusDeleted: "Eliminata"
        case .statusResent: "Inviata di nuovo"
        case .statusParked: "Da controllare"
        case .statusUnreadable: "Illeggibile"
        case .statusUnknown: "Sconosciuta"
        case .reasonSignedOut: "Resta qui finché non accedi ({1})."
        case .reasonOffline: "In attesa della connessione ({1})."
        case .reasonRelay:
            "Il server non risponde ({1}). La nota è conservata e l’invio verrà ritentato."
        case .reasonWait:
            "Il server chiede di attendere ({1}). La nota è conservata e verrà inviata più tardi."
        case .reasonForeign:
            """
            Ha risposto qualcosa di diverso dal server, forse la pagina di accesso di questa \
            rete ({1}). La nota è conservata e l’invio verrà ritentato.
            """
        case .reasonUntrusted:
            """
            Il certificato del server non è attendibile ({1}). La nota è conservata e l’invio \
            verrà ritentato.
            """
        case .reasonFailed:
            """
            L’ultimo tentativo non è riuscito ({1}). La nota è conservata e l’invio verrà \
            ritentato.
            """
        case .reasonRefused:
            """
            Il server non l’ha accettata ({1}). Resta qui; modificala e inviala di nuovo, oppure \
            eliminala.
            """
        case .reasonLost:
            """
            Il server ha perso ciò che aveva salvato di questa nota ({1}). Il testo resta qui; \
            inviala di nuovo.
            """
        case .reasonBounced:
            """
            Il server di posta l’ha respinta ({1}). Il testo resta qui; controlla l’indirizzo e \
            inviala di nuovo.
            """
        case .reasonMailboxFull:
            """
            La tua casella di posta è piena ({1}). Il testo resta qui; fai spazio e inviala di \
            nuovo.
            """
        case .reasonNoMailbox:
            """
            Il server di posta non conosce il tuo indirizzo ({1}). Il testo resta qui; controlla \
            l’indirizzo e inviala di nuovo.
            """
        case .reasonExpired:
            """
            Il server di posta non l’ha accettata per giorni ({1}). Il testo resta qui; puoi \
            inviarla di nuovo.
            """
        case .reasonUnsupported:
            "Questa versione non può inviarla ({1}). Resta qui; aggiorna l’app."
        case .reasonUnreadable:
            "È danneggiata e illeggibile ({1}). Resta così com’è; puoi eliminarla."
        case .copy: "Copia"
        case .copied: "Copiato"
        case .copyFailed: "Impossibile copiare. Seleziona il testo e copialo tu."
        case .resend: "Invia di nuovo"
        case .resent: "Salvata di nuovo. Arriverà a breve nella tua casella di posta."
        case .delete: "Elimina"
        case .deleteQuestion: "Eliminare questa nota?"
        case .deleteSentHint:
            "Scompare da questo dispositivo. L’e-mail nella tua casella di posta resta."
        case .deleteQueuedHint:
            "Non è ancora stata inviata e non lo sarà. L’operazione non può essere annullata."
        case .settings: "Impostazioni"
        case .address: "Indirizzo e-mail"
        case .addressHint: "Le tue note arrivano qui."
        case .askCode: "Ricevi un codice per e-mail"
        case .codeSent: "Un codice è in arrivo a questo indirizzo."
        case .longCode:
            "Inserisci il codice lungo dell’ultima e-mail di Simple Memo nella tua casella di posta."
        case .code: "Codice ricevuto per e-mail"
        case .confirmCode: "Conferma"
        case .signedInAs: "Le note vanno a {1}"
        case .signedIn: "Accesso effettuato"
        case .addressInvalid: "Non è possibile inviare e-mail a questo indirizzo. Controllalo."
        case .codeInvalid: "Il codice ha {1} cifre."
        case .codeRejected: "Questo codice è errato. Controllalo, oppure richiedine uno nuovo."
        case .codeExpired: "Questo codice è scaduto. Richiedine uno nuovo."
        case .codeSpent: "Per questo codice non restano tentativi. Richiedine uno nuovo."
        case .handleMissing:
            """
            Il server accetta un codice solo dall’app che l’ha richiesto. Le tue note sono conservate. \
            Richiedi un nuovo codice; se accade ancora, aggiorna Simple Memo.
            """
        case .tooManyRequests: "Troppi tentativi. Puoi riprovare tra {1} s."
        case .tooManyRequestsLater: "Troppi tentativi. Riprova più tardi."
        case .relayUnreachable:
            """
            Il server non è raggiungibile. Nulla è andato perso; controlla la connessione e \
            riprova.
            """
        case .relayFailed:
            "Il server ha avuto un problema (HTTP {1}). Nulla è andato perso; riprova più tardi."
        case .notARelay:
            """
            Ha risposto qualcosa di diverso dal server, forse la pagina di accesso di questa \
            rete. Nulla è andato perso; controlla la connessione e riprova.
            """
        case .subjectTemplate: "Oggetto"
        case .subjectTemplateHint:
            """
            {line} è la prima riga della nota, {date} la data, {id} un breve codice che distingue \
            le e-mail.
            """
        case .subjectPreview: "Esempio: {1}"
        case .templatePlaceholder:
            """
            Tra parentesi graffe possono stare solo {line}, {date} e {id}, {line} una sola volta. \
            Resta in uso l’oggetto precedente.
            """
        case .templateBrace:
            """
            A una parentesi graffa manca la corrispondente. Per la parentesi stessa scrivi {{ o }}. \
            Resta in uso l’oggetto precedente.
            """
        case .templateTooLong:
            "Questo oggetto è troppo lungo. Accorcialo; resta in uso quello precedente."
        case .signature: "Firma"
        case .signatureHint: "Aggiunta sotto ogni nota."
        case .signatureTooLong:
            "Questa firma è troppo lunga. Accorciala; resta in uso quella precedente."
        case .language: "Lingua"
        case .languageAutomatic: "Automatica"
        case .devices: "Dispositivi"
        case .deviceCurrent: "Questo dispositivo"
        case .deviceSince: "Attivo da: {1}"
        case .deviceUsed: "Ultimo uso: {1}"
        case .deviceQuestion: "Disconnettere questo dispositivo?"
        case .deviceHint:
            "{1} non potrà più inviare note. Le e-mail nella tua casella di posta restano."
        case .deviceSignedOut: "Il dispositivo è disconnesso."
        case .privacyOverlay: "Nascondi il testo quando l’app è in secondo piano"
        case .signOut: "Esci"
        case .signOutQuestion: "Uscire ed eliminare tutto da questo dispositivo?"
        case .signOutHint:
            """
            Cronologia, bozza e impostazioni vengono eliminate da questo dispositivo. Le e-mail \
            nella tua casella di posta restano.
            """
        case .signOutUnsent: "Note non inviate che andranno perse: {1}"
        case .signOutConfirm: "Esci ed elimina"
        case .signOutUntold:
            """
            Tutto è stato eliminato da questo dispositivo. Non è stato possibile avvisare il \
            server; il dispositivo potrebbe essere ancora nel suo elenco.
            """
        case .signOutKeep: "Esci e conserva tutto"
        case .signOutKept:
            "Sei uscito. Tutto resta cifrato su questo dispositivo fino al prossimo accesso."
        case .signOutKeptUntold:
            """
            Sei uscito. Tutto resta su questo dispositivo fino al prossimo accesso. Non è stato \
            possibile avvisare il server: questo dispositivo potrebbe essere ancora nel suo \
            elenco.
            """
        case .settingsSaved: "Salvato"
        case .settingsNotSaved:
            "La modifica non è stata salvata. Resta in uso l’impostazione precedente; riprova."
        case .syncing: "Sincronizzazione in corso"
        case .changesUnconfirmed: "Modifiche non ancora confermate: {1}"
        case .syncedAt: "Ultima sincronizzazione: {1}"
        case .changeMet: "Anche un altro dispositivo ha cambiato questo valore. Lì: {1}"
        case .changeRefused: "Questa modifica non è stata accettata."
        case .edit: "Modifica"
        case .writtenOn: "Scritto su {1}"
        case .writtenElsewhere: "Scritto su un altro dispositivo"
        case .diagnostics: "Diagnostica"
        case .queue: "Coda"
        case .queueEmpty: "Nulla in attesa"
        case .queued: "In attesa: {1}"
        case .parked: "Da controllare: {1}"
        case .quarantined: "Illeggibili: {1}"
        case .waitingSince: "In attesa da: {1}"
        case .attempts: "Tentativi: {1}"
        case .nextAttempt: "Prossimo tentativo: {1}"
        case .retryNow: "Riprova ora"
        case .retryAll: "Riprova tutto ora"
        case .timings: "Tempi"
        case .timeToText: "Dall’avvio alla scrittura"
        case .sendToReset: "Dall’invio al campo vuoto"
        case .timing: "Mediana {1} ms, ultimo {2} ms, obiettivo {3} ms"
        case .notMeasured: "Non ancora misurato"
        case .log: "Ultimi passaggi"
        case .logRemoved: "Uscita dalla coda"
        case .ratingQuestion: "Come ti trovi con Simple Memo?"
        case .ratingStars: "Stelle: {1} su 5"
        case .ratingDismiss: "Non ora"
        case .ratingThanks: "Grazie per la tua valutazione."
        case .hidden: "Nascosto per riservatezza"
        }
    }
}
