extension HelpText {
    var french: StaticString {
        switch self {
        case .helpUsage: "Utilisation :"
        case .helpArguments: "Arguments :"
        case .helpOptions: "Options :"
        case .helpSubcommands: "Commandes :"
        case .helpDefault: "(par défaut : {1})"
        case .helpStandard: "(par défaut)"
        case .helpSee: "Plus sur une commande : {1}"
        case .helpManual:
            "Formats, codes de sortie et environnement sont expliqués en anglais par : {1}"
        case .showHelp: "Affiche cette aide."
        case .showVersion: "Affiche la version."
        case .argumentMissing: "Il manque {1}."
        case .limitNegative: "--limit ne doit pas être négatif."
        case .memoCommand:
            "Écrire un mémo, l’envoyer et le trouver dans sa propre boîte de réception."
        case .usageCompose: "rédiger dans le terminal (Ctrl-D envoie, Ctrl-C quitte)"
        case .usageWords: "envoie les mots, séparés par des espaces"
        case .usageDashes: "envoie les mots, quelle que soit leur forme"
        case .usageInput: "envoie l’entrée standard, aussi : memo -"
        case .usageJSON: "affiche l’identifiant du mémo en JSON"
        case .sending:
            """
            L’envoi se termine lorsque le mémo est enregistré durablement sur cet appareil ; \
            memo-agent le remet en arrière-plan. Un texte de l’entrée standard perd un saut de \
            ligne final.
            """
        case .historyCommand: "Liste les mémos envoyés depuis cet appareil, le plus récent d’abord."
        case .historyLimit: "Le nombre maximal de mémos à lister."
        case .historyResend: "Renvoyer un mémo qui n’est pas arrivé, comme un nouveau mémo."
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
        case .entryOrAll: "L’identifiant de l’entrée, ou entry:NUMBER ; toutes, s’il manque."
        case .outboxExport:
            """
            Affiche les octets enregistrés d’une entrée, pour garder une copie d’une entrée \
            illisible.
            """
        case .outboxDelete: "Supprime définitivement une entrée ; son mémo n’est pas envoyé."
        case .settingsCommand: "Affiche les réglages de cet appareil, ou les modifie."
        case .settingLanguage:
            "La langue : ja, en, es, fr, de, it, pt, ko, zh-Hans, ar ; auto pour celle de $LANG."
        case .settingTemplate: "La façon de composer les objets."
        case .settingSignature: "Ce qui figure sous chaque mémo ; - lit l’entrée standard."
        case .settingKeyStore: "L’endroit où se trouve la clé : file, secret-service."
        case .settingRotate: "Scelle tout à nouveau avec une nouvelle clé."
        case .doctorCommand:
            "Affiche l’état de cet appareil ; rien de ce qui a été écrit, et aucune adresse."
        case .loginCommand:
            "Vérifie votre adresse, pour que les mémos puissent partir : memo login ADDRESS."
        case .loginArguments: "L’adresse, et --relay URL."
        case .logoutCommand:
            "Révoque le jeton de cet appareil. Historique, brouillon et boîte d’envoi restent."
        case .agentCommand: "Remet ce qui attend, au premier plan ou comme service."
        case .agentInstall:
            "Fait remettre par l’agent sans appeler memo : comme service de systemd ou de launchd."
        case .agentUninstall: "Supprime le service ; les mémos restent enregistrés."
        case .agentStatus: "Montre si le service est installé et tourne, et que faire."
        case .runCommand: "Remet ce qui est enregistré, puis se termine."
        case .runOnce:
            """
            Un seul agent tourne par dossier de données ; un second ne fait que l’appeler. Il \
            se termine quand il n’y a plus rien à tenter. Ce qu’il a fait figure dans agent.log \
            du dossier de données.
            """
        case .runJSON: "Affiche en JSON comment l’exécution s’est terminée."
        case .agentLogin: "Se connecter : les mémos vont dès lors à ADDRESS."
        case .signInCode:
            """
            Le relais envoie un code à ADDRESS ; saisissez-le, ou donnez-le sur \
            une ligne de l’entrée standard. L’URL d’un relais est en https, ou en http sur \
            cette machine même.
            """
        case .signInAddress: "L’adresse de courriel à laquelle les mémos doivent arriver."
        case .signInRelay: "L’URL du relais. Par défaut : $MEMO_RELAY, sinon http://127.0.0.1:8080."
        case .resultJSON: "Affiche le résultat en JSON."
        case .agentLogout: "Se déconnecter : le relais révoque le jeton de cet appareil."
        case .signOutKeeps:
            """
            L’historique et les mémos non envoyés restent ; ils partent après la prochaine \
            connexion.
            """
        case .memoAgentCommand: "Remet les mémos en arrière-plan ; connecte et déconnecte."
        }
    }
}
