extension CommandText {
    var portuguese: StaticString {
        switch self {
        case .saved: "Nota salva; chegará em breve à sua caixa de entrada."
        case .savedSignedOut:
            "Nota salva. Será enviada quando você entrar na conta: memo login ENDEREÇO"
        case .savedNotLeaving: "Nota salva. {1}"
        case .signedOutElsewhere:
            """
            Este dispositivo não está mais conectado à conta. Suas notas são mantidas aqui e \
            serão enviadas quando você entrar novamente: memo login ENDEREÇO
            """
        case .waitingLong:
            """
            Uma nota está esperando há mais de uma hora. Ela está segura neste dispositivo; veja: \
            memo outbox
            """
        case .composeHint: "Ctrl-D envia, Ctrl-C sai, Ctrl-G teclas."
        case .composeKeys:
            """
            Ctrl-D envia. Ctrl-C sai, o rascunho fica. Ctrl-X esvazia o campo, Ctrl-Y recupera. \
            Ctrl-A, Ctrl-E: início, fim da linha. Alt-B, Alt-F: por palavras. Ctrl-W, Ctrl-U, \
            Ctrl-K excluem uma palavra, até o início, até o fim. Ctrl-Z suspende.
            """
        case .fieldEmptied: "O campo está vazio. Ctrl-Y recupera o texto."
        case .draftKept: "O rascunho foi mantido. Execute memo para continuar escrevendo."
        case .draftNotSaved: "O rascunho não está salvo. {1}"
        case .draftLossAhead: "O rascunho não está salvo. {1} Mais um Ctrl-C sai e perde o texto."
        case .draftLost:
            "O que você escreveu NÃO foi mantido: não foi possível salvar o rascunho. {1}"
        case .draftsDiscarded: "Rascunhos descartados: {1}"
        case .notSent: "Não enviada. {1}"
        case .needsTerminal:
            """
            Para escrever é preciso um terminal. Nada foi enviado. Envie um texto com: memo \
            TEXTO, ou … | memo
            """
        case .usageHint:
            "Nada foi enviado. Um texto que começa com hífen ou subcomando: memo -- TEXTO"
        case .argumentUnclear: "O argumento {1} não foi entendido."
        case .didYouMean:
            """
            Nada foi enviado. Você quis dizer {1}? Para enviar as palavras como nota: memo -- TEXTO
            """
        case .emptyMemo: "A nota está vazia, portanto não há nada a enviar."
        case .notUTF8:
            "A nota não é texto UTF-8 válido. Nada foi enviado; converta-a e envie novamente."
        case .containsNUL:
            """
            A nota contém um caractere NUL, que o e-mail não transporta. Nada foi enviado; \
            remova-o e envie a nota novamente.
            """
        case .tooLong: "A nota passa de {1} bytes. Nada foi enviado; encurte-a ou divida-a."
        case .inputNotUTF8:
            """
            A entrada padrão não é UTF-8 válido no byte {1}. Nada foi enviado; converta-a e envie \
            novamente.
            """
        case .inputUnreadable:
            """
            Não foi possível ler a entrada padrão ({1}). Nada foi enviado; verifique a origem e \
            tente novamente.
            """
        case .outputFailed:
            """
            Não é possível escrever na saída padrão ({1}), portanto o resultado está incompleto. \
            Nada do que está salvo se perdeu; escreva em outro lugar.
            """
        case .outputFailedStored:
            """
            A nota está salva, não a envie de novo. Só o identificador não pôde ser escrito na \
            saída padrão ({1}); veja: memo history
            """
        case .noDataFolder:
            """
            Não há pasta para guardar as notas. Nada foi salvo; defina HOME, ou MEMO_HOME com uma \
            pasta sua.
            """
        case .readOnly:
            "Não é possível gravar em {1}. Nada foi salvo; guarde o texto e permita a gravação."
        case .readingNeedsWriting:
            """
            Não é possível escrever em {1}, e a leitura também precisa disso. Nada foi alterado; \
            permita a escrita, ou copie a pasta e defina MEMO_HOME para a cópia.
            """
        case .diskFull:
            "O disco que contém {1} está cheio. Nada foi salvo; guarde o texto e libere espaço."
        case .folderUnusable: "Não é possível usar {1} ({2}). Nada foi salvo; guarde o texto."
        case .keyUnreadable:
            """
            Não é possível ler o arquivo de chave {1}. Nada foi alterado; permita que o dono o \
            leia.
            """
        case .keyPermissions:
            "Outros podem ler o arquivo de chave {1}. Nada foi alterado; execute: chmod 600 '{1}'"
        case .keyDamaged:
            """
            O arquivo de chave {1} não contém uma chave. Nada foi alterado; restaure-o de um \
            backup.
            """
        case .keyMissing:
            """
            Falta o arquivo de chave {1}, de que os dados salvos precisam. Nada foi alterado; \
            restaure-o de um backup, ou mova a pasta inteira para recomeçar.
            """
        case .wrongKey:
            """
            Os dados salvos foram cifrados com uma chave diferente de {1}. Nada foi salvo e os \
            dados são mantidos como estão; restaure o arquivo de chave correto.
            """
        case .keyringLocked:
            """
            O chaveiro que guarda a chave está bloqueado. Nada foi alterado; desbloqueie-o e \
            tente novamente.
            """
        case .keyringUnreachable:
            """
            O chaveiro que guarda a chave não responde aqui. Nada foi alterado; tente na \
            sessão da área de trabalho a que ele pertence.
            """
        case .keyringItemMissing:
            """
            O chaveiro não contém mais a chave, e os dados salvos precisam dela. Nada foi \
            alterado; restaure o chaveiro de um backup.
            """
        case .keyStoreUnknown:
            "Não há aqui um lugar para a chave chamado {1}. Nada foi alterado. Há: {2}"
        case .keyCopyLeft:
            """
            A chave está no arquivo, mas a cópia no chaveiro não pôde ser removida. Nada foi \
            perdido; tente novamente quando o chaveiro responder.
            """
        case .keyRotated:
            """
            Tudo o que é novo é cifrado com uma nova chave. Itens salvos cifrados novamente: \
            {1}
            """
        case .oldKeyKept:
            """
            A chave antiga continua ao lado: outro programa do Simple Memo está em execução, \
            ou um item não pode ser lido.
            """
        case .busy:
            "Outro processo manteve o banco de dados bloqueado. Nada foi salvo; tente novamente."
        case .databaseDamaged:
            """
            {1} está danificado ou não é um banco de dados. Nada foi salvo e o arquivo ficou como \
            estava; restaure-o de um backup ou mova-o.
            """
        case .databaseInconsistent:
            """
            {1} está danificado. Algumas notas da caixa de saída podem nunca ser enviadas ou \
            não aparecer na lista: compare memo outbox com memo history e envie de novo o que \
            faltar.
            """
        case .logDamaged:
            """
            Parte do que foi salvo por último não pôde ser relida: o log do banco de dados \
            está danificado, ou faltou energia. As notas anteriores estão a salvo. Veja as \
            últimas com memo history e envie de novo o que faltar. O log é mantido, cifrado, \
            em {1}; exclua esse arquivo para encerrar este aviso.
            """
        case .databaseTooNew:
            "{1} foi gravado por uma versão mais nova do Simple Memo. Nada foi alterado; atualize."
        case .storageFailed:
            "O banco de dados falhou ({1}). Nada foi salvo; guarde o texto."
        case .unknownOperation:
            "Não existe tal item na caixa de saída. Nada foi alterado; veja: memo outbox"
        case .unknownMemo: "O histórico não tem essa nota. Nada foi alterado; veja: memo history"
        case .ambiguousIdentifier:
            """
            Vários identificadores começam ou terminam assim. Nada foi alterado; informe mais. \
            Inteiros aparecem com: --json
            """
        case .notResendable:
            """
            Só uma nota que não chegou pode ser enviada novamente, e uma única vez. O histórico \
            não tem tal nota com este identificador e nada foi enviado; veja: memo history
            """
        case .entryDamaged:
            """
            O item está danificado e não pode ser lido. Ele é mantido como está e não é enviado; \
            restaure o banco de dados de um backup, ou exclua o item.
            """
        case .memoDeleted:
            "Excluída deste dispositivo. Um e-mail que já chegou continua na sua caixa de entrada."
        case .accountDamaged:
            """
            A conta salva está danificada e não pode ser lida. As notas continuam salvas; entre \
            novamente com: memo login ENDEREÇO
            """
        case .settingsDamaged:
            """
            Os ajustes salvos estão danificados e não podem ser lidos. As notas são enviadas sem \
            eles; defina-os novamente com: memo settings
            """
        case .agentSilent:
            """
            Outro memo-agent está encarregado da entrega e não responde. As notas continuam \
            salvas; encerre esse processo ou tente mais tarde.
            """
        case .noAccount:
            "Ninguém entrou na conta. As notas continuam salvas; execute: memo login ENDEREÇO"
        case .agentNotStarted:
            """
            Não foi possível iniciar o programa de entrega ({1}). A nota está salva e sairá na \
            próxima vez que você iniciar: memo agent
            """
        case .agentFailed:
            """
            O programa de entrega não pôde trabalhar da última vez ({1}). As notas estão salvas \
            e seguras; veja: memo doctor
            """
        case .agentCannotWork:
            """
            O programa de entrega não consegue trabalhar ({1}). As notas salvas estão seguras, \
            mas não saem. Para ver o motivo: memo agent
            """
        case .entriesNeedPerson:
            """
            Itens da caixa de saída que precisam de você: {1}. Estão seguros neste dispositivo; \
            veja: memo outbox
            """
        case .memosNotArrived:
            """
            Notas que não chegaram e que você ainda não viu: {1}. Os textos são mantidos; veja: \
            memo history
            """
        case .relayUnreached:
            """
            O servidor {1} não aceita notas desde {2} ({3}). Notas em espera: {4}. Estão seguras \
            e serão enviadas sozinhas.
            """
        case .folderLacksLocks:
            """
            O sistema de arquivos de {1} não tem travas ou memória compartilhada. Nada foi salvo; \
            guarde o texto e defina MEMO_HOME como uma pasta de um disco local.
            """
        case .agentMissing:
            """
            Não foi possível iniciar o memo-agent ({1}). As notas continuam salvas. Ele deve \
            estar na mesma pasta que o memo ou no caminho de busca.
            """
        case .outboxEmpty: "A caixa de saída está vazia."
        case .outboxRetried: "Notas que estão sendo tentadas agora: {1}"
        case .folder: "Pasta de dados"
        case .key: "Chave"
        case .keyPresent: "presente"
        case .keyIsMissing: "ausente"
        case .keyIsOpen: "outros podem ler"
        case .keyIsUnreadable: "não pode ser lida"
        case .keyInKeyring: "no chaveiro"
        case .signedIn: "Conta conectada"
        case .server: "Servidor"
        case .yes: "sim"
        case .notSignedIn: "não; execute: memo login ENDEREÇO"
        case .noLongerSignedIn: "não mais; execute: memo login ENDEREÇO"
        case .codeEntryWaits: "ainda não; para informar o código, execute: memo login ENDEREÇO"
        case .outbox: "Caixa de saída"
        case .outboxUnreadable: "não pode ser lida"
        case .oldest: "A mais antiga: {1}"
        case .seconds: "{1} s"
        case .minutes: "{1} min"
        case .hours: "{1} h"
        case .days: "{1} d"
        case .nextAttemptIn: "Próxima tentativa em {1}"
        case .newsAsOf:
            "Não foi possível consultar o servidor. O que ele sabe das notas enviadas é de {1}."
        case .newsNever:
            """
            Ainda não foi possível consultar o servidor. Ele pode saber mais sobre as notas \
            enviadas.
            """
        case .agentErrors: "Erros de entrega"
        case .none: "nenhum"
        case .problem: "Problema"
        case .unknownLanguage:
            "O idioma {1} não existe aqui. O ajuste anterior continua em uso; escolha um de: {2}"
        case .settingsReplaced:
            "Os ajustes salvos antes não puderam ser lidos e foram substituídos por completo."
        case .codePrompt: "Digite o código recebido por e-mail:"
        case .codePending:
            "Um código foi enviado às {1}. Pressione apenas Enter para receber outro."
        case .codeWrong:
            """
            Este código está errado. Tentativas restantes: {1}. Pressione apenas Enter para \
            receber outro.
            """
        case .codeNoTries:
            """
            Este código está errado e não restam tentativas, portanto ninguém entrou. Execute o \
            comando novamente para receber um novo.
            """
        case .codeExpired:
            """
            Este código expirou, portanto ninguém entrou. Execute o comando novamente para \
            receber um novo.
            """
        case .signedInTo: "Você entrou. As notas vão para {1} pelo servidor {2}"
        case .noCode:
            """
            Nenhum código foi informado, portanto ninguém entrou. Execute o comando novamente \
            para informá-lo ou receber um novo.
            """
        case .signedInFormerValid:
            """
            Você entrou na conta. O token anterior deste dispositivo não pôde ser revogado e \
            ainda é válido no servidor dele; só pode escrever ao seu dono. As notas estão \
            seguras e saem com o token novo. Para revogar o anterior, desconecte-o na lista de \
            dispositivos do app web.
            """
        case .signedOut:
            """
            Você saiu da conta. Histórico, rascunho e notas não enviadas continuam neste \
            dispositivo.
            """
        case .signedOutUntold:
            """
            Você saiu da conta aqui, mas não foi possível avisar o servidor: o token foi excluído \
            deste dispositivo e continua válido no servidor, onde não pode mais ser revogado. Ele \
            só podia enviar e-mail ao próprio dono.
            """
        case .synced: "Tudo está como nos seus outros dispositivos."
        case .notConfirmed: "Alterações ainda não confirmadas: {1}"
        case .lastSynced: "Última sincronização: {1}"
        case .syncFailed:
            """
            Não foi possível consultar o servidor ({1}). O que você alterou fica neste \
            dispositivo e é enviado no próximo memo sync.
            """
        case .settingAsked:
            """
            {1} foi alterado aqui e em outro dispositivo. Digite 1 para manter a versão deste \
            dispositivo, 2 para manter a outra, Enter para decidir depois.
            """
        case .unknownDevice:
            """
            Você não tem nenhum dispositivo com este identificador. Nada foi alterado; memo \
            devices mostra os dispositivos.
            """
        case .noQuestion: "Não há nada a escolher para {1}. Nada foi alterado."
        case .deviceLeaving: "{1} será desconectado assim que o servidor estiver acessível."
        case .elsewhere: "outro dispositivo"
        case .eraseAccount: "Excluir conta"
        case .eraseWarning:
            """
            No servidor, todas as notas, configurações e dispositivos de {1} serão excluídos; \
            isso não pode ser desfeito. O que está nos seus dispositivos fica neles. Para \
            excluir, digite o código do e-mail:
            """
        case .accountErased:
            """
            A conta foi excluída no servidor, e este dispositivo está desconectado. O que está \
            neste dispositivo fica.
            """
        case .changesKept:
            """
            Alterações que o servidor não confirmou: {1}. Elas ficam cifradas neste dispositivo \
            até você entrar de novo nesta conta. Para desistir delas: memo logout \
            --discard-changes
            """
        case .relayNotURL:
            """
            Essa não é a URL de um servidor. Nada foi alterado; ela tem a forma \
            https://relay.example.org
            """
        case .relayUnencrypted:
            """
            O http não cifrado só serve para um servidor nesta máquina. Nada foi enviado; \
            use https.
            """
        case .relayUnreachable:
            """
            Não é possível conectar ao servidor {1}. Nada foi alterado; verifique a rede e a \
            URL, indicada por --relay, e tente novamente.
            """
        case .relayUntrusted:
            """
            O certificado do servidor não é confiável, portanto nada foi enviado. Verifique a URL \
            ou pergunte a quem administra o servidor.
            """
        case .agentIdle: "Não resta nada a entregar."
        case .agentStopped: "Parado. O que não saiu continua salvo."
        case .agentRunsElsewhere: "Outro memo-agent está entregando; ele foi avisado."
        case .serviceRuns:
            """
            O agente está instalado como serviço. As notas que esperam saem sem chamar o memo: a \
            cada início de sessão e a cada 15 minutos.
            """
        case .serviceMissing:
            """
            O agente não está instalado como serviço. As notas continuam salvas e saem quando o \
            memo é chamado. Para instalá-lo, execute: memo agent install
            """
        case .serviceOutdated:
            """
            {1} não está como esta versão o escreve para esta pasta de dados. As notas continuam \
            salvas; execute: memo agent install
            """
        case .serviceInactive:
            """
            O gerenciador de serviços não executa o serviço. As notas continuam salvas e saem \
            quando o memo é chamado. Para iniciá-lo, execute: memo agent install. Para ver o \
            motivo: {1}
            """
        case .serviceUnreachable:
            """
            Nenhum gerenciador de serviços responde aqui, portanto o serviço ainda não está em \
            execução. Ele começa na próxima sessão que tenha um; para iniciá-lo lá imediatamente, \
            execute: memo agent install
            """
        case .serviceNeedsLogin:
            """
            Depois de reiniciar a máquina, as notas esperam você iniciar a sessão. Para que saiam \
            antes, execute: {1}
            """
        case .serviceWritten: "Escrito: {1}"
        case .serviceUnchanged: "Inalterado: {1}"
        case .serviceRemoved: "Removido: {1}"
        case .serviceKept: "Mantido, porque não foi escrito por memo agent install: {1}"
        case .serviceForeign:
            """
            {1} não foi escrito por memo agent install. Nada foi alterado; mova-o para outro \
            lugar e execute memo agent install de novo.
            """
        case .serviceFailed:
            """
            Não é possível ler, escrever ou remover {1} ({2}). As notas continuam salvas, mas o \
            serviço pode estar incompleto; corrija isso e execute o comando de novo.
            """
        case .serviceUnfit:
            """
            Nenhum serviço pode ter este caminho ou valor: {1}. Ele contém aspas, uma barra \
            invertida ou um caractere não imprimível. Nada foi alterado; escolha outro lugar.
            """
        }
    }
}
