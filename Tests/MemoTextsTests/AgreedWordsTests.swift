import MemoTexts
import Testing

/// Texts that readers of their languages have corrected: what the text now says, and what it must not
/// say again. A word that stands in many texts has its row in ``GlossaryTests``.
@Suite("The words that readers have corrected")
struct AgreedWordsTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let language: Language
        let texts: [String]
        /// Part of each of the texts.
        let words: String
        /// Part of none of the texts.
        let others: [String]

        init(_ language: Language, _ texts: String..., says words: String, not others: String...) {
            self.language = language
            self.texts = texts
            self.words = words
            self.others = others
        }

        var testDescription: String { "\(language.tag) \(texts.joined(separator: ", "))" }
    }

    static let rows: [Row] = [
        Row(.arabic, "statusUnreadable", "quarantined", says: "تتعذّر قراءته", not: "مقروء"),
        Row(.arabic, "settingTemplate", says: "يُكوَّن الموضوع", not: "العناوين"),
        Row(.arabic, "templatePlaceholder", says: "القوسين \u{2066}{ }", not: "معقوفين"),
        Row(.arabic, "timings", says: "أوقات الاستجابة", not: "الأزمنة"),
        Row(.arabic, "entriesNeedPerson", says: "تحتاج إلى انتباهك", not: "تحتاج إليك"),
        Row(.french, "codeInvalid", says: "Le code comporte {1} chiffres", not: "Ce code"),
        Row(.french, "shareTake", says: "Ajouter", not: "Prendre"),
        Row(.french, "shareDiscard", says: "Ignorer", not: "Écarter"),
        Row(.french, "shareOffered", says: "a partagé", not: "prenez"),
        Row(.french, "settingTemplate", says: "composer l’objet des e-mails", not: "les objets"),
        Row(.german, "entriesNeedPerson", says: "die Ihre Aufmerksamkeit", not: "die Sie brauchen"),
        Row(.german, "parked", says: "Zu prüfen", not: "Bitte"),
        Row(.german, "outboxWatch", says: "den Zustand", not: "wie es"),
        Row(.german, "doctorCommand", says: "den Zustand", not: "wie es"),
        Row(.spanish, "entriesNeedPerson", says: "que requieren su atención", not: "le necesitan"),
        Row(.spanish, "statusUnknown", says: "Desconocida", not: "Desconocido"),
        Row(.spanish, "outboxWatch", "doctorCommand", says: "el estado", not: "cómo está"),
        Row(.italian, "entriesNeedPerson", says: "il tuo intervento", not: "richiedono te"),
        Row(.italian, "templateBrace", says: "la corrispondente", not: "compagna"),
        Row(.italian, "offline", says: "Offline", not: "Non in linea"),
        Row(.italian, "statusUnknown", says: "Sconosciuta", not: "Sconosciuto"),
        Row(.italian, "settingTemplate", says: "l’oggetto delle e-mail", not: "gli oggetti"),
        Row(.italian, "outboxWatch", "doctorCommand", says: "lo stato", not: "come sta"),
        Row(.portuguese, "statusUnknown", says: "Desconhecida", not: "Desconhecido"),
        Row(.japanese, "usageCompose", says: "ターミナルで書く", not: "端末"),
        Row(.japanese, "handleMissing", says: "コードを請求したアプリで入力", not: "からのコード"),
        Row(.japanese, "serviceMissing", says: "memoを実行すると", not: "呼ぶ"),
        Row(.korean, "serviceMissing", says: "memo를 실행하면 전송됩니다", not: "부르면", "나갑니다"),
        // A code that is wrong need not have been used: the relay says only that it was not taken.
        Row(.english, "codeRejected", says: "wrong", not: "used"),
        Row(.french, "codeRejected", says: "erroné", not: "utilisé"),
        Row(.german, "codeRejected", says: "falsch", not: "verbraucht", "benutzt", "verwendet"),
        Row(.spanish, "codeRejected", says: "incorrecto", not: "usado", "utilizado"),
        Row(.italian, "codeRejected", says: "errato", not: "usato", "utilizzato"),
        Row(.portuguese, "codeRejected", says: "errado", not: "usado", "utilizado"),
        Row(.japanese, "codeRejected", says: "違います", not: "使用済み"),
        Row(.korean, "codeRejected", says: "틀렸습니다", not: "사용"),
        Row(.simplifiedChinese, "codeRejected", says: "有误", not: "使用"),
        Row(.arabic, "codeRejected", says: "غير صحيح", not: "استُخدم", "مستخدم"),
        // The button mails a code; it does not submit one.
        Row(.english, "askCode", says: "Mail me", not: "Send code"),
        Row(.french, "askCode", says: "Recevoir", not: "Envoyer"),
        Row(.german, "askCode", says: "anfordern", not: "senden"),
        Row(.spanish, "askCode", says: "Recibir", not: "Enviar"),
        Row(.italian, "askCode", says: "Ricevi", not: "Invia"),
        Row(.portuguese, "askCode", says: "Receber", not: "Enviar"),
        Row(.japanese, "askCode", says: "受け取る", not: "コードを送る"),
        Row(.korean, "askCode", says: "받기", not: "보내기"),
        Row(.simplifiedChinese, "askCode", says: "发送验证码"),
        Row(.arabic, "askCode", says: "استلام", not: "إرسال"),
        // Ctrl-C keeps the draft, and leaves.
        Row(.english, "composeHint", says: "Ctrl-C leave"),
        Row(.french, "composeHint", says: "Ctrl-C quitte"),
        Row(.german, "composeHint", says: "Strg-C beendet"),
        Row(.spanish, "composeHint", says: "Ctrl-C sale"),
        Row(.italian, "composeHint", says: "Ctrl-C esce"),
        Row(.portuguese, "composeHint", says: "Ctrl-C sai"),
        Row(.japanese, "composeHint", says: "Ctrl-Cで終了"),
        Row(.korean, "composeHint", says: "Ctrl-C로 나가"),
        Row(.simplifiedChinese, "composeHint", says: "Ctrl-C 退出"),
        Row(.arabic, "composeHint", says: "Ctrl-C للخروج"),
    ]

    @Test("are those of the text", arguments: rows)
    func words(row: Row) {
        for name in row.texts {
            let texts = TextTests.all(in: row.language).filter { $0.name == name }
            #expect(texts.contains { $0.words.contains(row.words) }, "\(name)")
            for other in row.others {
                #expect(!texts.contains { $0.words.contains(other) }, "\(name): \(other)")
            }
        }
    }
}
