extension HelpText {
    var portuguese: StaticString {
        switch self {
        case .helpUsage: "Uso:"
        case .helpArguments: "Argumentos:"
        case .helpOptions: "Opções:"
        case .helpSubcommands: "Comandos:"
        case .helpDefault: "(padrão: {1})"
        case .helpStandard: "(padrão)"
        case .helpSee: "Mais sobre um comando: {1}"
        case .helpManual: "Formatos, códigos de saída e ambiente são explicados em inglês por: {1}"
        case .showHelp: "Mostra esta ajuda."
        case .showVersion: "Mostra a versão."
        case .argumentMissing: "Falta {1}."
        case .limitNegative: "--limit não pode ser negativo."
        case .memoCommand: "Escreva uma nota, envie-a e encontre-a na sua própria caixa de entrada."
        case .usageCompose: "escrever no terminal (Ctrl-D envia, Ctrl-C sai)"
        case .usageWords: "envia as palavras, unidas por espaços"
        case .usageDashes: "envia as palavras, seja qual for a sua forma"
        case .usageInput: "envia a entrada padrão, também: memo -"
        case .usageJSON: "mostra o identificador da nota em JSON"
        case .usageDiscardDraft: "descarta o rascunho que o próximo memo abriria"
        case .sending:
            """
            O envio termina quando a nota está salva de forma durável neste dispositivo; \
            memo-agent a entrega em segundo plano. Um texto da entrada padrão perde uma quebra \
            de linha no fim.
            """
        case .historyCommand:
            "Lista as notas enviadas dos seus dispositivos, a mais recente primeiro."
        case .historyLimit: "O máximo de notas a listar."
        case .historyResend: "Envia novamente uma nota que não chegou, como uma nova nota."
        case .historyShow: "Mostra uma nota inteira, com seu identificador."
        case .historyDelete:
            "Exclui uma nota deste dispositivo, com o texto; se estiver em espera, não é enviada."
        case .memoIdentifier: "O identificador da nota, como memo history o mostra."
        case .printJSON: "Mostra JSON."
        case .outboxCommand: "O que ainda não saiu deste dispositivo."
        case .outboxList: "Lista os itens."
        case .outboxLimit: "O máximo de itens de cada estado a listar."
        case .outboxShow: "Mostra um item e a sua nota."
        case .entry: "O identificador do item, ou entry:NUMBER."
        case .outboxWatch:
            "Mostra o estado da caixa de saída, agora e após cada mudança, até Ctrl-C."
        case .printJSONLines: "Mostra JSON, um objeto por linha."
        case .outboxRetry: "Tenta já um item, ou todos os que esperam ou estão retidos."
        case .entryOrAll: "O identificador do item, ou entry:NUMBER; sem ele, todos."
        case .outboxExport:
            "Mostra os bytes salvos de um item, para guardar cópia de um ilegível."
        case .outboxDelete: "Exclui um item de vez; a sua nota não é enviada."
        case .settingsCommand: "Mostra os ajustes, ou os altera em todos os seus dispositivos."
        case .settingLanguage:
            "O idioma: ja, en, es, fr, de, it, pt, ko, zh-Hans, ar; auto para o de $LANG."
        case .settingTemplate: "Como os assuntos são formados."
        case .settingSignature: "O que fica abaixo de cada nota; - lê a entrada padrão."
        case .settingKeyStore: "Onde a chave é guardada: file, secret-service."
        case .settingRotate: "Cifra tudo de novo com uma nova chave."
        case .doctorCommand:
            "Mostra o estado deste dispositivo e para onde vão as notas; nada do que foi escrito."
        case .loginCommand:
            "Verifica o seu endereço, para que as notas possam sair: memo login ADDRESS."
        case .loginArguments: "O endereço, e --relay URL."
        case .logoutCommand:
            "Revoga o token deste dispositivo. Histórico, rascunho e caixa de saída ficam."
        case .syncCommand:
            "Põe ajustes, estados e dispositivos em dia com os seus outros dispositivos."
        case .devicesCommand:
            "Lista os seus dispositivos, ou encerra a sessão de um: memo devices revoke ID."
        case .accountCommand: "Exclui a sua conta no servidor: memo account delete."
        case .discardChanges: "Desiste das alterações dos ajustes que o servidor não confirmou."
        case .agentCommand: "Entrega o que espera, em primeiro plano ou como serviço."
        case .agentInstall:
            "Faz o agente entregar sem chamar o memo: como serviço do systemd ou do launchd."
        case .agentUninstall: "Remove o serviço; as notas continuam salvas."
        case .agentStatus: "Mostra se o serviço está instalado e em execução, e o que fazer."
        case .runCommand: "Entrega o que está salvo e termina."
        case .runOnce:
            """
            Há um agente por pasta de dados; outro apenas o chama. Ele termina quando não resta \
            nada a tentar. O que ele fez está em agent.log, na pasta de dados.
            """
        case .runJSON: "Mostra em JSON como a execução terminou."
        case .agentLogin: "Entrar: a partir daí as notas vão para ADDRESS."
        case .signInCode:
            """
            O servidor envia um código para ADDRESS; digite-o, ou dê-o como uma \
            linha da entrada padrão. A URL de um servidor é https, ou http nesta própria máquina.
            """
        case .signInAddress: "O endereço de e-mail a que as notas devem chegar."
        case .signInRelay: "A URL do servidor. Padrão: $MEMO_RELAY, senão http://127.0.0.1:8080."
        case .resultJSON: "Mostra o resultado em JSON."
        case .agentLogout: "Sair: o servidor revoga o token deste dispositivo."
        case .signOutKeeps:
            "O histórico e as notas não enviadas ficam; elas saem após o próximo login."
        case .memoAgentCommand: "Entrega notas em segundo plano; entra e sai da conta."
        }
    }
}
