/// The texts of the mail that brings a verification code, in ten languages.
public enum MailText: UInt8, CaseIterable, Sendable {
    /// The mail's subject.
    case subject
    /// Stands above the code.
    case introduction
    /// Stands below the code. `{1}` is a number of minutes.
    case validity
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
        }
    }

    var simplifiedChinese: StaticString {
        switch self {
        case .subject: "Simple Memo 验证码"
        case .introduction: "Simple Memo 验证码："
        case .validity:
            "{1} 分钟内有效。如果不是本人操作，请忽略此邮件：没有验证码，任何人都无法登录。"
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
        }
    }
}
