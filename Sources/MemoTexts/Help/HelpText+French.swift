extension HelpText {
    var french: StaticString {
        switch self {
        case .helpUsage: "Utilisation\u{00A0}:"
        case .helpArguments: "Arguments\u{00A0}:"
        case .helpOptions: "Options\u{00A0}:"
        case .helpSubcommands: "Commandes\u{00A0}:"
        case .helpDefault: "(par défaut\u{00A0}: {1})"
        case .helpStandard: "(par défaut)"
        case .helpSee: "Plus sur une commande\u{00A0}: {1}"
        case .helpManual:
            "Formats, codes de sortie et environnement sont expliqués en anglais par\u{00A0}: {1}"
        case .showHelp: "Affiche cette aide."
        case .showVersion: "Affiche la version."
        case .argumentMissing: "Il manque {1}."
        case .limitNegative: "--limit ne doit pas être négatif."
        case .memoCommand:
            "Écrire un mémo, l’envoyer et le trouver dans sa propre boîte de réception."
        case .usageCompose: "rédiger dans le terminal (Ctrl-D envoie, Ctrl-C quitte)"
        case .usageWords: "envoie les mots, séparés par des espaces"
        case .usageDashes: "envoie les mots, quelle que soit leur forme"
        case .usageInput: "envoie l’entrée standard, aussi\u{00A0}: memo -"
        case .usageJSON: "affiche l’identifiant du mémo en JSON"
        case .usageDiscardDraft: "jette le brouillon que le prochain memo ouvrirait"
        case .sending:
            """
            L’envoi se termine lorsque le mémo est enregistré durablement sur cet appareil\u{202F}; \
            memo-agent le remet en arrière-plan. Un texte de l’entrée standard perd un saut de \
            ligne final.
            """
        case .historyCommand:
            "Liste les mémos envoyés depuis vos appareils, le plus récent d’abord."
        case .historyLimit: "Le nombre maximal de mémos à lister."
        case .historyResend: "Renvoyer un mémo qui n’est pas arrivé, comme un nouveau mémo."
        case .historyShow: "Affiche un mémo en entier, avec son identifiant."
        case .historyDelete:
            """
            Supprime un mémo de cet appareil, texte compris\u{202F}; s’il attend, il n’est pas \
            envoyé.
            """
        case .memoIdentifier: "L’identifiant du mémo, tel que memo history l’affiche."
        case .printJSON: "Affiche du JSON."
        case .outboxCommand: "Ce qui n’a pas encore quitté cet appareil."
        case .outboxList: "Liste les entrées."
        case .outboxLimit: "Le nombre maximal d’entrées à lister par état."
        case .outboxShow: "Affiche une entrée et son mémo."
        case .entry: "L’identifiant de l’entrée, ou entry:NUMBER."
        case .outboxWatch:
            """
            Affiche l’état de la boîte d’envoi, maintenant et après chaque changement, jusqu’à \
            Ctrl-C.
            """
        case .printJSONLines: "Affiche du JSON, un objet par ligne."
        case .outboxRetry: "Tente aussitôt une entrée, ou toutes celles en attente ou suspendues."
        case .entryOrAll: "L’identifiant de l’entrée, ou entry:NUMBER\u{202F}; toutes, s’il manque."
        case .outboxExport:
            """
            Affiche les octets enregistrés d’une entrée, pour garder une copie d’une entrée \
            illisible.
            """
        case .outboxDelete: "Supprime définitivement une entrée\u{202F}; son mémo n’est pas envoyé."
        case .settingsCommand: "Affiche les réglages, ou les modifie sur tous vos appareils."
        case .settingLanguage:
            "La langue\u{00A0}: ja, en, es, fr, de, it, pt, ko, zh-Hans, ar\u{202F}; auto pour celle de $LANG."
        case .settingTemplate: "La façon de composer l’objet des e-mails."
        case .settingSignature: "Ce qui figure sous chaque mémo\u{202F}; - lit l’entrée standard."
        case .settingKeyStore: "L’endroit où se trouve la clé\u{00A0}: file, secret-service."
        case .settingRotate: "Chiffre tout à nouveau avec une nouvelle clé."
        case .doctorCommand:
            "Affiche l’état de cet appareil et où vont les mémos, mais rien de ce qui a été écrit."
        case .loginCommand:
            "Vérifie votre adresse, pour que les mémos puissent partir\u{00A0}: memo login ADDRESS."
        case .loginArguments: "L’adresse, et --relay URL."
        case .logoutCommand:
            "Révoque le jeton de cet appareil. Historique, brouillon et boîte d’envoi restent."
        case .syncCommand: "Met réglages, états et appareils à jour avec vos autres appareils."
        case .devicesCommand:
            "Liste vos appareils, ou en déconnecte un\u{00A0}: memo devices revoke ID."
        case .accountCommand: "Efface votre compte sur le serveur\u{00A0}: memo account delete."
        case .discardChanges:
            "Abandonne les modifications de réglages que le serveur n’a pas confirmées."
        case .agentCommand: "Remet ce qui attend, au premier plan ou comme service."
        case .agentInstall:
            "Fait remettre par l’agent sans appeler memo\u{00A0}: comme service de systemd ou de launchd."
        case .agentUninstall: "Supprime le service\u{202F}; les mémos restent enregistrés."
        case .agentStatus: "Montre si le service est installé et tourne, et que faire."
        case .runCommand: "Remet ce qui est enregistré, puis se termine."
        case .runOnce:
            """
            Un seul agent tourne par dossier de données\u{202F}; un second ne fait que l’appeler. Il \
            se termine quand il n’y a plus rien à tenter. Ce qu’il a fait figure dans agent.log \
            du dossier de données.
            """
        case .runJSON: "Affiche en JSON comment l’exécution s’est terminée."
        case .agentLogin: "Se connecter\u{00A0}: les mémos vont dès lors à ADDRESS."
        case .signInCode:
            """
            Le serveur envoie un code à ADDRESS\u{202F}; saisissez-le, ou donnez-le sur \
            une ligne de l’entrée standard. L’URL d’un serveur est en https, ou en http sur \
            cette machine même.
            """
        case .signInAddress: "L’adresse e-mail à laquelle les mémos doivent arriver."
        case .signInRelay:
            "L’URL du serveur. Par défaut\u{00A0}: $MEMO_RELAY, sinon http://127.0.0.1:8080."
        case .resultJSON: "Affiche le résultat en JSON."
        case .agentLogout: "Se déconnecter\u{00A0}: le serveur révoque le jeton de cet appareil."
        case .signOutKeeps:
            """
            L’historique et les mémos non envoyés restent\u{202F}; ils partent après la prochaine \
            connexion.
            """
        case .memoAgentCommand: "Remet les mémos en arrière-plan\u{202F}; connecte et déconnecte."
        }
    }
}
