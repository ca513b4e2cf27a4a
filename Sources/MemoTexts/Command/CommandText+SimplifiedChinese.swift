extension CommandText {
    var simplifiedChinese: StaticString {
        switch self {
        case .saved: "已保存，很快会到达收件箱。"
        case .savedSignedOut: "已保存，登录后发送：memo login 地址"
        case .savedNotLeaving: "已保存。{1}"
        case .signedOutElsewhere:
            "此设备已退出登录。备忘保留在这里，重新登录后发送：memo login 地址"
        case .waitingLong: "有一条备忘已等待超过一小时，它安全地保存在此设备上。请查看：memo outbox"
        case .composeHint: "Ctrl-D 发送，Ctrl-C 退出，Ctrl-G 按键。"
        case .composeKeys:
            """
            Ctrl-D：发送。Ctrl-C：退出，保留草稿。Ctrl-X：清空。Ctrl-Y：恢复删除的内容。Ctrl-A、\
            Ctrl-E：行首、行尾。Alt-B、Alt-F：按词移动。Ctrl-W、Ctrl-U、Ctrl-K：删除一个词、到\
            行首、到行尾。Ctrl-Z：挂起。
            """
        case .fieldEmptied: "已清空。按 Ctrl-Y 恢复文字。"
        case .draftKept: "草稿已保留。运行 memo 可继续书写。"
        case .draftNotSaved: "草稿没有保存。{1}"
        case .draftLossAhead: "草稿没有保存。{1} 再按一次 Ctrl-C 将退出并丢失文字。"
        case .draftLost: "草稿无法保存，所写文字没有保留。{1}"
        case .draftsDiscarded: "已丢弃的草稿：{1}"
        case .notSent: "没有发送。{1}"
        case .needsTerminal: "书写需要终端。没有发送任何内容。发送文字请用：memo 文字，或 … | memo"
        case .usageHint: "没有发送任何内容。以连字符或子命令开头的文字请用：memo -- 文字"
        case .argumentUnclear: "无法理解第 {1} 个参数。"
        case .didYouMean: "没有发送任何内容。您是指 {1} 吗？要将这些词作为备忘发送：memo -- 文字"
        case .emptyMemo: "备忘为空，没有可发送的内容。"
        case .notUTF8: "备忘不是有效的 UTF-8 文本。没有发送任何内容，请转换后重新发送。"
        case .containsNUL: "备忘含有邮件无法传送的 NUL 字符。没有发送任何内容，请去掉后重新发送。"
        case .tooLong: "备忘超过 {1} 字节。没有发送任何内容，请缩短或拆分。"
        case .inputNotUTF8:
            "标准输入在第 {1} 字节处不是有效的 UTF-8。没有发送任何内容，请转换后重新发送。"
        case .inputUnreadable: "无法读取标准输入（{1}）。没有发送任何内容，请检查来源后重试。"
        case .outputFailed:
            "无法写入标准输出（{1}），因此结果不完整。已保存的内容没有丢失，请输出到其他位置。"
        case .outputFailedStored:
            "备忘已保存，请勿重新发送。只是其标识符无法写入标准输出（{1}），请查看：memo history"
        case .noDataFolder:
            """
            没有可存放备忘的文件夹。没有保存任何内容，请设置 HOME，或将 MEMO_HOME 设为自己的\
            文件夹。
            """
        case .readOnly: "无法写入 {1}。没有保存任何内容，请留好文字，并允许写入。"
        case .readingNeedsWriting:
            """
            无法写入 {1}，而读取也需要写入。未作任何更改，请允许写入，或复制该文件夹并将 \
            MEMO_HOME 设为副本。
            """
        case .diskFull: "{1} 所在的磁盘已满。没有保存任何内容，请留好文字，并腾出空间。"
        case .folderUnusable: "无法使用 {1}（{2}）。没有保存任何内容，请留好文字。"
        case .keyUnreadable: "无法读取密钥文件 {1}。没有作任何更改，请允许其所有者读取。"
        case .keyPermissions: "其他人可以读取密钥文件 {1}。没有作任何更改，请运行：chmod 600 '{1}'"
        case .keyDamaged: "密钥文件 {1} 中没有密钥。没有作任何更改，请从备份恢复。"
        case .keyMissing:
            """
            已保存的数据需要密钥文件 {1}，但它不见了。没有作任何更改，请从备份恢复，或移走整个文件夹重新\
            开始。
            """
        case .wrongKey:
            """
            已保存的数据是用 {1} 以外的密钥加密的。没有保存任何内容，数据原样保留。请恢复正确的\
            密钥文件。
            """
        case .keyringLocked:
            "保存密钥的密钥环已锁定。没有作任何更改，请解锁后重试。"
        case .keyringUnreachable:
            "保存密钥的密钥环在此处没有响应。没有作任何更改，请在它所属的桌面会话中重试。"
        case .keyringItemMissing:
            "密钥环中已没有该密钥，而已保存的数据需要它。没有作任何更改，请从备份恢复密钥环。"
        case .keyStoreUnknown:
            "这里没有名为 {1} 的密钥存放位置。没有作任何更改。可用的有：{2}"
        case .keyCopyLeft:
            "密钥已在文件中，但无法删除密钥环中的副本。没有丢失任何内容，请在密钥环响应时重试。"
        case .keyRotated:
            "今后的内容都用新密钥加密，已保存的 {1} 项也已重新加密。"
        case .oldKeyKept:
            "旧密钥也一并保留：Simple Memo 的另一个程序正在运行，或有内容无法读取。"
        case .busy: "备忘数据库一直被另一个进程锁定。没有保存任何内容，请重试。"
        case .databaseDamaged:
            "{1} 已损坏或不是数据库。没有保存任何内容，文件原样保留。请从备份恢复，或将其移走。"
        case .databaseInconsistent:
            """
            {1} 已损坏。发件箱中的一些备忘可能永远不会发送，或未列出：请对照 memo outbox \
            与 memo history，重新发送缺少的内容。
            """
        case .logDamaged:
            """
            最后保存的内容有一部分无法读回：数据库日志已损坏，或写入时断电。更早的备忘是安全\
            的。请用 memo history 查看最近的备忘是否都在，并重新发送缺少的内容\
            。损坏的日志仍按原样加密保存在：{1}。删除该文件即可不再显示此提示。
            """
        case .databaseTooNew: "{1} 由较新版本的 Simple Memo 写入。没有作任何更改，请更新。"
        case .storageFailed: "备忘数据库出错（{1}）。没有保存任何内容，请留好文字。"
        case .unknownOperation: "发件箱中没有这一项。没有作任何更改，请查看：memo outbox"
        case .unknownMemo: "历史记录中没有这条备忘。未作任何更改，请查看：memo history"
        case .ambiguousIdentifier:
            "有多个标识符以此开头或结尾。未作任何更改，请多给几位。查看完整标识符：--json"
        case .notResendable:
            "只有未送达的备忘可以重新发送，并且只能一次。历史记录中没有此标识符的这种备忘，没有发送任何内容，请查看：memo history"
        case .entryDamaged:
            "该项已损坏，无法读取，现原样保留，不会发送。请从备份恢复数据库，或删除该项。"
        case .memoDeleted: "已从此设备删除。已送达的邮件保留在收件箱中。"
        case .accountDamaged:
            "已保存的账户损坏，无法读取。备忘仍保存着，请重新登录：memo login 地址"
        case .settingsDamaged:
            "已保存的设置损坏，无法读取。备忘会在没有设置的情况下发送，请重新设置：memo settings"
        case .agentSilent:
            "另一个负责投递的 memo-agent 没有响应。已保存的备忘仍在，请结束该进程，或稍后重试。"
        case .noAccount: "尚未登录。备忘仍保存着，请运行：memo login 地址"
        case .agentNotStarted: "无法启动投递程序（{1}）。备忘已保存，下次启动后发送：memo agent"
        case .agentFailed: "投递程序上次无法工作（{1}）。备忘已保存，安全无恙，请查看：memo doctor"
        case .agentCannotWork: "投递程序无法工作（{1}）。已保存的备忘安全无恙，但不会发送。要查看原因，请运行：memo agent"
        case .entriesNeedPerson: "发件箱中需要您处理的条目：{1}。它们安全地保存在此设备上，请查看：memo outbox"
        case .memosNotArrived: "未送达且尚未查看的备忘：{1}。文字已保留，请查看：memo history"
        case .relayUnreached:
            "服务器 {1} 自 {2} 起没有接收备忘（{3}）。等待中的备忘：{4}。它们很安全，会自动发送。"
        case .folderLacksLocks: "{1} 所在的文件系统不支持文件锁或共享内存。没有保存任何内容，请留好文字，并将 MEMO_HOME 设为本地磁盘上的文件夹。"
        case .agentMissing:
            """
            无法启动 memo-agent（{1}）。已保存的备忘仍在。它应与 memo 在同一文件夹，或在\
            搜索路径中。
            """
        case .outboxEmpty: "发件箱是空的。"
        case .outboxRetried: "正在尝试发送的备忘：{1}"
        case .folder: "数据文件夹"
        case .key: "密钥"
        case .keyPresent: "存在"
        case .keyIsMissing: "缺失"
        case .keyIsOpen: "其他人可以读取"
        case .keyIsUnreadable: "无法读取"
        case .keyInKeyring: "在密钥环中"
        case .signedIn: "已登录"
        case .server: "服务器"
        case .yes: "是"
        case .notSignedIn: "否，请运行：memo login 地址"
        case .noLongerSignedIn: "已退出，请运行：memo login 地址"
        case .codeEntryWaits: "尚未；要输入收到的验证码，请运行：memo login 地址"
        case .outbox: "发件箱"
        case .outboxUnreadable: "无法读取"
        case .oldest: "最早的一项：{1}"
        case .seconds: "{1} 秒"
        case .minutes: "{1} 分钟"
        case .hours: "{1} 小时"
        case .days: "{1} 天"
        case .nextAttemptIn: "{1}后再次尝试"
        case .newsAsOf: "无法向服务器查询最新情况。已发送备忘的状态截至 {1}。"
        case .newsNever: "尚未能向服务器查询。已发送备忘的状态可能已有变化。"
        case .agentErrors: "投递错误"
        case .none: "无"
        case .problem: "问题"
        case .unknownLanguage: "这里没有 {1} 这种语言，继续使用之前的设置。请从中选择：{2}"
        case .settingsReplaced: "之前保存的设置无法读取，已全部替换。"
        case .codePrompt: "请输入邮件中的验证码："
        case .codePending: "验证码已于 {1} 发送。需要新的验证码，请直接按回车键。"
        case .codeWrong: "验证码错误。剩余次数：{1}。需要新的验证码，请直接按回车键。"
        case .codeNoTries:
            "验证码错误，且没有剩余次数，因此没有登录。请再次运行该命令以获取新的验证码。"
        case .codeExpired: "验证码已过期，因此没有登录。请再次运行该命令以获取新的验证码。"
        case .signedInTo: "已登录。备忘通过服务器 {2} 发送到 {1}"
        case .noCode: "没有输入验证码，因此没有登录。再次运行该命令即可输入，或获取新的验证码。"
        case .signedInFormerValid:
            "已登录。此设备的旧令牌未能撤销，在其服务器上仍然有效；它只能给其所有者发邮件。备忘安全无恙，将使用新令牌发送。要撤销旧令牌，请在网页应用的设备列表中将其退出登录。"
        case .signedOut: "已退出登录。历史记录、草稿和未发送的备忘仍在此设备上。"
        case .signedOutUntold:
            """
            已在此处退出登录，但未能通知服务器：令牌已从此设备删除，在服务器上仍然有效，且无法再撤销。它只能\
            给其所有者发邮件。
            """
        case .synced: "一切与您的其他设备相同。"
        case .notConfirmed: "尚未确认的更改：{1}"
        case .lastSynced: "上次同步：{1}"
        case .syncFailed:
            "未能询问服务器（{1}）。您的更改保留在此设备上，下次运行 memo sync 时发送。"
        case .settingAsked:
            """
            {1} 在此设备和另一台设备上都被更改。输入 1 保留此设备的，输入 2 \
            保留另一个，按 Enter 键稍后决定。
            """
        case .unknownDevice: "您没有此标识符的设备。没有作任何更改；memo devices 会列出设备。"
        case .noQuestion: "{1} 没有可选择的内容。没有作任何更改。"
        case .deviceLeaving: "一旦能连接服务器，{1} 就会退出登录。"
        case .elsewhere: "另一台设备"
        case .eraseAccount: "删除账户"
        case .eraseWarning:
            """
            服务器上 {1} 的所有备忘、设置和设备都将被删除，且无法恢复。您设备上的内容会保留。要\
            删除，请输入邮件中的验证码：
            """
        case .accountErased: "账户已从服务器删除，此设备已退出登录。此设备上的内容会保留。"
        case .changesKept:
            """
            服务器尚未确认的更改：{1}。它们加密保留在此设备上，直到您再次登录此账户。要放弃它们，\
            请运行 memo logout --discard-changes
            """
        case .relayNotURL:
            "这不是服务器的 URL。没有作任何更改，正确的形式如 https://relay.example.org"
        case .relayUnencrypted:
            "未加密的 http 只能用于本机上的服务器。没有发送任何内容，请使用 https。"
        case .relayUnreachable:
            "无法连接到服务器 {1}。未作任何更改，请检查网络以及由 --relay 指定的 URL，然后重试。"
        case .relayUntrusted:
            "服务器的证书不可信，因此没有发送任何内容。请检查 URL，或询问服务器管理员。"
        case .agentIdle: "没有需要投递的内容了。"
        case .agentStopped: "已停止。未发送的内容仍保存着。"
        case .agentRunsElsewhere: "另一个 memo-agent 正在投递，已通知它。"
        case .serviceRuns: "代理已安装为服务。等待中的备忘无需调用 memo 即会发送：每次登录时，以及每 15 分钟一次。"
        case .serviceMissing: "代理尚未安装为服务。备忘仍保存着，调用 memo 时发送。要安装，请运行：memo agent install"
        case .serviceOutdated: "{1} 与此版本为此数据文件夹写入的内容不同。备忘仍保存着，请运行：memo agent install"
        case .serviceInactive:
            "服务管理器没有运行此服务。备忘仍保存着，调用 memo 时发送。要启动，请运行 memo agent install。要查看原因，请运行：{1}"
        case .serviceUnreachable:
            "此处没有服务管理器应答，因此服务尚未运行。下次登录到有服务管理器的会话时它会启动；要在那里立即启动，请运行：memo agent install"
        case .serviceNeedsLogin: "机器重新启动后，备忘会等到您登录。要让它们在登录前发送，请运行：{1}"
        case .serviceWritten: "已写入：{1}"
        case .serviceUnchanged: "未更改：{1}"
        case .serviceRemoved: "已删除：{1}"
        case .serviceKept: "已保留，因为它不是由 memo agent install 写入的：{1}"
        case .serviceForeign: "{1} 不是由 memo agent install 写入的。没有作任何更改，请将它移走，再运行 memo agent install。"
        case .serviceFailed: "无法读取、写入或删除 {1}（{2}）。备忘仍保存着，但服务可能不完整，请排除问题后再次运行该命令。"
        case .serviceUnfit: "服务不能使用此路径或值：{1}。其中有引号、反斜杠或不可打印的字符。没有作任何更改，请选择其他位置。"
        }
    }
}
