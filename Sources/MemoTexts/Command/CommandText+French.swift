extension CommandText {
    var french: StaticString {
        switch self {
        case .saved: "Enregistré\u{202F}; il arrivera sous peu dans votre boîte de réception."
        case .savedSignedOut:
            "Enregistré. Il partira dès que vous serez connecté\u{00A0}: memo login ADRESSE"
        case .savedNotLeaving: "Enregistré. {1}"
        case .signedOutElsewhere:
            """
            Cet appareil n’est plus connecté. Vos mémos sont conservés ici et partiront dès que \
            vous vous reconnecterez\u{00A0}: memo login ADRESSE
            """
        case .waitingLong:
            """
            Un mémo attend depuis plus d’une heure. Il est en sécurité sur cet appareil\u{202F}; \
            voir\u{00A0}: memo outbox
            """
        case .composeHint: "Ctrl-D envoie, Ctrl-C quitte, Ctrl-G touches."
        case .composeKeys:
            """
            Ctrl-D envoie. Ctrl-C quitte, le brouillon reste. Ctrl-X vide le champ, Ctrl-Y \
            rétablit. Ctrl-A, Ctrl-E\u{00A0}: début, fin de la ligne. Alt-B, Alt-F\u{00A0}: par \
            mots. Ctrl-W, Ctrl-U, Ctrl-K effacent un mot, jusqu’au début, jusqu’à la fin. Ctrl-Z \
            suspend.
            """
        case .fieldEmptied: "Le champ est vide. Ctrl-Y rétablit le texte."
        case .draftKept: "Le brouillon est conservé. Lancez memo pour continuer à écrire."
        case .draftNotSaved: "Le brouillon n’est pas enregistré. {1}"
        case .draftLossAhead:
            "Le brouillon n’est pas enregistré. {1} Un nouveau Ctrl-C quitte et perd le texte."
        case .draftLost:
            """
            Ce que vous avez écrit n’est PAS conservé\u{00A0}: le brouillon n’a pas pu être \
            enregistré. {1}
            """
        case .draftsDiscarded: "Brouillons jetés\u{00A0}: {1}"
        case .notSent: "Non envoyé. {1}"
        case .needsTerminal:
            """
            La saisie demande un terminal. Rien n’a été envoyé. Envoyez un texte avec\u{00A0}: \
            memo TEXTE, ou … | memo
            """
        case .usageHint:
            """
            Rien n’a été envoyé. Pour un texte qui commence par un tiret ou une \
            sous-commande\u{00A0}: memo -- TEXTE
            """
        case .argumentUnclear: "L’argument {1} n’a pas été compris."
        case .didYouMean:
            """
            Rien n’a été envoyé. Vouliez-vous dire {1}\u{202F}? Pour envoyer les mots comme \
            mémo\u{00A0}: memo -- TEXTE
            """
        case .emptyMemo: "Le mémo est vide, il n’y a rien à envoyer."
        case .notUTF8:
            """
            Le mémo n’est pas du texte UTF-8 valide. Rien n’a été envoyé\u{202F}; convertissez-le \
            et renvoyez-le.
            """
        case .containsNUL:
            """
            Le mémo contient un caractère NUL, que l’e-mail ne peut pas transporter. Rien n’a \
            été envoyé\u{202F}; retirez-le et renvoyez le mémo.
            """
        case .tooLong:
            """
            Le mémo dépasse {1} octets. Rien n’a été envoyé\u{202F}; raccourcissez-le ou \
            divisez-le.
            """
        case .inputNotUTF8:
            """
            L’entrée standard n’est pas de l’UTF-8 valide à l’octet {1}. Rien n’a été \
            envoyé\u{202F}; convertissez-la et renvoyez-la.
            """
        case .inputUnreadable:
            """
            L’entrée standard est illisible ({1}). Rien n’a été envoyé\u{202F}; vérifiez son \
            origine et réessayez.
            """
        case .outputFailed:
            """
            La sortie standard ne peut pas être écrite ({1}), le résultat est donc incomplet. \
            Rien de ce qui est enregistré n’est perdu\u{202F}; écrivez ailleurs.
            """
        case .outputFailedStored:
            """
            Le mémo est enregistré, ne le renvoyez pas. Seul son identifiant n’a pas pu être \
            écrit sur la sortie standard ({1})\u{202F}; voir\u{00A0}: memo history
            """
        case .noDataFolder:
            """
            Il n’y a pas de dossier où garder les mémos. Rien n’a été enregistré\u{202F}; \
            définissez HOME, ou MEMO_HOME avec un dossier à vous.
            """
        case .readOnly:
            """
            Impossible d’écrire dans {1}. Rien n’a été enregistré\u{202F}; gardez le texte et \
            autorisez l’écriture.
            """
        case .readingNeedsWriting:
            """
            {1} ne peut pas être écrit, et la lecture en a besoin aussi. Rien n’a été \
            modifié\u{202F}; autorisez l’écriture, ou copiez le dossier et indiquez la copie \
            dans MEMO_HOME.
            """
        case .diskFull:
            """
            Le disque qui contient {1} est plein. Rien n’a été enregistré\u{202F}; gardez le \
            texte et libérez de l’espace.
            """
        case .folderUnusable:
            "Impossible d’utiliser {1} ({2}). Rien n’a été enregistré\u{202F}; gardez le texte."
        case .keyUnreadable:
            """
            Le fichier de clé {1} est illisible. Rien n’a été modifié\u{202F}; autorisez son \
            propriétaire à le lire.
            """
        case .keyPermissions:
            """
            Le fichier de clé {1} peut être lu par d’autres. Rien n’a été modifié\u{202F}; \
            exécutez\u{00A0}: chmod 600 '{1}'
            """
        case .keyDamaged:
            """
            Le fichier de clé {1} ne contient pas de clé. Rien n’a été modifié\u{202F}; \
            restaurez-le depuis une sauvegarde.
            """
        case .keyMissing:
            """
            Le fichier de clé {1} a disparu, et les données enregistrées en ont besoin. Rien n’a \
            été modifié\u{202F}; restaurez-le depuis une sauvegarde, ou déplacez tout le dossier \
            pour repartir de zéro.
            """
        case .wrongKey:
            """
            Les données enregistrées ont été chiffrées avec une autre clé que {1}. Rien n’a été \
            enregistré et elles sont conservées telles quelles\u{202F}; restaurez le bon fichier \
            de clé.
            """
        case .keyringLocked:
            """
            Le trousseau qui contient la clé est verrouillé. Rien n’a été modifié\u{202F}; \
            déverrouillez-le et réessayez.
            """
        case .keyringUnreachable:
            """
            Le trousseau qui contient la clé ne répond pas ici. Rien n’a été modifié\u{202F}; \
            réessayez dans la session de bureau à laquelle il appartient.
            """
        case .keyringItemMissing:
            """
            Le trousseau ne contient plus la clé, et des données enregistrées en ont besoin. \
            Rien n’a été modifié\u{202F}; restaurez le trousseau depuis une sauvegarde.
            """
        case .keyStoreUnknown:
            """
            Il n’y a pas ici d’emplacement nommé {1} pour la clé. Rien n’a été modifié. \
            Emplacements possibles\u{00A0}: {2}
            """
        case .keyCopyLeft:
            """
            La clé est dans son fichier, mais sa copie dans le trousseau n’a pas pu être \
            supprimée. Rien n’est perdu\u{202F}; réessayez quand le trousseau répondra.
            """
        case .keyRotated:
            """
            Tout ce qui est nouveau est chiffré avec une nouvelle clé. Entrées enregistrées \
            chiffrées à nouveau\u{00A0}: {1}
            """
        case .oldKeyKept:
            """
            L’ancienne clé est conservée à côté\u{00A0}: un autre programme de Simple Memo est en \
            cours, ou une entrée est illisible.
            """
        case .busy:
            """
            La base de données est restée verrouillée par un autre processus. Rien n’a été \
            enregistré\u{202F}; réessayez.
            """
        case .databaseDamaged:
            """
            {1} est endommagé ou n’est pas une base de données. Rien n’a été enregistré et il est \
            laissé tel quel\u{202F}; restaurez-le depuis une sauvegarde ou déplacez-le.
            """
        case .databaseInconsistent:
            """
            {1} est endommagé. Certains mémos de la boîte d’envoi pourraient ne jamais partir \
            ou ne pas être listés\u{00A0}: comparez memo outbox et memo history, et renvoyez ce qui \
            manque.
            """
        case .logDamaged:
            """
            Une partie des derniers enregistrements est illisible\u{00A0}: le journal de la base est \
            endommagé, ou le courant a manqué. Les mémos antérieurs sont en sécurité. \
            Vérifiez les derniers avec memo history et renvoyez ce qui manque. Le journal est \
            conservé, chiffré, dans {1}\u{202F}; supprimez ce fichier pour ne plus voir cet avis.
            """
        case .databaseTooNew:
            """
            {1} a été écrit par une version plus récente de Simple Memo. Rien n’a été \
            modifié\u{202F}; mettez à jour.
            """
        case .storageFailed:
            """
            La base de données a échoué ({1}). Rien n’a été enregistré\u{202F}; \
            gardez le texte.
            """
        case .unknownOperation:
            """
            Cette entrée n’existe pas dans la boîte d’envoi. Rien n’a été modifié\u{202F}; \
            voir\u{00A0}: memo outbox
            """
        case .unknownMemo:
            """
            L’historique n’a pas de tel mémo. Rien n’a été modifié\u{202F}; voir\u{00A0}: memo \
            history
            """
        case .ambiguousIdentifier:
            """
            Plusieurs identifiants commencent ou finissent ainsi. Rien n’a été modifié\u{202F}; \
            donnez-en davantage. Ils s’affichent en entier avec\u{00A0}: --json
            """
        case .notResendable:
            """
            Seul un mémo qui n’est pas arrivé peut être renvoyé, et une seule fois. \
            L’historique n’a pas de tel mémo avec cet identifiant, et rien n’a été \
            envoyé\u{202F}; voir\u{00A0}: memo history
            """
        case .entryDamaged:
            """
            L’entrée est endommagée et illisible. Elle est conservée telle quelle et n’est pas \
            envoyée\u{202F}; restaurez la base de données depuis une sauvegarde, ou supprimez \
            l’entrée.
            """
        case .memoDeleted:
            "Supprimé de cet appareil. Un e-mail déjà arrivé reste dans votre boîte de réception."
        case .accountDamaged:
            """
            Le compte enregistré est endommagé et illisible. Les mémos restent \
            enregistrés\u{202F}; reconnectez-vous avec\u{00A0}: memo login ADRESSE
            """
        case .settingsDamaged:
            """
            Les réglages enregistrés sont endommagés et illisibles. Les mémos sont envoyés sans \
            eux\u{202F}; définissez-les à nouveau avec\u{00A0}: memo settings
            """
        case .agentSilent:
            """
            Un autre memo-agent est chargé de la remise et ne répond pas. Les mémos restent \
            enregistrés\u{202F}; arrêtez ce processus ou réessayez plus tard.
            """
        case .noAccount:
            """
            Personne n’est connecté. Les mémos restent enregistrés\u{202F}; exécutez\u{00A0}: \
            memo login ADRESSE
            """
        case .agentNotStarted:
            """
            Le programme de remise n’a pas pu être lancé ({1}). Le mémo est enregistré et partira \
            au prochain lancement de\u{00A0}: memo agent
            """
        case .agentFailed:
            """
            Le programme de remise n’a pas pu travailler la dernière fois ({1}). Les mémos sont \
            enregistrés et en sécurité\u{202F}; voir\u{00A0}: memo doctor
            """
        case .agentCannotWork:
            """
            Le programme de remise ne peut pas travailler ({1}). Les mémos enregistrés sont en \
            sécurité, mais ne partent pas. Pour en voir la raison\u{00A0}: memo agent
            """
        case .entriesNeedPerson:
            """
            Entrées de la boîte d’envoi qui requièrent votre attention\u{00A0}: {1}. Elles sont en \
            sécurité sur cet appareil\u{202F}; voir\u{00A0}: memo outbox
            """
        case .memosNotArrived:
            """
            Mémos qui ne sont pas arrivés et que vous n’avez pas encore vus\u{00A0}: {1}. Leurs \
            textes sont conservés\u{202F}; voyez\u{00A0}: memo history
            """
        case .relayUnreached:
            """
            Le serveur {1} n’accepte plus de mémo depuis {2} ({3}). Mémos en attente\u{00A0}: \
            {4}. Ils sont en sécurité et partiront d’eux-mêmes.
            """
        case .folderLacksLocks:
            """
            Le système de fichiers de {1} n’offre ni verrous ni mémoire partagée. Rien n’a été \
            enregistré\u{202F}; gardez le texte et indiquez dans MEMO_HOME un dossier d’un disque \
            local.
            """
        case .agentMissing:
            """
            Impossible de lancer memo-agent ({1}). Les mémos restent enregistrés. Il doit se \
            trouver dans le même dossier que memo, ou dans le chemin de recherche.
            """
        case .outboxEmpty: "La boîte d’envoi est vide."
        case .outboxRetried: "Mémos dont l’envoi est tenté maintenant\u{00A0}: {1}"
        case .folder: "Dossier de données"
        case .key: "Clé"
        case .keyPresent: "présente"
        case .keyIsMissing: "absente"
        case .keyIsOpen: "lisible par d’autres"
        case .keyIsUnreadable: "illisible"
        case .keyInKeyring: "dans le trousseau"
        case .signedIn: "Connecté"
        case .server: "Serveur"
        case .yes: "oui"
        case .notSignedIn: "non\u{202F}; exécutez\u{00A0}: memo login ADRESSE"
        case .noLongerSignedIn: "plus maintenant\u{202F}; exécutez\u{00A0}: memo login ADRESSE"
        case .codeEntryWaits:
            "pas encore\u{202F}; pour saisir le code reçu, exécutez\u{00A0}: memo login ADRESSE"
        case .outbox: "Boîte d’envoi"
        case .outboxUnreadable: "illisible"
        case .oldest: "Le plus ancien\u{00A0}: {1}"
        case .seconds: "{1} s"
        case .minutes: "{1} min"
        case .hours: "{1} h"
        case .days: "{1} j"
        case .nextAttemptIn: "Prochaine tentative dans {1}"
        case .newsAsOf:
            "Le serveur n’a pas pu être interrogé. Ce qu’il sait des mémos envoyés date de {1}."
        case .newsNever:
            """
            Le serveur n’a pas encore pu être interrogé. Il en sait peut-être plus sur les mémos \
            envoyés.
            """
        case .agentErrors: "Erreurs de remise"
        case .none: "aucune"
        case .problem: "Problème"
        case .unknownLanguage:
            """
            La langue {1} n’existe pas ici. Le réglage précédent reste utilisé\u{202F}; \
            choisissez parmi\u{00A0}: {2}
            """
        case .settingsReplaced:
            """
            Les réglages enregistrés auparavant étaient illisibles et ont été entièrement \
            remplacés.
            """
        case .codePrompt: "Saisissez le code reçu par e-mail\u{00A0}:"
        case .codePending:
            "Un code a été envoyé à {1}. Appuyez seulement sur Entrée pour en recevoir un autre."
        case .codeWrong:
            """
            Ce code est faux. Essais restants\u{00A0}: {1}. Appuyez seulement sur Entrée pour en \
            recevoir un autre.
            """
        case .codeNoTries:
            """
            Ce code est faux et il ne reste aucun essai, personne n’est donc connecté. Exécutez \
            de nouveau la commande pour en recevoir un autre.
            """
        case .codeExpired:
            """
            Ce code a expiré, personne n’est donc connecté. Exécutez de nouveau la commande pour \
            en recevoir un autre.
            """
        case .signedInTo: "Connecté. Les mémos vont à {1} par le serveur {2}"
        case .noCode:
            """
            Aucun code n’a été donné, personne n’est donc connecté. Exécutez de nouveau la \
            commande pour le saisir ou en recevoir un autre.
            """
        case .signedInFormerValid:
            """
            Connexion établie. L’ancien jeton de cet appareil n’a pas pu être révoqué et reste \
            valable sur son serveur\u{202F}; il ne peut écrire qu’à son propriétaire. Les mémos \
            sont en sécurité et partent avec le nouveau jeton. Pour révoquer l’ancien, \
            déconnectez-le dans la liste des appareils de l’application web.
            """
        case .signedOut:
            """
            Déconnecté. L’historique, le brouillon et les mémos non envoyés restent sur cet \
            appareil.
            """
        case .signedOutUntold:
            """
            Déconnecté ici, mais le serveur n’a pas pu être averti\u{00A0}: le jeton est supprimé \
            de cet appareil et reste valable sur le serveur, où il ne peut plus être révoqué. Il \
            ne pouvait écrire qu’à son propriétaire.
            """
        case .synced: "Tout est comme sur vos autres appareils."
        case .notConfirmed: "Modifications pas encore confirmées : {1}"
        case .lastSynced: "Dernière synchronisation : {1}"
        case .syncFailed:
            """
            Le serveur n’a pas pu être interrogé ({1}). Vos modifications restent sur cet \
            appareil et partiront au prochain memo sync.
            """
        case .settingAsked:
            """
            {1} a été modifié ici et sur un autre appareil. Tapez 1 pour garder la version de \
            cet appareil, 2 pour garder l’autre, Entrée pour décider plus tard.
            """
        case .unknownDevice:
            """
            Vous n’avez aucun appareil de cet identifiant. Rien n’a été modifié ; memo devices \
            les affiche.
            """
        case .noQuestion: "Il n’y a rien à choisir pour {1}. Rien n’a été modifié."
        case .deviceLeaving: "{1} sera déconnecté dès que le serveur sera joignable."
        case .elsewhere: "un autre appareil"
        case .eraseAccount: "Effacer le compte"
        case .eraseWarning:
            """
            Sur le serveur, tous les mémos, réglages et appareils de {1} seront effacés, sans \
            retour possible. Ce qui est sur vos appareils y reste. Pour les effacer, saisissez \
            le code reçu par e-mail :
            """
        case .accountErased:
            """
            Le compte est effacé sur le serveur, et cet appareil est déconnecté. Ce qui est sur \
            cet appareil y reste.
            """
        case .changesKept:
            """
            Modifications que le serveur n’a pas confirmées : {1}. Elles restent sur cet \
            appareil, chiffrées, jusqu’à votre prochaine connexion à ce compte. Pour y \
            renoncer : memo logout --discard-changes
            """
        case .relayNotURL:
            """
            Ce n’est pas l’URL d’un serveur. Rien n’a été modifié\u{202F}; elle ressemble à \
            https://relay.example.org
            """
        case .relayUnencrypted:
            """
            Le http non chiffré ne sert qu’à un serveur sur cette machine. Rien n’a été \
            envoyé\u{202F}; utilisez https.
            """
        case .relayUnreachable:
            """
            Le serveur {1} est injoignable. Rien n’a été modifié\u{202F}; vérifiez le réseau et \
            l’URL, que donne --relay, puis réessayez.
            """
        case .relayUntrusted:
            """
            Le certificat du serveur n’est pas digne de confiance, rien n’a donc été envoyé. \
            Vérifiez l’URL ou demandez à l’administrateur du serveur.
            """
        case .agentIdle: "Il ne reste rien à remettre."
        case .agentStopped: "Arrêté. Ce qui n’est pas parti reste enregistré."
        case .agentRunsElsewhere: "Un autre memo-agent s’en occupe\u{202F}; il a été prévenu."
        case .serviceRuns:
            """
            L’agent est installé comme service. Les mémos en attente partent sans appeler \
            memo\u{00A0}: à chaque ouverture de session, et toutes les 15 minutes.
            """
        case .serviceMissing:
            """
            L’agent n’est pas installé comme service. Les mémos restent enregistrés et partent \
            quand memo est appelé. Pour l’installer, exécutez\u{00A0}: memo agent install
            """
        case .serviceOutdated:
            """
            {1} n’est pas tel que cette version l’écrit pour ce dossier de données. Les mémos \
            restent enregistrés\u{202F}; exécutez\u{00A0}: memo agent install
            """
        case .serviceInactive:
            """
            Le gestionnaire de services n’exécute pas le service. Les mémos restent enregistrés \
            et partent quand memo est appelé. Pour le lancer, exécutez\u{00A0}: memo agent \
            install. Pour en voir la raison\u{00A0}: {1}
            """
        case .serviceUnreachable:
            """
            Aucun gestionnaire de services ne répond ici, le service ne tourne donc pas encore. \
            Il démarre à la prochaine session qui en a un\u{202F}; pour l’y lancer aussitôt, \
            exécutez\u{00A0}: memo agent install
            """
        case .serviceNeedsLogin:
            """
            Après un redémarrage de la machine, les mémos attendent votre ouverture de session. \
            Pour qu’ils partent avant, exécutez\u{00A0}: {1}
            """
        case .serviceWritten: "Écrit\u{00A0}: {1}"
        case .serviceUnchanged: "Inchangé\u{00A0}: {1}"
        case .serviceRemoved: "Supprimé\u{00A0}: {1}"
        case .serviceKept: "Conservé, car memo agent install ne l’a pas écrit\u{00A0}: {1}"
        case .serviceForeign:
            """
            {1} n’a pas été écrit par memo agent install. Rien n’a été modifié\u{202F}; \
            déplacez-le, puis exécutez de nouveau memo agent install.
            """
        case .serviceFailed:
            """
            Impossible de lire, d’écrire ou de supprimer {1} ({2}). Les mémos restent \
            enregistrés, mais le service peut être incomplet\u{202F}; corrigez cela, puis \
            relancez la commande.
            """
        case .serviceUnfit:
            """
            Aucun service ne peut avoir ce chemin ou cette valeur\u{00A0}: {1}. On y trouve un \
            guillemet, une barre oblique inverse ou un caractère non imprimable. Rien n’a été \
            modifié\u{202F}; choisissez un autre emplacement.
            """
        }
    }
}
