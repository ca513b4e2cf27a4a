extension AppText {
    var japanese: StaticString {
        switch self {
        case .memo: "メモ"
        case .send: "送信"
        case .sendWithShortcut: "送信（{1}）"
        case .back: "戻る"
        case .close: "閉じる"
        case .cancel: "キャンセル"
        case .firstHint: "メモを書いて送信すると、自分の受信箱に届きます。"
        case .saved: "保存しました。まもなく受信箱に届きます。"
        case .savedOffline: "保存しました。接続が戻ると送信されます。"
        case .savedSignedOut: "保存しました。サインインすると送信されます。"
        case .savedUnreached: "保存しました。サーバーに接続できるようになると送信されます。"
        case .savedLimited: "保存しました。サーバーの指示により、少し待ってから送信されます。"
        case .savedKept: "保存しました。メモはこの端末に残っています。"
        case .offline: "オフライン"
        case .unreached: "サーバーに接続できません"
        case .waitingLong:
            "1時間以上送信されていないメモがあります。この端末に安全に保存されています。"
        case .notArrived: "届かなかったメモがあります。文章は残っています。"
        case .notifyMe: "メモが届かなかったら通知する"
        case .showQueue: "表示"
        case .updateReady: "新しいバージョンがあります。下書きはそのまま残ります。"
        case .update: "更新"
        case .memoTooLong:
            """
            メモが1 MiBを超えているため、送信していません。文章は残っています。短くするか、分けて送信し\
            てください。
            """
        case .memoContainsNUL:
            """
            メールで送れないNUL文字がメモに含まれているため、送信していません。文章は残っています。その文字を\
            取り除いてから送信してください。
            """
        case .memoNotStored:
            "メモを保存できなかったため、送信していません。文章は残っています。もう一度お試しください。"
        case .storageFull:
            """
            保存領域がいっぱいのため、メモを送信していません。文章は残っています。空きを作ってから、もう一度\
            お試しください。
            """
        case .storageUnavailable:
            """
            このブラウザーではデータを保存できないため、送信できません。文章は残っています。コピーするか、通\
            常のウインドウでSimple Memoを開いてください。
            """
        case .persistenceRefused:
            """
            空き容量が少なくなると、未送信のメモがブラウザーに削除されることがあります。アプリとしてインスト\
            ールすると起こりにくくなります。
            """
        case .draftNotSaved:
            "いまは下書きを保存できません。文章は残っています。送信するまでこのページを閉じないでください。"
        case .shareMissed: "共有されたテキストを受け取れませんでした。ほかのデータに影響はありません。もう一度共有してください。"
        case .shareOffered: "別のアプリまたはサイトからテキストが共有されました："
        case .shareTake: "メモに追加"
        case .shareDiscard: "破棄"
        case .shareTooLong: "共有されたテキストが1 MiBを超えているため、受け取りませんでした。ほかのデータに影響はありません。短くして、もう一度共有してください。"
        case .keyLost:
            """
            この端末のメモを開くための鍵が見つかりません。メモは残っていますが、表示も送信もできません。届い\
            たメールに影響はありません。最初からやり直すには、サインアウトしてください。
            """
        case .databaseTooNew:
            """
            この端末のデータは、より新しいバージョンのSimple Memoで保存されています。何も変更して\
            いません。ページを再読み込みして更新してください。
            """
        case .insecureConnection:
            """
            このページはhttpsで開かれていないため、メモを安全に保存できず、送信できません。文章は残って\
            います。コピーして、httpsでSimple Memoを開いてください。
            """
        case .otherTab:
            """
            別のタブで古いバージョンのSimple Memoが動いています。失われたものはありません。そのタ\
            ブを閉じてから、このページを再読み込みしてください。
            """
        case .signedOutElsewhere:
            "別のタブでサインアウトし、この端末のデータがすべて削除されたため、メモは保存していません。文章は残っています。コピーしてから、ページを再読み込みしてください。"
        case .appStopped:
            """
            アプリが停止しました。入力欄の文章は残っています。コピーしてから、ページを再読み込みしてくださ\
            い。送信したメモは無事です。
            """
        case .tokenRevoked:
            "この端末はサインアウトされています。メモはここに保存され、もう一度サインインすると送信されます。"
        case .signIn: "サインイン"
        case .history: "履歴"
        case .historyEmpty: "まだメモはありません"
        case .historyMore: "さらに表示"
        case .memoUnreadable: "開けません"
        case .showAll: "すべて表示（{1}文字）"
        case .statusQueued: "送信待ち"
        case .statusSent: "送信済み"
        case .statusDelivered: "配信済み"
        case .statusBounced: "不達"
        case .statusExpired: "期限切れ"
        case .statusRefused: "受付拒否"
        case .statusDeleted: "削除済み"
        case .statusResent: "再送信済み"
        case .statusParked: "要確認"
        case .statusUnreadable: "読み取り不可"
        case .statusUnknown: "不明"
        case .reasonSignedOut: "サインインするまでここに保存されます（{1}）。"
        case .reasonOffline: "接続を待っています（{1}）。"
        case .reasonRelay:
            "サーバーが応答していません（{1}）。メモは保存されています。自動で再送信します。"
        case .reasonWait:
            "サーバーの指示により待機しています（{1}）。メモは保存されていて、あとで送信されます。"
        case .reasonForeign:
            """
            サーバー以外のものが応答しました。このネットワークのサインイン画面かもしれません（\
            {1}）。メモは保存されています。自動で再送信します。
            """
        case .reasonUntrusted:
            "サーバーの証明書を信頼できません（{1}）。メモは保存されています。自動で再送信します。"
        case .reasonFailed:
            "前回の送信に失敗しました（{1}）。メモは保存されています。自動で再送信します。"
        case .reasonRefused:
            """
            サーバーが受け付けませんでした（{1}）。メモはここに残っています。直してもう一度送信するか、削\
            除してください。
            """
        case .reasonLost:
            """
            サーバーに保存されていたこのメモが失われました（{1}）。文章はここに残っています。も\
            う一度送信してください。
            """
        case .reasonBounced:
            """
            メールサーバーに拒否されました（{1}）。文章はここに残っています。アドレスを確認して、もう一度\
            送信してください。
            """
        case .reasonMailboxFull:
            """
            受信箱がいっぱいです（{1}）。文章はここに残っています。空きを作って、もう一度送信し\
            てください。
            """
        case .reasonNoMailbox:
            """
            メールサーバーにこのアドレスがありません（{1}）。文章はここに残っています。アドレス\
            を確認して、もう一度送信してください。
            """
        case .reasonExpired:
            """
            数日間、メールサーバーが受け取りませんでした（{1}）。文章はここに残っています。もう\
            一度送信できます。
            """
        case .reasonUnsupported:
            """
            このバージョンでは送信できません（{1}）。メモはここに残っています。アプリを更新して\
            ください。
            """
        case .reasonUnreadable:
            "壊れていて読み取れません（{1}）。そのまま残してあります。削除できます。"
        case .copy: "コピー"
        case .copied: "コピーしました"
        case .copyFailed: "コピーできませんでした。文章を選択してコピーしてください。"
        case .resend: "もう一度送信"
        case .resent: "あらためて保存しました。まもなく受信箱に届きます。"
        case .delete: "削除"
        case .deleteQuestion: "このメモを削除しますか？"
        case .deleteSentHint: "この端末から消えます。受信箱のメールは残ります。"
        case .deleteQueuedHint: "まだ送信されていません。削除すると送信されず、元に戻せません。"
        case .settings: "設定"
        case .address: "メールアドレス"
        case .addressHint: "メモはここに届きます。"
        case .askCode: "コードをメールで受け取る"
        case .codeSent: "このアドレスにコードを送りました。"
        case .longCode: "受信箱にあるSimple Memoの最新のメールに書かれた長いコードを入力してください。"
        case .code: "メールのコード"
        case .confirmCode: "確認"
        case .signedInAs: "メモの宛先：{1}"
        case .signedIn: "サインイン済み"
        case .addressInvalid: "このアドレスにはメールを送れません。確認してください。"
        case .codeInvalid: "コードは{1}桁の数字です。"
        case .codeRejected: "コードが違います。確認するか、新しいコードを請求してください。"
        case .codeExpired: "コードの期限が切れました。新しいコードを請求してください。"
        case .codeSpent: "このコードはもう試せません。新しいコードを請求してください。"
        case .handleMissing:
            """
            コードを請求したアプリで入力してください。メモは保存されています。それでも受け付けられないときは、\
            新しいコードを請求し、また表示されるときはSimple Memoを更新してください。
            """
        case .tooManyRequests: "回数が多すぎます。{1}秒後にもう一度お試しください。"
        case .tooManyRequestsLater: "回数が多すぎます。しばらくしてからもう一度お試しください。"
        case .relayUnreachable:
            "サーバーに接続できません。失われたものはありません。接続を確認して、もう一度お試しください。"
        case .relayFailed:
            "サーバーで問題が起きました（HTTP {1}）。失われたものはありません。しばらくしてからもう一度お試しください。"
        case .notARelay:
            """
            サーバー以外のものが応答しました。このネットワークのサインイン画面かもしれません。失われたものは\
            ありません。接続を確認して、もう一度お試しください。
            """
        case .subjectTemplate: "件名"
        case .subjectTemplateHint:
            "{line}はメモの最初の行、{date}は日付、{id}はメールを区別する短い記号になります。"
        case .subjectPreview: "例：{1}"
        case .templatePlaceholder:
            """
            波かっこに入れられるのは{line}、{date}、{id}だけで、{line}は1回だけです。\
            これまでの件名を引き続き使います。
            """
        case .templateBrace:
            """
            対になっていない波かっこがあります。波かっこそのものは{{または}}と書いてください。これまでの\
            件名を引き続き使います。
            """
        case .templateTooLong:
            "件名が長すぎます。短くしてください。これまでの件名を引き続き使います。"
        case .signature: "署名"
        case .signatureHint: "各メモの下に付きます。"
        case .signatureTooLong:
            "署名が長すぎます。短くしてください。これまでの署名を引き続き使います。"
        case .language: "言語"
        case .languageAutomatic: "自動"
        case .devices: "端末"
        case .deviceCurrent: "この端末"
        case .deviceSince: "{1}から"
        case .deviceUsed: "最終使用：{1}"
        case .deviceQuestion: "この端末をサインアウトさせますか？"
        case .deviceHint: "{1}からはもうメモを送信できません。受信箱のメールは残ります。"
        case .deviceSignedOut: "端末をサインアウトさせました。"
        case .privacyOverlay: "アプリがバックグラウンドのときは文章を隠す"
        case .signOut: "サインアウト"
        case .signOutQuestion: "サインアウトして、この端末のデータをすべて削除しますか？"
        case .signOutHint:
            "履歴、下書き、設定がこの端末から削除されます。受信箱のメールは残ります。"
        case .signOutUnsent: "未送信のまま失われるメモ：{1}"
        case .signOutConfirm: "サインアウトして削除"
        case .signOutUntold:
            """
            この端末のデータはすべて削除しました。サーバーに通知できなかったため、この端末がサーバーの一覧に\
            残っている可能性があります。
            """
        case .signOutKeep: "サインアウトして、すべて残す"
        case .signOutKept: "サインアウトしました。この端末のデータは暗号化されたまま、次のサインインまで残ります。"
        case .signOutKeptUntold:
            "サインアウトしました。この端末のデータは次のサインインまで残ります。サーバーに通知できなかったため、この端末がサーバーの一覧に残っている可能性があります。"
        case .settingsSaved: "保存しました"
        case .settingsNotSaved:
            "変更を保存できませんでした。これまでの設定を引き続き使います。もう一度お試しください。"
        case .syncing: "同期中"
        case .changesUnconfirmed: "未確認の変更：{1}"
        case .syncedAt: "最終同期：{1}"
        case .changeMet: "別の端末でも変更されました。そちらの値：{1}"
        case .changeRefused: "この変更は受け付けられませんでした。"
        case .edit: "編集"
        case .writtenOn: "{1}で作成"
        case .writtenElsewhere: "別の端末で作成"
        case .diagnostics: "診断"
        case .queue: "送信待ちの一覧"
        case .queueEmpty: "待っているものはありません"
        case .queued: "送信待ち：{1}"
        case .parked: "要確認：{1}"
        case .quarantined: "読み取り不可：{1}"
        case .waitingSince: "{1}から"
        case .attempts: "試行回数：{1}"
        case .nextAttempt: "次の試行：{1}"
        case .retryNow: "いますぐ再試行"
        case .retryAll: "すべていますぐ再試行"
        case .timings: "所要時間"
        case .timeToText: "起動から入力できるまで"
        case .sendToReset: "送信から入力欄が空くまで"
        case .timing: "中央値 {1} ms、最新 {2} ms、目標 {3} ms"
        case .notMeasured: "まだ計測していません"
        case .log: "最近の処理"
        case .logRemoved: "送信待ちから外れました"
        case .ratingQuestion: "Simple Memoはいかがですか？"
        case .ratingStars: "星5つのうち{1}つ"
        case .ratingDismiss: "あとで"
        case .ratingThanks: "評価をありがとうございます。"
        case .hidden: "プライバシー保護のため非表示"
        }
    }
}
