extension AppText {
    var spanish: StaticString {
        switch self {
        case .memo: "Nota"
        case .send: "Enviar"
        case .sendWithShortcut: "Enviar ({1})"
        case .back: "Atrás"
        case .close: "Cerrar"
        case .cancel: "Cancelar"
        case .firstHint: "Escriba una nota y envíela. Llegará a su propia bandeja de entrada."
        case .saved: "Guardada. Llegará en breve a su bandeja de entrada."
        case .savedOffline: "Guardada. Saldrá cuando vuelva la conexión."
        case .savedSignedOut: "Guardada. Saldrá cuando haya iniciado sesión."
        case .savedUnreached: "Guardada. Saldrá cuando se pueda contactar con el servidor."
        case .savedLimited: "Guardada. El servidor pide esperar, así que saldrá algo más tarde."
        case .savedKept: "Guardada. La nota se conserva en este dispositivo."
        case .offline: "Sin conexión"
        case .unreached: "Servidor no disponible"
        case .waitingLong:
            "Hay una nota que espera desde hace más de una hora. Está a salvo en este dispositivo."
        case .notArrived: "Una nota no ha llegado. Su texto se conserva."
        case .notifyMe: "Avisarme cuando una nota no llegue"
        case .showQueue: "Mostrar"
        case .updateReady: "Hay una versión nueva. Su borrador se conserva."
        case .update: "Actualizar"
        case .memoTooLong:
            "La nota supera 1 MiB y no se ha enviado. El texto sigue aquí; acórtelo o divídalo."
        case .memoContainsNUL:
            """
            La nota contiene un carácter NUL, que el correo no admite, y no se ha enviado. El texto \
            sigue aquí; quite el carácter y envíelo de nuevo.
            """
        case .memoNotStored:
            """
            La nota no se pudo guardar y no se ha enviado. El texto sigue aquí; inténtelo de \
            nuevo.
            """
        case .storageFull:
            """
            No queda espacio y la nota no se ha enviado. El texto sigue aquí; libere espacio e \
            inténtelo de nuevo.
            """
        case .storageUnavailable:
            """
            Este navegador no permite que Simple Memo guarde nada. No se puede enviar; su texto \
            sigue aquí. Cópielo o abra Simple Memo en una ventana normal.
            """
        case .persistenceRefused:
            """
            Si falta espacio, el navegador puede eliminar notas que aún no han salido. Instalar la \
            aplicación lo hace menos probable.
            """
        case .draftNotSaved:
            """
            Ahora mismo no se puede guardar el borrador. El texto sigue aquí; no cierre esta \
            página hasta haberlo enviado.
            """
        case .shareMissed:
            """
            El texto compartido no llegó a la aplicación. Lo demás no se ve afectado; vuelva a \
            compartirlo.
            """
        case .shareOffered: "Otra aplicación o un sitio ha compartido un texto:"
        case .shareTake: "Añadir a la nota"
        case .shareDiscard: "Descartar"
        case .shareTooLong:
            """
            El texto compartido supera 1 MiB y no se ha aceptado. Lo demás no se ve afectado; \
            acórtelo y vuelva a compartirlo.
            """
        case .keyLost:
            """
            Falta la clave de las notas guardadas en este dispositivo. Se conservan, pero no se \
            pueden leer ni enviar. Los correos recibidos no se ven afectados. Para empezar de \
            nuevo, cierre la sesión.
            """
        case .databaseTooNew:
            """
            Los datos de este dispositivo los guardó una versión más reciente de Simple Memo. No \
            se ha cambiado nada. Recargue la página para actualizar.
            """
        case .insecureConnection:
            """
            Esta página no se abrió por https, así que las notas no se pueden guardar de forma \
            segura ni enviar. Su texto sigue aquí. Cópielo y abra Simple Memo por https.
            """
        case .otherTab:
            """
            En otra pestaña está abierta una versión anterior de Simple Memo. No se ha perdido \
            nada; cierre esa pestaña y recargue esta página.
            """
        case .signedOutElsewhere:
            """
            Otra pestaña cerró la sesión y eliminó todo en este dispositivo, así que la nota no \
            se ha guardado. El texto sigue aquí; cópielo y recargue la página.
            """
        case .appStopped:
            """
            La aplicación se ha detenido. El texto del campo se conserva; cópielo y recargue la \
            página. Las notas enviadas están a salvo.
            """
        case .tokenRevoked:
            """
            Este dispositivo ya no tiene la sesión iniciada. Sus notas se conservan aquí y \
            saldrán cuando vuelva a iniciarla.
            """
        case .signIn: "Iniciar sesión"
        case .history: "Historial"
        case .historyEmpty: "Aún no hay notas"
        case .historyMore: "Mostrar más"
        case .memoUnreadable: "No se puede abrir"
        case .showAll: "Mostrar todo ({1} caracteres)"
        case .statusQueued: "En espera"
        case .statusSent: "Enviada"
        case .statusDelivered: "Entregada"
        case .statusBounced: "Devuelta"
        case .statusExpired: "Caducada"
        case .statusRefused: "Rechazada"
        case .statusDeleted: "Eliminada"
        case .statusResent: "Enviada de nuevo"
        case .statusParked: "Requiere atención"
        case .statusUnreadable: "Ilegible"
        case .statusUnknown: "Desconocida"
        case .reasonSignedOut: "Se conserva aquí hasta que inicie sesión ({1})."
        case .reasonOffline: "Esperando la conexión ({1})."
        case .reasonRelay:
            "El servidor no responde ({1}). La nota se conserva y se volverá a intentar."
        case .reasonWait:
            "El servidor pide esperar ({1}). La nota se conserva y se enviará más tarde."
        case .reasonForeign:
            """
            No ha respondido el servidor, sino otra cosa, quizá la página de acceso de esta red \
            ({1}). La nota se conserva y se volverá a intentar.
            """
        case .reasonUntrusted:
            """
            El certificado del servidor no es de confianza ({1}). La nota se conserva y se \
            volverá a intentar.
            """
        case .reasonFailed:
            "El último intento ha fallado ({1}). La nota se conserva y se volverá a intentar."
        case .reasonRefused:
            """
            El servidor no la ha aceptado ({1}). Se conserva aquí; cámbiela y envíela de nuevo, o \
            elimínela.
            """
        case .reasonLost:
            """
            El servidor ha perdido lo que guardaba de esta nota ({1}). El texto se conserva \
            aquí; envíela de nuevo.
            """
        case .reasonBounced:
            """
            El servidor de correo la ha rechazado ({1}). El texto se conserva aquí; compruebe su \
            dirección y envíela de nuevo.
            """
        case .reasonMailboxFull:
            """
            Su bandeja de entrada está llena ({1}). El texto se conserva aquí; haga sitio y \
            envíela de nuevo.
            """
        case .reasonNoMailbox:
            """
            El servidor de correo no conoce su dirección ({1}). El texto se conserva aquí; \
            compruebe la dirección y envíela de nuevo.
            """
        case .reasonExpired:
            """
            El servidor de correo no la ha aceptado durante días ({1}). El texto se conserva \
            aquí; puede enviarla de nuevo.
            """
        case .reasonUnsupported:
            "Esta versión no puede enviarla ({1}). Se conserva aquí; actualice la aplicación."
        case .reasonUnreadable:
            "Está dañada y no se puede leer ({1}). Se conserva tal como está; puede eliminarla."
        case .copy: "Copiar"
        case .copied: "Copiado"
        case .copyFailed: "No se pudo copiar. Seleccione el texto y cópielo usted."
        case .resend: "Enviar de nuevo"
        case .resent: "Guardada de nuevo. Llegará en breve a su bandeja de entrada."
        case .delete: "Eliminar"
        case .deleteQuestion: "¿Eliminar esta nota?"
        case .deleteSentHint:
            "Desaparece de este dispositivo. El correo de su bandeja de entrada se conserva."
        case .deleteQueuedHint: "Aún no se ha enviado y no se enviará. Esto no se puede deshacer."
        case .settings: "Ajustes"
        case .address: "Dirección de correo"
        case .addressHint: "Sus notas llegan aquí."
        case .askCode: "Recibir un código por correo"
        case .codeSent: "Se ha enviado un código a esta dirección."
        case .longCode:
            "Introduzca el código largo del último correo de Simple Memo en su bandeja de entrada."
        case .code: "Código del correo"
        case .confirmCode: "Confirmar"
        case .signedInAs: "Las notas van a {1}"
        case .signedIn: "Sesión iniciada"
        case .addressInvalid: "No se puede enviar correo a esta dirección. Compruébela."
        case .codeInvalid: "El código tiene {1} cifras."
        case .codeRejected: "Este código es incorrecto. Compruébelo o pida uno nuevo."
        case .codeExpired: "Este código ha caducado. Pida uno nuevo."
        case .codeSpent: "No quedan intentos para este código. Pida uno nuevo."
        case .handleMissing:
            """
            El servidor solo acepta un código de la aplicación que lo pidió. Sus notas se conservan. \
            Pida un código nuevo; si se repite, actualice Simple Memo.
            """
        case .tooManyRequests: "Demasiados intentos. Podrá intentarlo de nuevo dentro de {1} s."
        case .tooManyRequestsLater: "Demasiados intentos. Inténtelo más tarde."
        case .relayUnreachable:
            """
            No se puede contactar con el servidor. No se ha perdido nada; compruebe la conexión e \
            inténtelo de nuevo.
            """
        case .relayFailed:
            "El servidor ha tenido un problema (HTTP {1}). No se ha perdido nada; inténtelo más tarde."
        case .notARelay:
            """
            No ha respondido el servidor, sino otra cosa, quizá la página de acceso de esta red. \
            No se ha perdido nada; compruebe la conexión e inténtelo de nuevo.
            """
        case .subjectTemplate: "Asunto"
        case .subjectTemplateHint:
            """
            {line} es la primera línea de la nota, {date} la fecha e {id} un código corto que \
            distingue los correos.
            """
        case .subjectPreview: "Ejemplo: {1}"
        case .templatePlaceholder:
            """
            Entre llaves solo pueden ir {line}, {date} e {id}, y {line} una sola vez. Se sigue \
            usando el asunto anterior.
            """
        case .templateBrace:
            """
            Falta la pareja de una llave. Para escribir una llave, ponga {{ o }}. Se sigue usando \
            el asunto anterior.
            """
        case .templateTooLong:
            "Este asunto es demasiado largo. Acórtelo; se sigue usando el anterior."
        case .signature: "Firma"
        case .signatureHint: "Se añade debajo de cada nota."
        case .signatureTooLong:
            "Esta firma es demasiado larga. Acórtela; se sigue usando la anterior."
        case .language: "Idioma"
        case .languageAutomatic: "Automático"
        case .devices: "Dispositivos"
        case .deviceCurrent: "Este dispositivo"
        case .deviceSince: "Desde {1}"
        case .deviceUsed: "Último uso: {1}"
        case .deviceQuestion: "¿Cerrar la sesión de este dispositivo?"
        case .deviceHint:
            "{1} ya no podrá enviar notas. Los correos de su bandeja de entrada se conservan."
        case .deviceSignedOut: "La sesión del dispositivo está cerrada."
        case .privacyOverlay: "Ocultar el texto cuando la aplicación esté en segundo plano"
        case .signOut: "Cerrar sesión"
        case .signOutQuestion: "¿Cerrar la sesión y eliminar todo de este dispositivo?"
        case .signOutHint:
            """
            El historial, el borrador y los ajustes se eliminan de este dispositivo. Los correos \
            de su bandeja de entrada se conservan.
            """
        case .signOutUnsent: "Notas sin enviar que se perderán: {1}"
        case .signOutConfirm: "Cerrar sesión y eliminar"
        case .signOutUntold:
            """
            Se ha eliminado todo de este dispositivo. No se pudo avisar al servidor, así que este \
            dispositivo puede seguir en su lista.
            """
        case .signOutKeep: "Cerrar sesión y conservar todo"
        case .signOutKept:
            """
            Sesión cerrada. Todo se conserva cifrado en este dispositivo hasta que vuelva a \
            iniciar sesión.
            """
        case .signOutKeptUntold:
            """
            Sesión cerrada. Todo se conserva en este dispositivo hasta que vuelva a iniciar \
            sesión. No se pudo avisar al servidor, así que este dispositivo puede seguir en su \
            lista.
            """
        case .settingsSaved: "Guardado"
        case .settingsNotSaved:
            "No se pudo guardar el cambio. Se sigue usando el ajuste anterior; inténtelo de nuevo."
        case .syncing: "Sincronizando"
        case .changesUnconfirmed: "Cambios aún sin confirmar: {1}"
        case .syncedAt: "Última sincronización: {1}"
        case .changeMet: "Otro dispositivo también ha cambiado esto. Allí: {1}"
        case .changeRefused: "Este cambio no se ha aceptado."
        case .edit: "Editar"
        case .writtenOn: "Escrito en {1}"
        case .writtenElsewhere: "Escrito en otro dispositivo"
        case .diagnostics: "Diagnóstico"
        case .queue: "Cola"
        case .queueEmpty: "No hay nada en espera"
        case .queued: "En espera: {1}"
        case .parked: "Requieren atención: {1}"
        case .quarantined: "Ilegibles: {1}"
        case .waitingSince: "Desde {1}"
        case .attempts: "Intentos: {1}"
        case .nextAttempt: "Próximo intento: {1}"
        case .retryNow: "Reintentar ahora"
        case .retryAll: "Reintentar todo ahora"
        case .timings: "Tiempos"
        case .timeToText: "Del inicio a poder escribir"
        case .sendToReset: "Del envío al campo vacío"
        case .timing: "Mediana {1} ms, último {2} ms, objetivo {3} ms"
        case .notMeasured: "Aún sin medir"
        case .log: "Últimos pasos"
        case .logRemoved: "Ha salido de la cola"
        case .ratingQuestion: "¿Qué le parece Simple Memo?"
        case .ratingStars: "Estrellas: {1} de 5"
        case .ratingDismiss: "Ahora no"
        case .ratingThanks: "Gracias por su valoración."
        case .hidden: "Oculto por privacidad"
        }
    }
}
