extension CommandText {
    var japanese: StaticString {
        switch self {
        case .saved: "保存しました。まもなく受信箱に届きます。"
        case .savedSignedOut: "保存しました。サインインすると送信されます：memo login アドレス"
        case .savedNotLeaving: "保存しました。{1}"
        case .signedOutElsewhere:
            """
            この端末はサインアウトされています。メモはここに保存され、もう一度サインインすると\
            送信されます：memo login アドレス
            """
        case .waitingLong:
            """
            1時間以上送信されていないメモがあります。この端末に安全に保存されています。詳しくは：memo \
            outbox
            """
        case .composeHint: "Ctrl-Dで送信、Ctrl-Cで終了、Ctrl-Gでキー一覧。"
        case .composeKeys:
            """
            Ctrl-D：送信。Ctrl-C：下書きを残して終了。Ctrl-X：すべて消す。Ctrl-Y：消したものを\
            戻す。Ctrl-A、Ctrl-E：行頭、行末。Alt-B、Alt-F：単語単位で移動。Ctrl-W、Ctrl-U、Ctrl\
            -K：単語、行頭まで、行末までを消す。Ctrl-Z：中断。
            """
        case .fieldEmptied: "すべて消しました。Ctrl-Yで元に戻せます。"
        case .draftKept: "下書きを保存しました。続きを書くには memo を実行してください。"
        case .draftNotSaved: "下書きを保存できません。{1}"
        case .draftLossAhead:
            "下書きを保存できません。{1} もう一度Ctrl-Cを押すと終了し、文章は失われます。"
        case .draftLost: "下書きを保存できなかったため、書いた文章は残っていません。{1}"
        case .draftsDiscarded: "破棄した下書き：{1}"
        case .notSent: "送信していません。{1}"
        case .needsTerminal:
            """
            入力にはターミナルが必要です。何も送信していません。文章を送るには：memo 文章、または … | \
            memo
            """
        case .usageHint:
            "何も送信していません。ハイフンやサブコマンド名で始まる文章は：memo -- 文章"
        case .argumentUnclear: "{1}番目の引数を解釈できませんでした。"
        case .didYouMean:
            "何も送信していません。{1} のことですか。そのままメモとして送信するには：memo -- 文章"
        case .emptyMemo: "メモが空のため、送信するものがありません。"
        case .notUTF8:
            "メモが正しいUTF-8ではありません。何も送信していません。変換してから送信してください。"
        case .containsNUL:
            """
            メールで送れないNUL文字がメモに含まれています。何も送信していません。取り除いてから送信してく\
            ださい。
            """
        case .tooLong:
            "メモが{1}バイトを超えています。何も送信していません。短くするか、分けてください。"
        case .inputNotUTF8:
            """
            標準入力の{1}バイト目が正しいUTF-8ではありません。何も送信していません。変換してから送信\
            してください。
            """
        case .inputUnreadable:
            """
            標準入力を読み込めません（{1}）。何も送信していません。入力元を確認して、もう一度お試しくださ\
            い。
            """
        case .outputFailed:
            """
            標準出力に書き込めないため（{1}）、結果は不完全です。保存されたものは失われていませ\
            ん。別の場所に出力してください。
            """
        case .outputFailedStored:
            """
            メモは保存済みです。もう一度送信しないでください。識別子だけを標準出力に書き込めま\
            せんでした（{1}）。確認するには：memo history
            """
        case .noDataFolder:
            """
            メモを保存するフォルダーがありません。何も保存していません。HOME、またはMEMO_HOMEにフ\
            ォルダーを設定してください。
            """
        case .readOnly:
            "{1} に書き込めません。何も保存していません。文章を手元に残し、書き込めるようにしてください。"
        case .readingNeedsWriting:
            """
            {1} に書き込めません。読み取りにも書き込みが必要です。何も変更していません。書き込\
            めるようにするか、フォルダーをコピーしてMEMO_HOMEに指定してください。
            """
        case .diskFull:
            """
            {1} のあるディスクがいっぱいです。何も保存していません。文章を手元に残し、空きを作ってくださ\
            い。
            """
        case .folderUnusable:
            "{1} を使えません（{2}）。何も保存していません。文章を手元に残してください。"
        case .keyUnreadable:
            "鍵ファイル {1} を読み込めません。何も変更していません。所有者が読めるようにしてください。"
        case .keyPermissions:
            """
            鍵ファイル {1} をほかの人も読める状態です。何も変更していません。次を実行してください：\
            chmod 600 '{1}'
            """
        case .keyDamaged:
            "鍵ファイル {1} に鍵がありません。何も変更していません。バックアップから戻してください。"
        case .keyMissing:
            """
            保存されたデータに必要な鍵ファイル {1} がありません。何も変更していません。バックアップから\
            戻すか、フォルダーごと移動して最初からやり直してください。
            """
        case .wrongKey:
            """
            保存されたデータは {1} とは別の鍵で暗号化されています。何も保存していません。データ\
            はそのまま残っています。正しい鍵ファイルに戻してください。
            """
        case .keyringLocked:
            "鍵を保管しているキーリングがロックされています。何も変更していません。ロックを解除して、もう一度お試しください。"
        case .keyringUnreachable:
            "鍵を保管しているキーリングがここでは応答しません。何も変更していません。そのキーリングのあるデスクトップセッションで、もう一度お試しください。"
        case .keyringItemMissing:
            "保存済みのデータに必要な鍵が、キーリングからなくなっています。何も変更していません。キーリングをバックアップから復元してください。"
        case .keyStoreUnknown:
            "鍵の保管場所 {1} はここにはありません。何も変更していません。使えるもの：{2}"
        case .keyCopyLeft:
            "鍵はファイルにありますが、キーリング内の写しを削除できませんでした。失われたものはありません。キーリングが応答するときに、もう一度お試しください。"
        case .keyRotated:
            "今後は新しい鍵で暗号化します。保存済みの項目{1}件を新しい鍵で暗号化し直しました。"
        case .oldKeyKept:
            "古い鍵も残してあります。Simple Memoの別のプログラムが動作中か、読めない項目があるためです。"
        case .busy:
            "ほかのプロセスがメモのデータベースを使用中です。何も保存していません。もう一度お試しください。"
        case .databaseDamaged:
            """
            {1} は壊れているか、データベースではありません。何も保存していません。ファイルはその\
            まま残してあります。バックアップから戻すか、別の場所に移してください。
            """
        case .databaseInconsistent:
            """
            {1} は壊れています。送信待ちのメモの一部が送信されない、または一覧に出ないお\
            それがあります。memo outbox と memo history を見比べ、\
            足りないものを送り直してください。
            """
        case .logDamaged:
            """
            最後に保存した内容の一部を読み戻せませんでした。データベースのログが壊れているか\
            、書き込み中に電源が切れました。それより前のメモは無事です。memo history \
            で最近のメモがあるか確かめ、足りないものを送り直してください。壊れたログは暗号化\
            されたまま保管しています：{1}。このファイルを削除すると、この知らせは出なくな\
            ります。
            """
        case .databaseTooNew:
            """
            {1} はより新しいバージョンのSimple Memoで保存されています。何も変更していません。\
            更新してください。
            """
        case .storageFailed:
            """
            メモのデータベースでエラーが起きました（{1}）。何も保存していません。文章\
            を手元に残してください。
            """
        case .unknownOperation:
            "その項目は送信待ちにありません。何も変更していません。一覧は：memo outbox"
        case .unknownMemo:
            "履歴にそのメモはありません。何も変更していません。確認するには：memo history"
        case .ambiguousIdentifier:
            """
            このように始まる、または終わる識別子が複数あります。何も変更していません。もっと長\
            く指定してください。全体を見るには：--json
            """
        case .notResendable:
            "もう一度送信できるのは届かなかったメモだけで、一度だけです。履歴にこの識別子のそのようなメモはなく、何も送信していません。一覧は：memo history"
        case .entryDamaged:
            """
            この項目は壊れていて読み取れません。そのまま残してあり、送信されません。データベースをバックアッ\
            プから戻すか、項目を削除してください。
            """
        case .memoDeleted: "この端末から削除しました。届いたメールは受信箱に残ります。"
        case .accountDamaged:
            """
            保存されたアカウントが壊れていて読み取れません。メモは保存されています。もう一度サインインしてく\
            ださい：memo login アドレス
            """
        case .settingsDamaged:
            """
            保存された設定が壊れていて読み取れません。メモは設定なしで送信されます。もう一度設定してくださ\
            い：memo settings
            """
        case .agentSilent:
            """
            送信を担当する別のmemo-agentが応答しません。保存されたメモはそのまま残っています。その\
            プロセスを終了するか、あとでもう一度お試しください。
            """
        case .noAccount:
            """
            サインインしていません。メモは保存されています。次を実行してください：memo login アド\
            レス
            """
        case .agentNotStarted:
            """
            送信プログラムを開始できませんでした（{1}）。メモは保存されていて、次に送信プログラムを開始し\
            たときに送信されます：memo agent
            """
        case .agentFailed: "送信プログラムは前回動作できませんでした（{1}）。メモは保存されていて安全です。次を参照してください：memo doctor"
        case .agentCannotWork: "送信プログラムが動作できません（{1}）。保存済みのメモは安全ですが、送信されません。理由を確かめるには：memo agent"
        case .entriesNeedPerson: "対応が必要な送信待ちの項目：{1}。この端末に安全に保存されています。次を参照してください：memo outbox"
        case .memosNotArrived:
            "届かず、まだ確認されていないメモ：{1}。文章は残っています。確認するには：memo history"
        case .relayUnreached:
            """
            サーバー{1}は{2}からメモを受け取っていません（{3}）。待っているメモ：{4}。安全に保\
            存されていて、自動で送信されます。
            """
        case .folderLacksLocks:
            """
            {1} のファイルシステムにはロックまたは共有メモリがありません。何も保存していません。文章を手元に残し、MEMO_HOME にローカルディスクのフォルダーを指\
            定してください。
            """
        case .agentMissing:
            """
            memo-agentを開始できません（{1}）。保存されたメモはそのまま残っています。memoと\
            同じフォルダーか、検索パスに置いてください。
            """
        case .outboxEmpty: "送信待ちはありません。"
        case .outboxRetried: "いま送信を試みているメモ：{1}"
        case .folder: "データフォルダー"
        case .key: "鍵"
        case .keyPresent: "あり"
        case .keyIsMissing: "なし"
        case .keyIsOpen: "ほかの人も読める状態"
        case .keyIsUnreadable: "読み込めません"
        case .keyInKeyring: "キーリング内"
        case .signedIn: "サインイン"
        case .server: "サーバー"
        case .yes: "はい"
        case .notSignedIn: "いいえ。次を実行してください：memo login アドレス"
        case .noLongerSignedIn: "サインアウトされています。実行してください：memo login アドレス"
        case .codeEntryWaits:
            "まだです。届いたコードを入力するには実行してください：memo login アドレス"
        case .outbox: "送信待ち"
        case .outboxUnreadable: "読み込めません"
        case .oldest: "最も古いもの：{1}"
        case .seconds: "{1}秒"
        case .minutes: "{1}分"
        case .hours: "{1}時間"
        case .days: "{1}日"
        case .nextAttemptIn: "次の試行まで{1}"
        case .newsAsOf:
            "サーバーに最新の状態を確認できませんでした。送信済みのメモの状態は{1}時点のものです。"
        case .newsNever:
            """
            サーバーにまだ状態を確認できていません。送信済みのメモの状態は変わっている可能性が\
            あります。
            """
        case .agentErrors: "送信エラー"
        case .none: "なし"
        case .problem: "問題"
        case .unknownLanguage:
            "{1} という言語はありません。これまでの設定を引き続き使います。次から選んでください：{2}"
        case .settingsReplaced:
            "以前に保存された設定は読み取れなかったため、すべて置き換えました。"
        case .codePrompt: "メールのコードを入力してください："
        case .codePending:
            """
            {1}にコードをメールで送りました。新しいコードが必要なら、何も入力せずにEnterを押し\
            てください。
            """
        case .codeWrong:
            """
            コードが違います。残りの回数：{1}。新しいコードが必要なら、何も入力せずにEnterを押\
            してください。
            """
        case .codeNoTries:
            """
            コードが違い、残りの回数もないため、サインインしていません。新しいコードを受け取る\
            には、もう一度実行してください。
            """
        case .codeExpired:
            """
            コードの有効期限が切れたため、サインインしていません。新しいコードを受け取るには、\
            もう一度実行してください。
            """
        case .signedInTo: "サインインしました。メモはサーバー{2}を通して{1}に届きます"
        case .noCode:
            """
            コードが入力されなかったため、サインインしていません。もう一度実行すると、コードを\
            入力するか、新しいものを受け取れます。
            """
        case .signedInFormerValid:
            """
            サインインしました。この端末の以前のトークンは取り消せず、サーバーではまだ有効です。このトークン\
            で送れる宛先は本人だけです。メモは安全で、新しいトークンで送信されます。以前のトークンを取り消す\
            には、ウェブアプリの端末一覧でサインアウトしてください。
            """
        case .signedOut:
            "サインアウトしました。履歴、下書き、未送信のメモはこの端末に残っています。"
        case .signedOutUntold:
            """
            この端末ではサインアウトしましたが、サーバーに通知できませんでした。トークンはこの端末から削除さ\
            れましたが、サーバーではまだ有効で、取り消すことはできません。このトークンで送れる宛先は本人だけ\
            です。
            """
        case .synced: "すべて、ほかの端末と同じです。"
        case .notConfirmed: "まだ確認されていない変更：{1}"
        case .lastSynced: "最後の同期：{1}"
        case .syncFailed:
            """
            サーバーに問い合わせできませんでした（{1}）。変更はこの端末に残り、次の memo \
            sync で送られます。
            """
        case .settingAsked:
            """
            {1}は、この端末と別の端末の両方で変更されました。この端末のものを残すには1、もう一方\
            を残すには2を入力してください。Enter だけなら後で決められます。
            """
        case .unknownDevice:
            "この識別子の端末はありません。何も変わっていません。memo devices で一覧できます。"
        case .noQuestion: "{1}について選ぶものはありません。何も変わっていません。"
        case .deviceLeaving: "{1}は、サーバーにつながりしだいサインアウトします。"
        case .elsewhere: "別の端末"
        case .eraseAccount: "アカウントを消去"
        case .eraseWarning:
            """
            サーバーにある{1}のメモ、設定、端末はすべて消去され、元に戻せません。端末にあるものは\
            そのまま残ります。消去するには、メールのコードを入力してください：
            """
        case .accountErased:
            """
            アカウントはサーバーから消去され、この端末はサインアウトしました。この端末にあるものは残\
            ります。
            """
        case .changesKept:
            """
            サーバーがまだ確認していない変更：{1}。このアカウントに再びサインインするまで、暗号化\
            してこの端末に残します。破棄するには memo logout \
            --discard-changes を実行してください。
            """
        case .relayNotURL:
            """
            サーバーのURLではありません。何も変更していません。次のような形です：\
            https://relay.example.org
            """
        case .relayUnencrypted:
            """
            暗号化のないhttpは、この端末上のサーバーにしか使えません。何も送信していません。httpsを\
            使ってください。
            """
        case .relayUnreachable:
            """
            サーバー{1}に接続できません。何も変更していません。ネットワークと、--relay \
            で指定するURLを確認して、もう一度お試しください。
            """
        case .relayUntrusted:
            """
            サーバーの証明書を信頼できないため、何も送信していません。URLを確認するか、サーバーの管理者に\
            問い合わせてください。
            """
        case .agentIdle: "送信するものはもうありません。"
        case .agentStopped: "中断しました。未送信のものは保存されています。"
        case .agentRunsElsewhere: "別のmemo-agentが送信中です。呼び出しました。"
        case .serviceRuns: "エージェントはサービスとして登録されています。待機中のメモは、memoを実行しなくても、ログインのたびに、また15分ごとに送信されます。"
        case .serviceMissing:
            "エージェントはサービスとして登録されていません。メモは保存されており、memoを実行すると送信されます。登録するには次を実行してください：memo agent install"
        case .serviceOutdated:
            "{1} は、このバージョンがこのデータフォルダーのために書く内容と異なります。メモは保存されています。次を実行してください：memo agent install"
        case .serviceInactive:
            """
            サービスマネージャーがサービスを実行していません。メモは保存されており、memoを実行すると送信されます。開始するには memo agent install を、\
            原因を調べるには次を実行してください：{1}
            """
        case .serviceUnreachable:
            """
            ここではサービスマネージャーが応答しないため、サービスはまだ動いていません。サービスマネージャーのあるセッションに次にログインしたときに始まります。\
            そこですぐに始めるには次を実行してください：memo agent install
            """
        case .serviceNeedsLogin: "マシンの再起動後、メモはログインを待ちます。ログイン前に送信されるようにするには次を実行してください：{1}"
        case .serviceWritten: "書き込みました：{1}"
        case .serviceUnchanged: "変更なし：{1}"
        case .serviceRemoved: "削除しました：{1}"
        case .serviceKept: "memo agent install が書いたものではないため残しました：{1}"
        case .serviceForeign:
            """
            {1} は memo agent install が書いたものではありません。何も変更していません。別の場所に移してから、もう一度 memo agent install \
            を実行してください。
            """
        case .serviceFailed:
            "{1} を読み書きまたは削除できません（{2}）。メモは保存されていますが、サービスの一部だけが残っているかもしれません。原因を取り除いて、もう一度実行してください。"
        case .serviceUnfit:
            "このパスまたは値はサービスに使えません：{1}。引用符、バックスラッシュ、または表示されない文字が含まれています。何も変更していません。別の場所を選んでください。"
        }
    }
}
