extension HelpText {
    var spanish: StaticString {
        switch self {
        case .helpUsage: "Uso:"
        case .helpArguments: "Argumentos:"
        case .helpOptions: "Opciones:"
        case .helpSubcommands: "Comandos:"
        case .helpDefault: "(predeterminado: {1})"
        case .helpStandard: "(predeterminado)"
        case .helpSee: "Más sobre un comando: {1}"
        case .helpManual: "Formatos, códigos de salida y entorno se explican en inglés en: {1}"
        case .showHelp: "Muestra esta ayuda."
        case .showVersion: "Muestra la versión."
        case .argumentMissing: "Falta {1}."
        case .limitNegative: "--limit no debe ser negativo."
        case .memoCommand:
            "Escriba una nota, envíela y encuéntrela en su propia bandeja de entrada."
        case .usageCompose: "escribir en el terminal (Ctrl-D envía, Ctrl-C sale)"
        case .usageWords: "envía las palabras, unidas por espacios"
        case .usageDashes: "envía las palabras, sean como sean"
        case .usageInput: "envía la entrada estándar, también: memo -"
        case .usageJSON: "muestra el identificador de la nota en JSON"
        case .usageDiscardDraft: "descarta el borrador que abriría el próximo memo"
        case .sending:
            """
            El envío termina cuando la nota está guardada de forma duradera en este \
            dispositivo; memo-agent la entrega en segundo plano. Un texto de la entrada \
            estándar pierde un salto de línea al final.
            """
        case .historyCommand:
            "Muestra las notas enviadas desde sus dispositivos, la última primero."
        case .historyLimit: "El máximo de notas que se muestran."
        case .historyResend: "Enviar de nuevo una nota que no llegó, como una nota nueva."
        case .historyShow: "Mostrar una nota entera, con su identificador."
        case .historyDelete:
            "Eliminar una nota de este dispositivo, también su texto; si espera, no se envía."
        case .memoIdentifier: "El identificador de la nota, tal como lo muestra memo history."
        case .printJSON: "Muestra JSON."
        case .outboxCommand: "Lo que aún no ha salido de este dispositivo."
        case .outboxList: "Muestra las entradas."
        case .outboxLimit: "El máximo de entradas de cada estado que se muestran."
        case .outboxShow: "Muestra una entrada y su nota."
        case .entry: "El identificador de la entrada, o entry:NUMBER."
        case .outboxWatch:
            "Muestra el estado de la bandeja de salida, ahora y tras cada cambio, hasta Ctrl-C."
        case .printJSONLines: "Muestra JSON, un objeto por línea."
        case .outboxRetry:
            "Intenta enseguida una entrada, o todas las que esperan o están detenidas."
        case .entryOrAll: "El identificador de la entrada, o entry:NUMBER; sin él, todas."
        case .outboxExport:
            "Muestra los bytes guardados de una entrada, para conservar copia de una ilegible."
        case .outboxDelete: "Elimina una entrada para siempre; su nota no se envía."
        case .settingsCommand: "Muestra los ajustes, o los cambia en todos sus dispositivos."
        case .settingLanguage:
            "El idioma: ja, en, es, fr, de, it, pt, ko, zh-Hans, ar; auto para el de $LANG."
        case .settingTemplate: "Cómo se forman los asuntos."
        case .settingSignature: "Lo que va debajo de cada nota; - lee la entrada estándar."
        case .settingKeyStore: "Dónde se guarda la clave: file, secret-service."
        case .settingRotate: "Cifra todo de nuevo con una clave nueva."
        case .doctorCommand:
            "Muestra el estado de este dispositivo y adónde van las notas; nada de lo escrito."
        case .loginCommand:
            "Verifica su dirección, para que las notas puedan salir: memo login ADDRESS."
        case .loginArguments: "La dirección, y --relay URL."
        case .logoutCommand:
            """
            Revoca el token de este dispositivo. El historial, el borrador y la bandeja de \
            salida quedan.
            """
        case .syncCommand: "Pone al día ajustes, estados y dispositivos con sus otros dispositivos."
        case .devicesCommand:
            "Muestra sus dispositivos, o cierra la sesión de uno: memo devices revoke ID."
        case .accountCommand: "Elimina su cuenta en el servidor: memo account delete."
        case .discardChanges:
            "Renuncia a los cambios de los ajustes que el servidor no ha confirmado."
        case .agentCommand: "Entrega lo que espera, en primer plano o como servicio."
        case .agentInstall:
            "Hace que el agente entregue sin llamar a memo: como servicio de systemd o launchd."
        case .agentUninstall: "Elimina el servicio; las notas siguen guardadas."
        case .agentStatus: "Muestra si el servicio está instalado y funciona, y qué hacer."
        case .runCommand: "Entrega lo guardado y termina."
        case .runOnce:
            """
            Hay un agente por carpeta de datos; otro solo lo llama. Termina cuando no queda \
            nada que intentar. Lo que hizo está en agent.log, en la carpeta de datos.
            """
        case .runJSON: "Muestra en JSON cómo terminó la ejecución."
        case .agentLogin: "Iniciar sesión: desde entonces las notas van a ADDRESS."
        case .signInCode:
            """
            El servidor envía un código a ADDRESS; escríbalo, o delo como una línea \
            de la entrada estándar. La URL de un servidor es https, o http en esta misma máquina.
            """
        case .signInAddress: "La dirección de correo a la que deben llegar las notas."
        case .signInRelay:
            "La URL del servidor. Predeterminada: $MEMO_RELAY, si no http://127.0.0.1:8080."
        case .resultJSON: "Muestra el resultado en JSON."
        case .agentLogout: "Cerrar sesión: el servidor revoca el token de este dispositivo."
        case .signOutKeeps:
            "El historial y las notas sin enviar quedan; salen tras el próximo inicio de sesión."
        case .memoAgentCommand: "Entrega notas en segundo plano; inicia y cierra sesión."
        }
    }
}
