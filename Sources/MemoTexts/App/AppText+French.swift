extension AppText {
    var french: StaticString {
        switch self {
        case .memo: "Mémo"
        case .send: "Envoyer"
        case .sendWithShortcut: "Envoyer ({1})"
        case .back: "Retour"
        case .close: "Fermer"
        case .cancel: "Annuler"
        case .firstHint:
            "Écrivez un mémo et envoyez-le. Il arrive dans votre propre boîte de réception."
        case .saved: "Enregistré. Il arrivera sous peu dans votre boîte de réception."
        case .savedOffline: "Enregistré. Il partira au retour de la connexion."
        case .savedSignedOut: "Enregistré. Il partira dès que vous serez connecté."
        case .savedUnreached: "Enregistré. Il partira dès que le serveur sera joignable."
        case .savedLimited:
            "Enregistré. Le serveur demande d’attendre, le mémo partira un peu plus tard."
        case .savedKept: "Enregistré. Le mémo est conservé sur cet appareil."
        case .offline: "Hors ligne"
        case .unreached: "Serveur injoignable"
        case .waitingLong:
            "Un mémo attend depuis plus d’une heure. Il est en sécurité sur cet appareil."
        case .notArrived: "Un mémo n’est pas arrivé. Son texte est conservé."
        case .notifyMe: "M’avertir quand un mémo n’arrive pas"
        case .showQueue: "Afficher"
        case .updateReady: "Une nouvelle version est prête. Votre brouillon est conservé."
        case .update: "Mettre à jour"
        case .memoTooLong:
            """
            Le mémo dépasse 1 Mio et n’a pas été envoyé. Le texte reste ici\u{202F}; \
            raccourcissez-le ou divisez-le.
            """
        case .memoContainsNUL:
            """
            Le mémo contient un caractère NUL, que l’e-mail ne peut pas transporter, et n’a pas \
            été envoyé. Le texte reste ici\u{202F}; retirez ce caractère et renvoyez-le.
            """
        case .memoNotStored:
            """
            Le mémo n’a pas pu être enregistré ni envoyé. Le texte reste ici\u{202F}; veuillez \
            réessayer.
            """
        case .storageFull:
            """
            L’espace de stockage est plein et le mémo n’a pas été envoyé. Le texte reste \
            ici\u{202F}; libérez de l’espace et réessayez.
            """
        case .storageUnavailable:
            """
            Ce navigateur ne permet pas à Simple Memo d’enregistrer quoi que ce soit. L’envoi est \
            impossible\u{202F}; votre texte reste ici. Copiez-le ou ouvrez Simple Memo dans une \
            fenêtre ordinaire.
            """
        case .persistenceRefused:
            """
            Si l’espace vient à manquer, le navigateur peut supprimer des mémos pas encore \
            partis. Installer l’application réduit ce risque.
            """
        case .draftNotSaved:
            """
            Le brouillon ne peut pas être enregistré pour l’instant. Le texte reste ici\u{202F}; \
            gardez cette page ouverte jusqu’à l’envoi.
            """
        case .shareMissed:
            """
            Le texte partagé n’est pas parvenu à l’application. Rien d’autre n’est touché\u{202F}; \
            veuillez le partager à nouveau.
            """
        case .shareOffered: "Une autre application ou un site a partagé un texte\u{00A0}:"
        case .shareTake: "Ajouter au mémo"
        case .shareDiscard: "Ignorer"
        case .shareTooLong:
            """
            Le texte partagé dépasse 1 Mio et n’a pas été ajouté. Rien d’autre n’est \
            touché\u{202F}; raccourcissez-le, puis partagez-le à nouveau.
            """
        case .keyLost:
            """
            La clé des mémos enregistrés sur cet appareil est introuvable. Ils sont conservés, \
            mais ne peuvent être ni lus ni envoyés. Les e-mails reçus ne sont pas touchés. Pour \
            repartir de zéro, déconnectez-vous.
            """
        case .databaseTooNew:
            """
            Les données de cet appareil ont été enregistrées par une version plus récente de \
            Simple Memo. Rien n’a été modifié. Rechargez la page pour mettre à jour.
            """
        case .insecureConnection:
            """
            Cette page n’a pas été ouverte en https\u{00A0}: les mémos ne peuvent être ni \
            enregistrés en sécurité ni envoyés. Votre texte reste ici. Copiez-le et ouvrez Simple \
            Memo en https.
            """
        case .otherTab:
            """
            Une version plus ancienne de Simple Memo est ouverte dans un autre onglet. Rien n’est \
            perdu\u{202F}; fermez cet onglet, puis rechargez cette page.
            """
        case .signedOutElsewhere:
            """
            Un autre onglet vous a déconnecté et a tout supprimé sur cet appareil, le mémo n’a \
            donc pas été enregistré. Le texte reste ici\u{202F}; copiez-le, puis rechargez la \
            page.
            """
        case .appStopped:
            """
            L’application s’est arrêtée. Le texte du champ est conservé\u{202F}; copiez-le, puis \
            rechargez la page. Les mémos envoyés sont en sécurité.
            """
        case .tokenRevoked:
            """
            Cet appareil n’est plus connecté. Vos mémos sont conservés ici et partiront dès que \
            vous vous reconnecterez.
            """
        case .signIn: "Se connecter"
        case .history: "Historique"
        case .historyEmpty: "Aucun mémo pour l’instant"
        case .historyMore: "Afficher plus"
        case .memoUnreadable: "Impossible à ouvrir"
        case .showAll: "Tout afficher ({1} caractères)"
        case .statusQueued: "En attente"
        case .statusSent: "Envoyé"
        case .statusDelivered: "Remis"
        case .statusBounced: "Retourné"
        case .statusExpired: "Expiré"
        case .statusRefused: "Refusé"
        case .statusDeleted: "Supprimé"
        case .statusResent: "Renvoyé"
        case .statusParked: "À vérifier"
        case .statusUnreadable: "Illisible"
        case .statusUnknown: "Inconnu"
        case .reasonSignedOut: "Conservé ici jusqu’à votre connexion ({1})."
        case .reasonOffline: "En attente de la connexion ({1})."
        case .reasonRelay:
            "Le serveur ne répond pas ({1}). Le mémo est conservé et l’envoi sera retenté."
        case .reasonWait:
            "Le serveur demande d’attendre ({1}). Le mémo est conservé et sera envoyé plus tard."
        case .reasonForeign:
            """
            Autre chose que le serveur a répondu, peut-être la page de connexion de ce réseau \
            ({1}). Le mémo est conservé et l’envoi sera retenté.
            """
        case .reasonUntrusted:
            """
            Le certificat du serveur n’est pas digne de confiance ({1}). Le mémo est conservé et \
            l’envoi sera retenté.
            """
        case .reasonFailed:
            "La dernière tentative a échoué ({1}). Le mémo est conservé et l’envoi sera retenté."
        case .reasonRefused:
            """
            Le serveur ne l’a pas accepté ({1}). Il est conservé ici\u{202F}; modifiez-le et \
            renvoyez-le, ou supprimez-le.
            """
        case .reasonLost:
            """
            Le serveur a perdu ce qu’il avait enregistré de ce mémo ({1}). Le texte est conservé \
            ici\u{202F}; renvoyez-le.
            """
        case .reasonBounced:
            """
            Le serveur de messagerie l’a refusé ({1}). Le texte est conservé ici\u{202F}; \
            vérifiez votre adresse et renvoyez-le.
            """
        case .reasonMailboxFull:
            """
            Votre boîte de réception est pleine ({1}). Le texte est conservé ici\u{202F}; faites \
            de la place et renvoyez-le.
            """
        case .reasonNoMailbox:
            """
            Le serveur de messagerie ne connaît pas votre adresse ({1}). Le texte est conservé \
            ici\u{202F}; vérifiez l’adresse et renvoyez-le.
            """
        case .reasonExpired:
            """
            Le serveur de messagerie ne l’a pas accepté pendant des jours ({1}). Le texte est \
            conservé ici\u{202F}; vous pouvez le renvoyer.
            """
        case .reasonUnsupported:
            """
            Cette version ne peut pas l’envoyer ({1}). Il est conservé ici\u{202F}; mettez \
            l’application à jour.
            """
        case .reasonUnreadable:
            """
            Il est endommagé et illisible ({1}). Il est conservé tel quel\u{202F}; vous pouvez \
            le supprimer.
            """
        case .copy: "Copier"
        case .copied: "Copié"
        case .copyFailed: "La copie a échoué. Sélectionnez le texte et copiez-le vous-même."
        case .resend: "Renvoyer"
        case .resent: "Enregistré de nouveau. Il arrivera sous peu dans votre boîte de réception."
        case .delete: "Supprimer"
        case .deleteQuestion: "Supprimer ce mémo\u{202F}?"
        case .deleteSentHint:
            "Il disparaît de cet appareil. L’e-mail reste dans votre boîte de réception."
        case .deleteQueuedHint:
            "Il n’a pas encore été envoyé et ne le sera pas. Cette action est irréversible."
        case .settings: "Réglages"
        case .address: "Adresse e-mail"
        case .addressHint: "Vos mémos arrivent ici."
        case .askCode: "Recevoir un code par e-mail"
        case .codeSent: "Un code a été envoyé à cette adresse."
        case .longCode:
            "Saisissez le code long du dernier e-mail de Simple Memo dans votre boîte de réception."
        case .code: "Code reçu par e-mail"
        case .confirmCode: "Confirmer"
        case .signedInAs: "Les mémos sont envoyés à {1}"
        case .signedIn: "Connecté"
        case .addressInvalid:
            "Aucun e-mail ne peut être envoyé à cette adresse. Veuillez la vérifier."
        case .codeInvalid: "Le code comporte {1} chiffres."
        case .codeRejected: "Ce code est erroné. Vérifiez-le ou demandez-en un nouveau."
        case .codeExpired: "Ce code a expiré. Demandez-en un nouveau."
        case .codeSpent: "Il ne reste aucun essai pour ce code. Demandez-en un nouveau."
        case .handleMissing:
            """
            Le serveur n’accepte un code que de l’application qui l’a demandé. Vos mémos sont conservés. \
            Demandez un nouveau code\u{202F}; si cela se répète, mettez Simple Memo à jour.
            """
        case .tooManyRequests: "Trop de tentatives. Vous pourrez réessayer dans {1}\u{00A0}s."
        case .tooManyRequestsLater: "Trop de tentatives. Veuillez réessayer plus tard."
        case .relayUnreachable:
            """
            Le serveur est injoignable. Rien n’est perdu\u{202F}; vérifiez la connexion et \
            réessayez.
            """
        case .relayFailed:
            """
            Le serveur a rencontré un problème (HTTP {1}). Rien n’est perdu\u{202F}; veuillez \
            réessayer plus tard.
            """
        case .notARelay:
            """
            Autre chose que le serveur a répondu, peut-être la page de connexion de ce réseau. \
            Rien n’est perdu\u{202F}; vérifiez la connexion et réessayez.
            """
        case .subjectTemplate: "Objet"
        case .subjectTemplateHint:
            """
            {line} est la première ligne du mémo, {date} la date, {id} un code court qui \
            distingue les e-mails.
            """
        case .subjectPreview: "Exemple\u{00A0}: {1}"
        case .templatePlaceholder:
            """
            Seuls {line}, {date} et {id} peuvent figurer entre accolades, {line} une seule fois. \
            L’objet précédent reste utilisé.
            """
        case .templateBrace:
            """
            Une accolade est sans pendant. Pour une accolade elle-même, écrivez {{ ou }}. L’objet \
            précédent reste utilisé.
            """
        case .templateTooLong:
            "Cet objet est trop long. Raccourcissez-le\u{202F}; le précédent reste utilisé."
        case .signature: "Signature"
        case .signatureHint: "Ajoutée sous chaque mémo."
        case .signatureTooLong:
            """
            Cette signature est trop longue. Raccourcissez-la\u{202F}; la précédente reste \
            utilisée.
            """
        case .language: "Langue"
        case .languageAutomatic: "Automatique"
        case .devices: "Appareils"
        case .deviceCurrent: "Cet appareil"
        case .deviceSince: "Depuis {1}"
        case .deviceUsed: "Dernière utilisation\u{00A0}: {1}"
        case .deviceQuestion: "Déconnecter cet appareil\u{202F}?"
        case .deviceHint:
            """
            {1} ne pourra plus envoyer de mémos. Les e-mails de votre boîte de réception sont \
            conservés.
            """
        case .deviceSignedOut: "L’appareil est déconnecté."
        case .privacyOverlay: "Masquer le texte quand l’application est en arrière-plan"
        case .signOut: "Se déconnecter"
        case .signOutQuestion: "Se déconnecter et tout supprimer de cet appareil\u{202F}?"
        case .signOutHint:
            """
            L’historique, le brouillon et les réglages sont supprimés de cet appareil. Les \
            e-mails de votre boîte de réception sont conservés.
            """
        case .signOutUnsent: "Mémos non envoyés qui seront perdus\u{00A0}: {1}"
        case .signOutConfirm: "Se déconnecter et supprimer"
        case .signOutUntold:
            """
            Tout a été supprimé de cet appareil. Le serveur n’a pas pu être averti\u{202F}; cet \
            appareil figure peut-être encore dans sa liste.
            """
        case .signOutKeep: "Se déconnecter et tout garder"
        case .signOutKept:
            "Déconnecté. Tout reste chiffré sur cet appareil jusqu’à votre prochaine connexion."
        case .signOutKeptUntold:
            """
            Déconnecté. Tout reste sur cet appareil jusqu’à votre prochaine connexion. Le \
            serveur n’a pas pu être informé\u{202F}: cet appareil figure peut-être encore dans \
            sa liste.
            """
        case .settingsSaved: "Enregistré"
        case .settingsNotSaved:
            """
            La modification n’a pas pu être enregistrée. Le réglage précédent reste \
            utilisé\u{202F}; veuillez réessayer.
            """
        case .syncing: "Synchronisation en cours"
        case .changesUnconfirmed: "Modifications pas encore confirmées\u{00A0}: {1}"
        case .syncedAt: "Dernière synchronisation\u{00A0}: {1}"
        case .changeMet: "Un autre appareil a aussi modifié ce réglage. Sa valeur\u{00A0}: {1}"
        case .changeRefused: "Cette modification n’a pas été acceptée."
        case .edit: "Modifier"
        case .writtenOn: "Écrit sur {1}"
        case .writtenElsewhere: "Écrit sur un autre appareil"
        case .diagnostics: "Diagnostic"
        case .queue: "File d’attente"
        case .queueEmpty: "Rien n’est en attente"
        case .queued: "En attente\u{00A0}: {1}"
        case .parked: "À vérifier\u{00A0}: {1}"
        case .quarantined: "Illisibles\u{00A0}: {1}"
        case .waitingSince: "Depuis {1}"
        case .attempts: "Tentatives\u{00A0}: {1}"
        case .nextAttempt: "Prochaine tentative\u{00A0}: {1}"
        case .retryNow: "Réessayer maintenant"
        case .retryAll: "Tout réessayer maintenant"
        case .timings: "Temps de réponse"
        case .timeToText: "Du lancement à la saisie"
        case .sendToReset: "De l’envoi au champ vide"
        case .timing: "Médiane {1}\u{00A0}ms, dernier {2}\u{00A0}ms, objectif {3}\u{00A0}ms"
        case .notMeasured: "Pas encore mesuré"
        case .log: "Dernières étapes"
        case .logRemoved: "A quitté la file d’attente"
        case .ratingQuestion: "Que pensez-vous de Simple Memo\u{202F}?"
        case .ratingStars: "Étoiles\u{00A0}: {1} sur 5"
        case .ratingDismiss: "Pas maintenant"
        case .ratingThanks: "Merci pour votre évaluation."
        case .hidden: "Masqué par confidentialité"
        }
    }
}
