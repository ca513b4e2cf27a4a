extension CommandText {
    var spanish: StaticString {
        switch self {
        case .saved: "Guardada; llegará en breve a su bandeja de entrada."
        case .savedSignedOut: "Guardada. Saldrá cuando haya iniciado sesión: memo login DIRECCIÓN"
        case .savedNotLeaving: "Guardada. {1}"
        case .signedOutElsewhere:
            """
            Este dispositivo ya no tiene la sesión iniciada. Sus notas se conservan aquí y \
            saldrán cuando vuelva a iniciarla: memo login DIRECCIÓN
            """
        case .waitingLong:
            """
            Hay una nota que espera desde hace más de una hora. Está a salvo en este dispositivo; \
            véase: memo outbox
            """
        case .composeHint: "Ctrl-D envía, Ctrl-C sale, Ctrl-G teclas."
        case .composeKeys:
            """
            Ctrl-D envía. Ctrl-C sale, el borrador queda. Ctrl-X vacía el campo, Ctrl-Y \
            recupera. Ctrl-A, Ctrl-E: inicio, fin de la línea. Alt-B, Alt-F: por palabras. \
            Ctrl-W, Ctrl-U, Ctrl-K eliminan una palabra, hasta el inicio, hasta el fin. Ctrl-Z \
            suspende.
            """
        case .fieldEmptied: "El campo está vacío. Ctrl-Y recupera el texto."
        case .draftKept: "El borrador se conserva. Ejecute memo para seguir escribiendo."
        case .draftNotSaved: "El borrador no está guardado. {1}"
        case .draftLossAhead:
            "El borrador no está guardado. {1} Si pulsa Ctrl-C otra vez, saldrá y perderá el texto."
        case .draftLost: "Lo que ha escrito NO se conserva: no se pudo guardar el borrador. {1}"
        case .draftsDiscarded: "Borradores descartados: {1}"
        case .notSent: "No se ha enviado. {1}"
        case .needsTerminal:
            """
            Para escribir hace falta un terminal. No se ha enviado nada. Envíe un texto con: memo \
            TEXTO, o … | memo
            """
        case .usageHint:
            """
            No se ha enviado nada. Un texto que empieza con un guion o un subcomando: memo -- \
            TEXTO
            """
        case .argumentUnclear: "No se entendió el argumento {1}."
        case .didYouMean:
            """
            No se ha enviado nada. ¿Quería decir {1}? Para enviar las palabras como nota: memo \
            -- TEXTO
            """
        case .emptyMemo: "La nota está vacía, así que no hay nada que enviar."
        case .notUTF8:
            """
            La nota no es texto UTF-8 válido. No se ha enviado nada; conviértala y envíela de \
            nuevo.
            """
        case .containsNUL:
            """
            La nota contiene un carácter NUL, que el correo no admite. No se ha enviado nada; \
            quítelo y envíela de nuevo.
            """
        case .tooLong: "La nota supera los {1} bytes. No se ha enviado nada; acórtela o divídala."
        case .inputNotUTF8:
            """
            La entrada estándar no es UTF-8 válido en el byte {1}. No se ha enviado nada; \
            conviértala y envíela de nuevo.
            """
        case .inputUnreadable:
            """
            No se puede leer la entrada estándar ({1}). No se ha enviado nada; compruebe su \
            origen e inténtelo de nuevo.
            """
        case .outputFailed:
            """
            No se puede escribir en la salida estándar ({1}), así que el resultado está \
            incompleto. No se ha perdido nada de lo guardado; escriba en otro lugar.
            """
        case .outputFailedStored:
            """
            La nota está guardada, no la envíe de nuevo. Solo su identificador no se ha podido \
            escribir en la salida estándar ({1}); consulte: memo history
            """
        case .noDataFolder:
            """
            No hay carpeta donde guardar las notas. No se ha guardado nada; defina HOME, o \
            MEMO_HOME con una carpeta suya.
            """
        case .readOnly:
            """
            No se puede escribir en {1}. No se ha guardado nada; conserve el texto y permita la \
            escritura.
            """
        case .readingNeedsWriting:
            """
            No se puede escribir en {1}, y leer también lo necesita. No se ha cambiado nada; \
            permita la escritura, o copie la carpeta e indique la copia en MEMO_HOME.
            """
        case .diskFull:
            """
            El disco que contiene {1} está lleno. No se ha guardado nada; conserve el texto y \
            libere espacio.
            """
        case .folderUnusable:
            "No se puede usar {1} ({2}). No se ha guardado nada; conserve el texto."
        case .keyUnreadable:
            """
            No se puede leer el archivo de clave {1}. No se ha cambiado nada; permita que su \
            propietario lo lea.
            """
        case .keyPermissions:
            """
            Otros pueden leer el archivo de clave {1}. No se ha cambiado nada; ejecute: chmod 600 \
            '{1}'
            """
        case .keyDamaged:
            """
            El archivo de clave {1} no contiene una clave. No se ha cambiado nada; restáurelo de \
            una copia de seguridad.
            """
        case .keyMissing:
            """
            Falta el archivo de clave {1}, que los datos guardados necesitan. No se ha cambiado \
            nada; restáurelo de una copia de seguridad, o aparte toda la carpeta para empezar de \
            nuevo.
            """
        case .wrongKey:
            """
            Los datos guardados se cifraron con una clave distinta de {1}. No se ha guardado nada \
            y los datos se conservan tal como están; restaure el archivo de clave correcto.
            """
        case .keyringLocked:
            """
            El llavero que guarda la clave está bloqueado. No se ha cambiado nada; \
            desbloquéelo e inténtelo de nuevo.
            """
        case .keyringUnreachable:
            """
            El llavero que guarda la clave no responde aquí. No se ha cambiado nada; inténtelo \
            en la sesión de escritorio a la que pertenece.
            """
        case .keyringItemMissing:
            """
            El llavero ya no contiene la clave, y hay datos guardados que la necesitan. No se \
            ha cambiado nada; restaure el llavero desde una copia de seguridad.
            """
        case .keyStoreUnknown:
            "Aquí no hay un lugar para la clave llamado {1}. No se ha cambiado nada. Hay: {2}"
        case .keyCopyLeft:
            """
            La clave está en su archivo, pero no se pudo eliminar su copia del llavero. No se ha \
            perdido nada; inténtelo de nuevo cuando el llavero responda.
            """
        case .keyRotated:
            """
            Todo lo nuevo se cifra con una clave nueva. Entradas guardadas que se han vuelto a \
            cifrar: {1}
            """
        case .oldKeyKept:
            """
            La clave anterior se conserva al lado: hay otro programa de Simple Memo en marcha, \
            o una entrada no se puede leer.
            """
        case .busy:
            """
            Otro proceso mantuvo bloqueada la base de datos. No se ha guardado nada; inténtelo de \
            nuevo.
            """
        case .databaseDamaged:
            """
            {1} está dañado o no es una base de datos. No se ha guardado nada y se ha dejado tal \
            como está; restáurelo de una copia de seguridad o apártelo.
            """
        case .databaseInconsistent:
            """
            {1} está dañado. Puede que algunas notas de la bandeja de salida no se envíen \
            nunca o no aparezcan: compare memo outbox con memo history y vuelva a enviar lo \
            que falte.
            """
        case .logDamaged:
            """
            Parte de lo último que se guardó no se pudo releer: el registro de la base de \
            datos está dañado, o se cortó la corriente. Las notas anteriores están a salvo. \
            Mire las últimas con memo history y vuelva a enviar lo que falte. El registro se \
            conserva, cifrado, en {1}; elimine ese archivo para que termine este aviso.
            """
        case .databaseTooNew:
            """
            {1} lo escribió una versión más reciente de Simple Memo. No se ha cambiado nada; \
            actualice.
            """
        case .storageFailed:
            """
            La base de datos ha fallado ({1}). No se ha guardado nada; conserve \
            el texto.
            """
        case .unknownOperation:
            "Esa entrada no está en la bandeja de salida. No se ha cambiado nada; véase: memo outbox"
        case .unknownMemo:
            "El historial no tiene esa nota. No se ha cambiado nada; consulte: memo history"
        case .ambiguousIdentifier:
            """
            Varios identificadores empiezan o terminan así. No se ha cambiado nada; indique más. \
            Se muestran enteros con: --json
            """
        case .notResendable:
            """
            Solo una nota que no llegó se puede enviar de nuevo, y una sola vez. El historial \
            no tiene tal nota con ese identificador y no se ha enviado nada; véase: memo history
            """
        case .entryDamaged:
            """
            La entrada está dañada y no se puede leer. Se conserva tal como está y no se envía; \
            restaure la base de datos de una copia de seguridad, o elimine la entrada.
            """
        case .memoDeleted:
            """
            Eliminada de este dispositivo. Un correo que ya haya llegado se queda en su bandeja \
            de entrada.
            """
        case .accountDamaged:
            """
            La cuenta guardada está dañada y no se puede leer. Las notas siguen guardadas; inicie \
            sesión de nuevo con: memo login DIRECCIÓN
            """
        case .settingsDamaged:
            """
            Los ajustes guardados están dañados y no se pueden leer. Las notas se envían sin \
            ellos; defínalos de nuevo con: memo settings
            """
        case .agentSilent:
            """
            Otro memo-agent se encarga de entregar y no responde. Las notas siguen guardadas; \
            termine ese proceso o inténtelo más tarde.
            """
        case .noAccount:
            "Nadie ha iniciado sesión. Las notas siguen guardadas; ejecute: memo login DIRECCIÓN"
        case .agentNotStarted:
            """
            No se pudo iniciar el programa que entrega ({1}). La nota está guardada y saldrá la \
            próxima vez que se inicie: memo agent
            """
        case .agentFailed:
            """
            El programa que entrega no pudo trabajar la última vez ({1}). Las notas están \
            guardadas y a salvo; consulte: memo doctor
            """
        case .agentCannotWork:
            """
            El programa que entrega no puede trabajar ({1}). Las notas guardadas están a salvo, \
            pero no salen. Para ver el motivo: memo agent
            """
        case .entriesNeedPerson:
            """
            Entradas de la bandeja de salida que requieren su atención: {1}. Están a salvo en \
            este dispositivo; consulte: memo outbox
            """
        case .memosNotArrived:
            """
            Notas que no han llegado y que aún no ha visto: {1}. Sus textos se conservan; \
            consulte: memo history
            """
        case .relayUnreached:
            """
            El servidor {1} no acepta notas desde {2} ({3}). Notas que esperan: {4}. Están a \
            salvo y saldrán por sí solas.
            """
        case .folderLacksLocks:
            """
            El sistema de archivos de {1} carece de bloqueos o de memoria compartida. No se ha \
            guardado nada; conserve el texto e indique en MEMO_HOME una carpeta de un disco \
            local.
            """
        case .agentMissing:
            """
            No se puede iniciar memo-agent ({1}). Las notas siguen guardadas. Debe estar en la \
            misma carpeta que memo o en la ruta de búsqueda.
            """
        case .outboxEmpty: "La bandeja de salida está vacía."
        case .outboxRetried: "Notas que se intentan ahora: {1}"
        case .folder: "Carpeta de datos"
        case .key: "Clave"
        case .keyPresent: "presente"
        case .keyIsMissing: "falta"
        case .keyIsOpen: "otros pueden leerla"
        case .keyIsUnreadable: "no se puede leer"
        case .keyInKeyring: "en el llavero"
        case .signedIn: "Sesión iniciada"
        case .server: "Servidor"
        case .yes: "sí"
        case .notSignedIn: "no; ejecute: memo login DIRECCIÓN"
        case .noLongerSignedIn: "ya no; ejecute: memo login DIRECCIÓN"
        case .codeEntryWaits: "todavía no; para introducir el código, ejecute: memo login DIRECCIÓN"
        case .outbox: "Bandeja de salida"
        case .outboxUnreadable: "no se puede leer"
        case .oldest: "La más antigua: {1}"
        case .seconds: "{1} s"
        case .minutes: "{1} min"
        case .hours: "{1} h"
        case .days: "{1} d"
        case .nextAttemptIn: "Próximo intento en {1}"
        case .newsAsOf:
            """
            No se ha podido preguntar al servidor. Lo que sabe de las notas enviadas se muestra \
            a fecha de {1}.
            """
        case .newsNever:
            """
            Aún no se ha podido preguntar al servidor. Puede saber más de las notas enviadas de \
            lo que se muestra.
            """
        case .agentErrors: "Errores de entrega"
        case .none: "ninguno"
        case .problem: "Problema"
        case .unknownLanguage:
            "Aquí no existe el idioma {1}. Se sigue usando el ajuste anterior; elija uno de: {2}"
        case .settingsReplaced:
            "Los ajustes guardados antes no se pudieron leer y se han sustituido por completo."
        case .codePrompt: "Escriba el código recibido por correo:"
        case .codePending: "Se envió un código a las {1}. Pulse solo Intro para recibir otro."
        case .codeWrong:
            """
            Este código no es correcto. Intentos restantes: {1}. Pulse solo Intro para recibir \
            otro.
            """
        case .codeNoTries:
            """
            Este código no es correcto y no quedan intentos, así que nadie ha iniciado sesión. \
            Ejecute el comando de nuevo para recibir otro.
            """
        case .codeExpired:
            """
            Este código ha caducado, así que nadie ha iniciado sesión. Ejecute el comando de \
            nuevo para recibir otro.
            """
        case .signedInTo: "Sesión iniciada. Las notas llegan a {1} por el servidor {2}"
        case .noCode:
            """
            No se ha dado ningún código, así que nadie ha iniciado sesión. Ejecute el comando de \
            nuevo para introducirlo o recibir otro.
            """
        case .signedInFormerValid:
            """
            Sesión iniciada. El token anterior de este dispositivo no se pudo revocar y sigue \
            siendo válido en su servidor; solo puede escribir a su propietario. Las notas están a \
            salvo y salen con el token nuevo. Para revocar el anterior, cierre su sesión en la \
            lista de dispositivos de la aplicación web.
            """
        case .signedOut:
            """
            Sesión cerrada. El historial, el borrador y las notas sin enviar siguen en este \
            dispositivo.
            """
        case .signedOutUntold:
            """
            Sesión cerrada aquí, pero no se pudo avisar al servidor: el token se ha eliminado \
            de este dispositivo y sigue siendo válido en el servidor, donde ya no se puede \
            revocar. Solo podía enviar correo a su propietario.
            """
        case .synced: "Todo está como en sus otros dispositivos."
        case .notConfirmed: "Cambios aún no confirmados: {1}"
        case .lastSynced: "Última sincronización: {1}"
        case .syncFailed:
            """
            No se pudo consultar al servidor ({1}). Lo que usted cambió queda en este \
            dispositivo y se envía con el próximo memo sync.
            """
        case .settingAsked:
            """
            {1} se cambió aquí y en otro dispositivo. Escriba 1 para conservar la versión de \
            este dispositivo, 2 para conservar la otra, Intro para decidir más tarde.
            """
        case .unknownDevice:
            """
            Usted no tiene ningún dispositivo con este identificador. No se cambió nada; memo \
            devices los muestra.
            """
        case .noQuestion: "No hay nada que elegir para {1}. No se cambió nada."
        case .deviceLeaving: "La sesión de {1} se cierra en cuanto el servidor esté accesible."
        case .elsewhere: "otro dispositivo"
        case .eraseAccount: "Eliminar cuenta"
        case .eraseWarning:
            """
            En el servidor se eliminarán todas las notas, los ajustes y los dispositivos de \
            {1}; no se puede deshacer. Lo que hay en sus dispositivos queda allí. Para \
            eliminarlos, escriba el código del correo:
            """
        case .accountErased:
            """
            La cuenta está eliminada en el servidor y la sesión de este dispositivo, cerrada. \
            Lo que hay en este dispositivo queda aquí.
            """
        case .changesKept:
            """
            Cambios que el servidor no ha confirmado: {1}. Quedan cifrados en este dispositivo \
            hasta que vuelva a iniciar sesión en esta cuenta. Para renunciar a ellos: memo \
            logout --discard-changes
            """
        case .relayNotURL:
            """
            Eso no es la URL de un servidor. No se ha cambiado nada; tiene la forma \
            https://relay.example.org
            """
        case .relayUnencrypted:
            """
            El http sin cifrar solo sirve para un servidor en este equipo. No se ha enviado nada; \
            use https.
            """
        case .relayUnreachable:
            """
            No se puede contactar con el servidor {1}. No se ha cambiado nada; compruebe la red \
            y la URL, que indica --relay, e inténtelo de nuevo.
            """
        case .relayUntrusted:
            """
            El certificado del servidor no es de confianza, así que no se ha enviado nada. \
            Compruebe la URL o pregunte a quien administra el servidor.
            """
        case .agentIdle: "No queda nada por entregar."
        case .agentStopped: "Detenido. Lo que no ha salido sigue guardado."
        case .agentRunsElsewhere: "Otro memo-agent está entregando; se le ha avisado."
        case .serviceRuns:
            """
            El agente está instalado como servicio. Las notas que esperan salen sin llamar a \
            memo: en cada inicio de sesión y cada 15 minutos.
            """
        case .serviceMissing:
            """
            El agente no está instalado como servicio. Las notas siguen guardadas y salen al \
            llamar a memo. Para instalarlo, ejecute: memo agent install
            """
        case .serviceOutdated:
            """
            {1} no es como lo escribe esta versión para esta carpeta de datos. Las notas siguen \
            guardadas; ejecute: memo agent install
            """
        case .serviceInactive:
            """
            El gestor de servicios no ejecuta el servicio. Las notas siguen guardadas y salen al \
            llamar a memo. Para iniciarlo, ejecute: memo agent install. Para ver por qué no \
            funciona: {1}
            """
        case .serviceUnreachable:
            """
            Aquí no responde ningún gestor de servicios, así que el servicio aún no funciona. Se \
            inicia con la próxima sesión que tenga uno; para iniciarlo allí enseguida, ejecute: \
            memo agent install
            """
        case .serviceNeedsLogin:
            """
            Tras reiniciar la máquina, las notas esperan a que inicie sesión. Para que salgan \
            antes, ejecute: {1}
            """
        case .serviceWritten: "Escrito: {1}"
        case .serviceUnchanged: "Sin cambios: {1}"
        case .serviceRemoved: "Eliminado: {1}"
        case .serviceKept: "Conservado, porque no lo escribió memo agent install: {1}"
        case .serviceForeign:
            """
            {1} no lo escribió memo agent install. No se ha cambiado nada; muévalo a otro lugar y \
            ejecute de nuevo memo agent install.
            """
        case .serviceFailed:
            """
            No se puede leer, escribir o eliminar {1} ({2}). Las notas siguen guardadas, pero el \
            servicio puede estar a medias; corríjalo y ejecute de nuevo el comando.
            """
        case .serviceUnfit:
            """
            Ningún servicio puede tener esta ruta o este valor: {1}. Contiene unas comillas, una \
            barra invertida o un carácter no imprimible. No se ha cambiado nada; elija otro lugar.
            """
        }
    }
}
