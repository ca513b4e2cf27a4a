/// The texts of the mails and of the pages that the relay writes itself, in ten languages.
public enum MailText: UInt8, CaseIterable, Sendable {
    /// The mail's subject.
    case subject
    /// Stands above the code.
    case introduction
    /// Stands below the code. `{1}` is a number of minutes.
    case validity
    /// Stands above the long code. `{1}` is a number of hours.
    case longCode
    /// The subject of the mail about a new device.
    case deviceSubject
    /// Stands above the device's name and the time.
    case deviceIntroduction
    /// Stands above the link that signs the device out. `{1}` is a number of days.
    case deviceLink
    /// Says where a device is signed out, where there is no link. `{1}` and `{2}` are the web app's
    /// names for the settings and for the devices.
    case devicePath
    /// Stands at the end of the mail about a new device.
    case devicePassword
    /// The question of the page to which the link leads.
    case revokeQuestion
    /// The page's button.
    case revokeButton
    /// The page, once the device is signed out.
    case revokeDone
    /// The page for a link that signs nothing out. `{1}` and `{2}` are the web app's names for the
    /// settings and for the devices.
    case revokeInvalid
    /// The page for an address at which there is nothing.
    case unknownAddress
    /// The way from that page to the web app.
    case writeMemo
}

extension MailText {
    var english: StaticString {
        switch self {
        case .subject: "Your Simple Memo code"
        case .introduction: "Your Simple Memo code:"
        case .validity:
            """
            It is good for {1} minutes. If you did not ask for it, ignore this mail: nobody can \
            sign in without it.
            """
        case .longCode:
            """
            Should Simple Memo ask for the long code, enter this one. It is good for {1} hours, \
            and once:
            """
        case .deviceSubject: "A new device is signed in to Simple Memo"
        case .deviceIntroduction:
            "A device has signed in with a code that was mailed to this address:"
        case .deviceLink:
            """
            If that was you, there is nothing to do. If not, sign the device out here within {1} \
            days:
            """
        case .devicePath:
            """
            If that was you, there is nothing to do. If not, open Simple Memo in a browser, sign \
            in, and sign the device out under “{1}”, “{2}”.
            """
        case .devicePassword:
            """
            Whoever it was has read a mail in this mailbox. If you do not know who, change the \
            password of the mailbox as well.
            """
        case .revokeQuestion: "Sign this device out of Simple Memo? Mails in your inbox stay."
        case .revokeButton: "Sign out"
        case .revokeDone: "The device is signed out and can send no more memos."
        case .revokeInvalid:
            """
            This link is not valid, or no longer. You can sign a device out in the web app, \
            under “{1}”, “{2}”.
            """
        case .unknownAddress: "There is nothing at this address."
        case .writeMemo: "Write a memo"
        }
    }

    var japanese: StaticString {
        switch self {
        case .subject: "Simple Memoの確認コード"
        case .introduction: "Simple Memoの確認コード："
        case .validity:
            """
            有効期間は{1}分です。お心当たりがない場合は、このメールを無視してください。このコードなしには\
            誰もサインインできません。
            """
        case .longCode: "Simple Memoから長いコードを求められたときは、次のコードを入力してください。有効期間は{1}時間で、一度だけ使えます："
        case .deviceSubject: "Simple Memoに新しい端末がサインインしました"
        case .deviceIntroduction: "このアドレスに送られたコードで、次の端末がサインインしました："
        case .deviceLink:
            """
            ご本人の場合は、何もする必要はありません。お心当たりがない場合は、{1}日以内に次のリン\
            クからその端末をサインアウトさせてください：
            """
        case .devicePath:
            """
            ご本人の場合は、何もする必要はありません。お心当たりがない場合は、ブラウザーでSimple Memo\
            を開いてサインインし、「{1}」の「{2}」でその端末をサインアウトさせてください。
            """
        case .devicePassword:
            """
            サインインした人は、このメールボックスのメールを読んでいます。お心当たりがない場合は、メ\
            ールボックスのパスワードも変更してください。
            """
        case .revokeQuestion: "この端末をSimple Memoからサインアウトさせますか？受信箱のメールは残ります。"
        case .revokeButton: "サインアウト"
        case .revokeDone: "端末をサインアウトさせました。この端末からはもうメモを送信できません。"
        case .revokeInvalid: "このリンクは無効か、期限が切れています。端末はウェブアプリの「{1}」の「{2}」でサインアウトさせることができます。"
        case .unknownAddress: "このアドレスには何もありません。"
        case .writeMemo: "メモを書く"
        }
    }

    var spanish: StaticString {
        switch self {
        case .subject: "Su código de Simple Memo"
        case .introduction: "Su código de Simple Memo:"
        case .validity:
            """
            Es válido durante {1} minutos. Si no lo ha pedido, ignore este correo: nadie puede \
            iniciar sesión sin él.
            """
        case .longCode:
            """
            Si Simple Memo pide el código largo, introduzca este. Es válido durante {1} horas, \
            y una sola vez:
            """
        case .deviceSubject: "Un dispositivo nuevo ha iniciado sesión en Simple Memo"
        case .deviceIntroduction:
            "Un dispositivo ha iniciado sesión con un código enviado a esta dirección:"
        case .deviceLink:
            """
            Si ha sido usted, no tiene que hacer nada. Si no, cierre aquí la sesión del \
            dispositivo en un plazo de {1} días:
            """
        case .devicePath:
            """
            Si ha sido usted, no tiene que hacer nada. Si no, abra Simple Memo en un navegador, \
            inicie sesión y cierre la del dispositivo en «{1}», «{2}».
            """
        case .devicePassword:
            """
            Quien lo ha hecho ha leído un correo de esta cuenta. Si no sabe quién es, cambie \
            también la contraseña de la cuenta de correo.
            """
        case .revokeQuestion:
            """
            ¿Cerrar la sesión de este dispositivo en Simple Memo? Los correos de su \
            bandeja de entrada se conservan.
            """
        case .revokeButton: "Cerrar sesión"
        case .revokeDone: "La sesión del dispositivo está cerrada: ya no puede enviar notas."
        case .revokeInvalid:
            """
            Este enlace no es válido o ya no lo es. Puede cerrar la sesión de un dispositivo en \
            la aplicación web, en «{1}», «{2}».
            """
        case .unknownAddress: "No hay nada en esta dirección."
        case .writeMemo: "Escribir una nota"
        }
    }

    var french: StaticString {
        switch self {
        case .subject: "Votre code Simple Memo"
        case .introduction: "Votre code Simple Memo\u{00A0}:"
        case .validity:
            """
            Il est valable {1} minutes. Si vous ne l’avez pas demandé, ignorez cet \
            e-mail\u{00A0}: personne ne peut se connecter sans lui.
            """
        case .longCode:
            """
            Si Simple Memo demande le code long, saisissez celui-ci. Il est valable {1} heures, \
            et une seule fois\u{00A0}:
            """
        case .deviceSubject: "Un nouvel appareil est connecté à Simple Memo"
        case .deviceIntroduction:
            "Un appareil s’est connecté avec un code envoyé à cette adresse\u{00A0}:"
        case .deviceLink:
            """
            Si c’était vous, il n’y a rien à faire. Sinon, déconnectez l’appareil ici dans les \
            {1} jours\u{00A0}:
            """
        case .devicePath:
            """
            Si c’était vous, il n’y a rien à faire. Sinon, ouvrez Simple Memo dans un \
            navigateur, connectez-vous et déconnectez l’appareil sous «\u{00A0}{1}\u{00A0}», \
            «\u{00A0}{2}\u{00A0}».
            """
        case .devicePassword:
            """
            Cette personne a lu un e-mail de cette boîte. Si vous ne savez pas qui c’est, \
            changez aussi le mot de passe de la boîte.
            """
        case .revokeQuestion:
            "Déconnecter cet appareil de Simple Memo\u{202F}? Les e-mails de votre boîte restent."
        case .revokeButton: "Déconnecter"
        case .revokeDone: "L’appareil est déconnecté et ne peut plus envoyer de mémos."
        case .revokeInvalid:
            """
            Ce lien n’est pas valide, ou ne l’est plus. Vous pouvez déconnecter un appareil dans \
            l’application web, sous «\u{00A0}{1}\u{00A0}», «\u{00A0}{2}\u{00A0}».
            """
        case .unknownAddress: "Il n’y a rien à cette adresse."
        case .writeMemo: "Écrire un mémo"
        }
    }

    var german: StaticString {
        switch self {
        case .subject: "Ihr Code für Simple Memo"
        case .introduction: "Ihr Code für Simple Memo:"
        case .validity:
            """
            Er gilt {1} Minuten. Wenn Sie ihn nicht angefordert haben, ignorieren Sie diese \
            E-Mail: Ohne ihn kann sich niemand anmelden.
            """
        case .longCode:
            """
            Wenn Simple Memo nach dem langen Code fragt, geben Sie diesen ein. Er gilt {1} \
            Stunden, und nur einmal:
            """
        case .deviceSubject: "Ein neues Gerät ist bei Simple Memo angemeldet"
        case .deviceIntroduction:
            "Ein Gerät hat sich mit einem Code angemeldet, der an diese Adresse ging:"
        case .deviceLink:
            """
            Wenn Sie das waren, ist nichts zu tun. Wenn nicht, melden Sie das Gerät innerhalb \
            von {1} Tagen hier ab:
            """
        case .devicePath:
            """
            Wenn Sie das waren, ist nichts zu tun. Wenn nicht, öffnen Sie Simple Memo in einem \
            Browser, melden Sie sich an, und melden Sie das Gerät unter „{1}“, „{2}“ ab.
            """
        case .devicePassword:
            """
            Wer es auch war, hat eine E-Mail in diesem Postfach gelesen. Wenn Sie nicht wissen, \
            wer, ändern Sie auch das Passwort des Postfachs.
            """
        case .revokeQuestion:
            "Dieses Gerät bei Simple Memo abmelden? E-Mails in Ihrem Postfach bleiben."
        case .revokeButton: "Abmelden"
        case .revokeDone: "Das Gerät ist abgemeldet und kann keine Notizen mehr senden."
        case .revokeInvalid:
            """
            Dieser Link ist nicht oder nicht mehr gültig. In der Web-App können Sie ein Gerät \
            unter „{1}“, „{2}“ abmelden.
            """
        case .unknownAddress: "Unter dieser Adresse gibt es nichts."
        case .writeMemo: "Notiz schreiben"
        }
    }

    var italian: StaticString {
        switch self {
        case .subject: "Il tuo codice Simple Memo"
        case .introduction: "Il tuo codice Simple Memo:"
        case .validity:
            """
            È valido per {1} minuti. Se non l’hai richiesto, ignora questa e-mail: senza il \
            codice nessuno può accedere.
            """
        case .longCode:
            """
            Se Simple Memo chiede il codice lungo, inserisci questo. È valido per {1} ore, e \
            una volta sola:
            """
        case .deviceSubject: "Un nuovo dispositivo ha effettuato l’accesso a Simple Memo"
        case .deviceIntroduction:
            "Un dispositivo ha effettuato l’accesso con un codice inviato a questo indirizzo:"
        case .deviceLink:
            """
            Se sei stato tu, non devi fare nulla. Altrimenti disconnetti il dispositivo qui \
            entro {1} giorni:
            """
        case .devicePath:
            """
            Se sei stato tu, non devi fare nulla. Altrimenti apri Simple Memo in un browser, \
            accedi e disconnetti il dispositivo in “{1}”, “{2}”.
            """
        case .devicePassword:
            """
            Chiunque sia stato ha letto un’e-mail di questa casella. Se non sai chi sia, cambia \
            anche la password della casella.
            """
        case .revokeQuestion:
            "Disconnettere questo dispositivo da Simple Memo? Le e-mail nella tua casella di posta restano."
        case .revokeButton: "Disconnetti"
        case .revokeDone: "Il dispositivo è disconnesso e non può più inviare note."
        case .revokeInvalid:
            """
            Questo link non è valido o non lo è più. Puoi disconnettere un dispositivo nell’app \
            web, in “{1}”, “{2}”.
            """
        case .unknownAddress: "A questo indirizzo non c’è nulla."
        case .writeMemo: "Scrivi una nota"
        }
    }

    var portuguese: StaticString {
        switch self {
        case .subject: "Seu código do Simple Memo"
        case .introduction: "Seu código do Simple Memo:"
        case .validity:
            """
            Ele vale por {1} minutos. Se você não o pediu, ignore este e-mail: ninguém pode \
            entrar sem ele.
            """
        case .longCode:
            """
            Se o Simple Memo pedir o código longo, digite este. Ele vale por {1} horas, e uma \
            única vez:
            """
        case .deviceSubject: "Um novo dispositivo entrou no Simple Memo"
        case .deviceIntroduction: "Um dispositivo entrou com um código enviado para este endereço:"
        case .deviceLink:
            """
            Se foi você, não há nada a fazer. Se não foi, desconecte o dispositivo aqui em até \
            {1} dias:
            """
        case .devicePath:
            """
            Se foi você, não há nada a fazer. Se não foi, abra o Simple Memo em um navegador, \
            entre e desconecte o dispositivo em “{1}”, “{2}”.
            """
        case .devicePassword:
            """
            Quem fez isso leu um e-mail desta caixa. Se você não sabe quem foi, mude também a \
            senha da caixa.
            """
        case .revokeQuestion:
            """
            Desconectar este dispositivo do Simple Memo? Os e-mails na sua caixa de entrada \
            permanecem.
            """
        case .revokeButton: "Desconectar"
        case .revokeDone: "O dispositivo está desconectado e não pode mais enviar notas."
        case .revokeInvalid:
            """
            Este link não é válido ou não vale mais. Você pode desconectar um dispositivo no \
            app web, em “{1}”, “{2}”.
            """
        case .unknownAddress: "Não há nada neste endereço."
        case .writeMemo: "Escrever uma nota"
        }
    }

    var korean: StaticString {
        switch self {
        case .subject: "Simple Memo 인증 코드"
        case .introduction: "Simple Memo 인증 코드:"
        case .validity:
            """
            {1}분 동안 유효합니다. 요청한 적이 없다면 이 메일을 무시하세요. 이 코드 없이는 아무도 \
            로그인할 수 없습니다.
            """
        case .longCode: "Simple Memo가 긴 코드를 요구하면 다음 코드를 입력하세요. {1}시간 동안 한 번만 사용할 수 있습니다:"
        case .deviceSubject: "새 기기가 Simple Memo에 로그인했습니다"
        case .deviceIntroduction: "이 주소로 보낸 코드로 다음 기기가 로그인했습니다:"
        case .deviceLink: "본인이라면 아무것도 하지 않아도 됩니다. 본인이 아니라면 {1}일 안에 여기에서 그 기기를 로그아웃하세요:"
        case .devicePath:
            """
            본인이라면 아무것도 하지 않아도 됩니다. 본인이 아니라면 브라우저에서 Simple Memo\
            를 열어 로그인한 다음 ‘{1}’의 ‘{2}’에서 그 기기를 로그아웃하세요.
            """
        case .devicePassword: "로그인한 사람은 이 메일함의 메일을 읽었습니다. 누구인지 모른다면 메일함의 비밀번호도 바꾸세요."
        case .revokeQuestion: "이 기기를 Simple Memo에서 로그아웃할까요? 받은편지함의 메일은 남습니다."
        case .revokeButton: "로그아웃"
        case .revokeDone: "기기가 로그아웃되어 더 이상 메모를 보낼 수 없습니다."
        case .revokeInvalid: "이 링크는 유효하지 않거나 만료되었습니다. 기기는 웹 앱의 ‘{1}’의 ‘{2}’에서 로그아웃할 수 있습니다."
        case .unknownAddress: "이 주소에는 아무것도 없습니다."
        case .writeMemo: "메모 쓰기"
        }
    }

    var simplifiedChinese: StaticString {
        switch self {
        case .subject: "Simple Memo 验证码"
        case .introduction: "Simple Memo 验证码："
        case .validity:
            "{1} 分钟内有效。如果不是本人操作，请忽略此邮件：没有验证码，任何人都无法登录。"
        case .longCode: "如果 Simple Memo 要求输入长验证码，请输入下面的验证码。{1} 小时内有效，只能使用一次："
        case .deviceSubject: "有新设备登录了 Simple Memo"
        case .deviceIntroduction: "以下设备使用发送到此邮箱的验证码登录："
        case .deviceLink: "如果是本人操作，则无需处理。如果不是，请在 {1} 天内点击此链接让该设备退出登录："
        case .devicePath:
            """
            如果是本人操作，则无需处理。如果不是，请在浏览器中打开 Simple Memo 并登录，\
            然后在“{1}”的“{2}”中让该设备退出登录。
            """
        case .devicePassword: "登录者读过此邮箱中的邮件。如果您不知道是谁，请同时更改邮箱密码。"
        case .revokeQuestion: "要让此设备退出登录 Simple Memo 吗？收件箱中的邮件会保留。"
        case .revokeButton: "退出登录"
        case .revokeDone: "该设备已退出登录，无法再发送备忘。"
        case .revokeInvalid: "此链接无效或已过期。您可以在网页版的“{1}”的“{2}”中让设备退出登录。"
        case .unknownAddress: "此地址没有任何内容。"
        case .writeMemo: "写备忘"
        }
    }

    var arabic: StaticString {
        switch self {
        case .subject: "رمز Simple Memo الخاص بك"
        case .introduction: "رمز Simple Memo الخاص بك:"
        case .validity:
            """
            مدة صلاحيته بالدقائق: {1}. إن لم تطلب هذا الرمز فتجاهل هذه الرسالة: لا يمكن لأحد تسجيل \
            الدخول من دونه.
            """
        case .longCode:
            """
            إذا طلب Simple Memo الرمز الطويل فأدخل هذا الرمز. يصلح مرة واحدة، ومدة صلاحيته \
            بالساعات: {1}:
            """
        case .deviceSubject: "جهاز جديد سجّل الدخول إلى Simple Memo"
        case .deviceIntroduction: "سجّل جهاز الدخول برمز أُرسل إلى هذا العنوان:"
        case .deviceLink:
            """
            إن كنت أنت من فعل ذلك فلا حاجة إلى أي إجراء. وإلا فسجّل خروج الجهاز من هنا. مدة \
            صلاحية الرابط بالأيام: {1}:
            """
        case .devicePath:
            """
            إن كنت أنت من فعل ذلك فلا حاجة إلى أي إجراء. وإلا فافتح Simple Memo في متصفح وسجّل \
            الدخول، ثم سجّل خروج الجهاز من «{1}» ثم «{2}».
            """
        case .devicePassword:
            "من فعل ذلك قرأ رسالة في بريدك. إن كنت لا تعرفه فغيّر كلمة مرور البريد أيضًا."
        case .revokeQuestion:
            "أتريد تسجيل خروج هذا الجهاز من Simple Memo؟ تبقى الرسائل في بريدك."
        case .revokeButton: "تسجيل الخروج"
        case .revokeDone: "سُجّل خروج الجهاز ولم يعد بإمكانه إرسال مذكرات."
        case .revokeInvalid:
            """
            هذا الرابط غير صالح أو انتهت صلاحيته. يمكنك تسجيل خروج جهاز في تطبيق الويب من «{1}» \
            ثم «{2}».
            """
        case .unknownAddress: "لا يوجد شيء في هذا العنوان."
        case .writeMemo: "كتابة مذكرة"
        }
    }
}
