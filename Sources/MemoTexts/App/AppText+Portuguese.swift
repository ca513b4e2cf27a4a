extension AppText {
    var portuguese: StaticString {
        switch self {
        case .memo: "Nota"
        case .send: "Enviar"
        case .sendWithShortcut: "Enviar ({1})"
        case .back: "Voltar"
        case .close: "Fechar"
        case .cancel: "Cancelar"
        case .firstHint: "Escreva uma nota e envie-a. Ela chega à sua própria caixa de entrada."
        case .saved: "Nota salva. Chegará em breve à sua caixa de entrada."
        case .savedOffline: "Nota salva. Será enviada quando a conexão voltar."
        case .savedSignedOut: "Nota salva. Será enviada quando você entrar na conta."
        case .savedUnreached:
            "Nota salva. Será enviada assim que for possível conectar ao servidor."
        case .savedLimited:
            "Nota salva. O servidor pede para aguardar; ela será enviada um pouco mais tarde."
        case .savedKept: "Nota salva. Ela é mantida neste dispositivo."
        case .offline: "Sem conexão"
        case .unreached: "Servidor indisponível"
        case .waitingLong:
            "Uma nota está esperando há mais de uma hora. Ela está segura neste dispositivo."
        case .notArrived: "Uma nota não chegou. O texto dela é mantido."
        case .notifyMe: "Avisar quando uma nota não chegar"
        case .showQueue: "Mostrar"
        case .updateReady: "Uma nova versão está pronta. Seu rascunho será mantido."
        case .update: "Atualizar"
        case .memoTooLong:
            "A nota passa de 1 MiB e não foi enviada. O texto continua aqui; encurte-o ou divida-o."
        case .memoContainsNUL:
            """
            A nota contém um caractere NUL, que o e-mail não transporta, e não foi enviada. O texto \
            continua aqui; remova o caractere e envie-o novamente.
            """
        case .memoNotStored:
            """
            Não foi possível salvar a nota, e ela não foi enviada. O texto continua aqui; tente \
            novamente.
            """
        case .storageFull:
            """
            O armazenamento está cheio, e a nota não foi enviada. O texto continua aqui; libere \
            espaço e tente novamente.
            """
        case .storageUnavailable:
            """
            Este navegador não permite que o Simple Memo salve dados. Não é possível enviar; seu \
            texto continua aqui. Copie-o ou abra o Simple Memo em uma janela normal.
            """
        case .persistenceRefused:
            """
            Se faltar espaço, o navegador pode excluir notas ainda não enviadas. Instalar o app \
            torna isso menos provável.
            """
        case .draftNotSaved:
            """
            No momento não é possível salvar o rascunho. O texto continua aqui; mantenha esta \
            página aberta até enviá-lo.
            """
        case .shareMissed:
            """
            O texto compartilhado não chegou ao app. Nada mais foi afetado; compartilhe-o \
            novamente.
            """
        case .shareOffered: "Outro app ou site compartilhou um texto:"
        case .shareTake: "Acrescentar à nota"
        case .shareDiscard: "Descartar"
        case .shareTooLong:
            """
            O texto compartilhado passa de 1 MiB e não foi aceito. Nada mais foi afetado; \
            encurte-o e compartilhe-o novamente.
            """
        case .keyLost:
            """
            Falta a chave das notas salvas neste dispositivo. Elas são mantidas, mas não podem \
            ser lidas nem enviadas. Os e-mails recebidos não são afetados. Para recomeçar, saia \
            da conta.
            """
        case .databaseTooNew:
            """
            Os dados deste dispositivo foram salvos por uma versão mais nova do Simple Memo. Nada \
            foi alterado. Recarregue a página para atualizar.
            """
        case .insecureConnection:
            """
            Esta página não foi aberta por https, por isso as notas não podem ser salvas com \
            segurança nem enviadas. Seu texto continua aqui. Copie-o e abra o Simple Memo por \
            https.
            """
        case .otherTab:
            """
            Outra aba está com uma versão mais antiga do Simple Memo. Nada foi perdido; feche \
            essa aba e recarregue esta página.
            """
        case .signedOutElsewhere:
            """
            Outra aba encerrou a sessão e excluiu tudo neste dispositivo; por isso a nota não \
            foi salva. O texto continua aqui; copie-o e recarregue a página.
            """
        case .appStopped:
            """
            O app parou. O texto no campo foi mantido; copie-o e recarregue a página. As notas \
            enviadas estão seguras.
            """
        case .tokenRevoked:
            """
            Este dispositivo não está mais conectado à conta. Suas notas são mantidas aqui e \
            serão enviadas quando você entrar novamente.
            """
        case .signIn: "Entrar"
        case .history: "Histórico"
        case .historyEmpty: "Ainda não há notas"
        case .historyMore: "Mostrar mais"
        case .memoUnreadable: "Não pode ser aberta"
        case .showAll: "Mostrar tudo ({1} caracteres)"
        case .statusQueued: "Na fila"
        case .statusSent: "Enviada"
        case .statusDelivered: "Entregue"
        case .statusBounced: "Devolvida"
        case .statusExpired: "Expirada"
        case .statusRefused: "Recusada"
        case .statusDeleted: "Excluída"
        case .statusResent: "Enviada novamente"
        case .statusParked: "Requer atenção"
        case .statusUnreadable: "Ilegível"
        case .statusUnknown: "Desconhecida"
        case .reasonSignedOut: "Mantida aqui até você entrar na conta ({1})."
        case .reasonOffline: "Aguardando a conexão ({1})."
        case .reasonRelay:
            "O servidor não responde ({1}). A nota é mantida e o envio será tentado de novo."
        case .reasonWait:
            "O servidor pede para aguardar ({1}). A nota é mantida e será enviada mais tarde."
        case .reasonForeign:
            """
            Quem respondeu não foi o servidor; talvez a página de acesso desta rede ({1}). A \
            nota é mantida e o envio será tentado de novo.
            """
        case .reasonUntrusted:
            """
            O certificado do servidor não é confiável ({1}). A nota é mantida e o envio será \
            tentado de novo.
            """
        case .reasonFailed:
            "A última tentativa falhou ({1}). A nota é mantida e o envio será tentado de novo."
        case .reasonRefused:
            """
            O servidor não a aceitou ({1}). Ela é mantida aqui; altere-a e envie novamente, ou \
            exclua-a.
            """
        case .reasonLost:
            """
            O servidor perdeu o que tinha salvo desta nota ({1}). O texto é mantido aqui; \
            envie-a novamente.
            """
        case .reasonBounced:
            """
            O servidor de e-mail a recusou ({1}). O texto é mantido aqui; confira seu endereço e \
            envie novamente.
            """
        case .reasonMailboxFull:
            """
            Sua caixa de entrada está cheia ({1}). O texto é mantido aqui; libere espaço e envie \
            novamente.
            """
        case .reasonNoMailbox:
            """
            O servidor de e-mail não conhece seu endereço ({1}). O texto é mantido aqui; confira \
            o endereço e envie novamente.
            """
        case .reasonExpired:
            """
            O servidor de e-mail não a aceitou por vários dias ({1}). O texto é mantido aqui; \
            você pode enviá-la novamente.
            """
        case .reasonUnsupported:
            "Esta versão não consegue enviá-la ({1}). Ela é mantida aqui; atualize o app."
        case .reasonUnreadable:
            "Está danificada e não pode ser lida ({1}). É mantida como está; você pode excluí-la."
        case .copy: "Copiar"
        case .copied: "Copiado"
        case .copyFailed: "Não foi possível copiar. Selecione o texto e copie-o manualmente."
        case .resend: "Enviar novamente"
        case .resent: "Nota salva novamente. Chegará em breve à sua caixa de entrada."
        case .delete: "Excluir"
        case .deleteQuestion: "Excluir esta nota?"
        case .deleteSentHint:
            "Ela desaparece deste dispositivo. O e-mail na sua caixa de entrada permanece."
        case .deleteQueuedHint: "Ela ainda não foi enviada e não será. Isso não pode ser desfeito."
        case .settings: "Ajustes"
        case .address: "Endereço de e-mail"
        case .addressHint: "Suas notas chegam aqui."
        case .askCode: "Receber um código por e-mail"
        case .codeSent: "Um código está a caminho deste endereço."
        case .longCode:
            "Digite o código longo do último e-mail do Simple Memo na sua caixa de entrada."
        case .code: "Código do e-mail"
        case .confirmCode: "Confirmar"
        case .signedInAs: "As notas vão para {1}"
        case .signedIn: "Conectado"
        case .addressInvalid: "Não é possível enviar e-mail para este endereço. Confira-o."
        case .codeInvalid: "O código tem {1} dígitos."
        case .codeRejected: "Este código está errado. Confira-o ou peça um novo."
        case .codeExpired: "Este código expirou. Peça um novo."
        case .codeSpent: "Não restam tentativas para este código. Peça um novo."
        case .handleMissing:
            """
            O servidor só aceita um código do app que o pediu. Suas notas são mantidas. \
            Peça um novo código; se isto se repetir, atualize o Simple Memo.
            """
        case .tooManyRequests: "Tentativas demais. Você poderá tentar novamente em {1} s."
        case .tooManyRequestsLater: "Tentativas demais. Tente novamente mais tarde."
        case .relayUnreachable:
            """
            Não foi possível conectar ao servidor. Nada foi perdido; verifique a conexão e tente \
            novamente.
            """
        case .relayFailed:
            "O servidor teve um problema (HTTP {1}). Nada foi perdido; tente novamente mais tarde."
        case .notARelay:
            """
            Quem respondeu não foi o servidor; talvez a página de acesso desta rede. Nada foi \
            perdido; verifique a conexão e tente novamente.
            """
        case .subjectTemplate: "Assunto"
        case .subjectTemplateHint:
            """
            {line} é a primeira linha da nota, {date} a data, {id} um código curto que diferencia \
            os e-mails.
            """
        case .subjectPreview: "Exemplo: {1}"
        case .templatePlaceholder:
            """
            Entre chaves só podem ficar {line}, {date} e {id}, e {line} uma única vez. O assunto \
            anterior continua em uso.
            """
        case .templateBrace:
            """
            Uma chave está sem par. Para a própria chave, escreva {{ ou }}. O assunto anterior \
            continua em uso.
            """
        case .templateTooLong: "Este assunto é longo demais. Encurte-o; o anterior continua em uso."
        case .signature: "Assinatura"
        case .signatureHint: "Acrescentada abaixo de cada nota."
        case .signatureTooLong:
            "Esta assinatura é longa demais. Encurte-a; a anterior continua em uso."
        case .language: "Idioma"
        case .languageAutomatic: "Automático"
        case .devices: "Dispositivos"
        case .deviceCurrent: "Este dispositivo"
        case .deviceSince: "Desde {1}"
        case .deviceUsed: "Último uso: {1}"
        case .deviceQuestion: "Desconectar este dispositivo?"
        case .deviceHint:
            "{1} não poderá mais enviar notas. Os e-mails na sua caixa de entrada permanecem."
        case .deviceSignedOut: "O dispositivo está desconectado."
        case .privacyOverlay: "Ocultar o texto quando o app estiver em segundo plano"
        case .signOut: "Sair"
        case .signOutQuestion: "Sair e excluir tudo deste dispositivo?"
        case .signOutHint:
            """
            O histórico, o rascunho e os ajustes são excluídos deste dispositivo. Os e-mails na \
            sua caixa de entrada permanecem.
            """
        case .signOutUnsent: "Notas não enviadas que serão perdidas: {1}"
        case .signOutConfirm: "Sair e excluir"
        case .signOutUntold:
            """
            Tudo foi excluído deste dispositivo. Não foi possível avisar o servidor; este \
            dispositivo talvez ainda esteja na lista dele.
            """
        case .signOutKeep: "Sair e manter tudo"
        case .signOutKept: "Você saiu. Tudo fica cifrado neste dispositivo até você entrar de novo."
        case .signOutKeptUntold:
            """
            Você saiu. Tudo fica neste dispositivo até você entrar de novo. Não foi possível \
            avisar o servidor, e este dispositivo pode continuar na lista dele.
            """
        case .settingsSaved: "Salvo"
        case .settingsNotSaved:
            """
            Não foi possível salvar a alteração. O ajuste anterior continua em uso; tente \
            novamente.
            """
        case .syncing: "Sincronizando"
        case .changesUnconfirmed: "Alterações ainda não confirmadas: {1}"
        case .syncedAt: "Última sincronização: {1}"
        case .changeMet: "Outro dispositivo também alterou isto. Lá: {1}"
        case .changeRefused: "Esta alteração não foi aceita."
        case .edit: "Editar"
        case .writtenOn: "Escrito em {1}"
        case .writtenElsewhere: "Escrito em outro dispositivo"
        case .diagnostics: "Diagnóstico"
        case .queue: "Fila"
        case .queueEmpty: "Nada na fila"
        case .queued: "Na fila: {1}"
        case .parked: "Requerem atenção: {1}"
        case .quarantined: "Ilegíveis: {1}"
        case .waitingSince: "Desde {1}"
        case .attempts: "Tentativas: {1}"
        case .nextAttempt: "Próxima tentativa: {1}"
        case .retryNow: "Tentar agora"
        case .retryAll: "Tentar tudo agora"
        case .timings: "Tempos"
        case .timeToText: "Do início até poder digitar"
        case .sendToReset: "Do envio até o campo vazio"
        case .timing: "Mediana {1} ms, último {2} ms, meta {3} ms"
        case .notMeasured: "Ainda não medido"
        case .log: "Últimas etapas"
        case .logRemoved: "Saiu da fila"
        case .ratingQuestion: "O que você acha do Simple Memo?"
        case .ratingStars: "Estrelas: {1} de 5"
        case .ratingDismiss: "Agora não"
        case .ratingThanks: "Agradecemos a sua avaliação."
        case .hidden: "Oculto por privacidade"
        }
    }
}
