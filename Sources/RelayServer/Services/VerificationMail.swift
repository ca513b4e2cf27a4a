import MemoCore
import MemoTexts
import OutboxCore
import RelayRules
import WireCore

/// The text of the mail that brings a code and a long code, or a long code alone.
struct VerificationMail: Sendable {
    let subject: String
    let text: String

    /// - Parameters:
    ///   - code: `nil` where the mail has a long code alone.
    ///   - longCode: The characters of the long code.
    ///   - rules: The lifetimes of both codes.
    init(
        code: VerificationCode?,
        longCode: [UInt8],
        rules: VerificationRules,
        language: Language
    ) {
        func sentence(_ text: MailText, _ values: [[UInt8]] = []) -> String {
            String(decoding: language.text(text).filled(with: values), as: UTF8.self)
        }
        let minutes = rules.codeLifetime.count / 60_000
        let digits = code.map { code in
            [sentence(.introduction), code.digits, sentence(.validity, [decimal(minutes)])]
        }
        let hours = rules.longCodeLifetime.count / 3_600_000
        let long = [sentence(.longCode, [decimal(hours)]), LongCode.grouped(longCode)]
        subject = sentence(.subject)
        text = ((digits ?? []) + long).joined(separator: "\n\n") + "\n"
    }
}

/// The text of the mail that tells the owner of an account that a device has signed in.
struct DeviceMail: Sendable {
    let subject: String
    let text: String

    /// - Parameters:
    ///   - device: The device's name, one line.
    ///   - time: The time of the sign-in.
    ///   - link: The URL of the page that signs the device out; `nil` where there is none: the mail
    ///     then names the menu in the web app.
    init(device: String, time: WallTime, link: String?, language: Language) {
        func sentence(_ text: MailText, _ values: [[UInt8]] = []) -> String {
            String(decoding: language.text(text).filled(with: values), as: UTF8.self)
        }
        let days = RevocationRight.lifetime.count / 86_400_000
        let paragraphs: [String?] = [
            sentence(.deviceIntroduction),
            [device, MailDate.numbers(time)].filter { !$0.isEmpty }.joined(separator: "\n"),
            link == nil
                ? sentence(.devicePath, language.pathToDevices)
                : sentence(.deviceLink, [decimal(days)]),
            link,
            sentence(.devicePassword),
        ]
        subject = sentence(.deviceSubject)
        text = paragraphs.compactMap(\.self).joined(separator: "\n\n") + "\n"
    }
}

extension Language {
    /// The language that a request asks for, else English.
    ///
    /// - Parameter tag: A BCP 47 tag, not checked; `nil` for none.
    init(asked tag: String?) {
        self = tag.flatMap { Language(tag: $0.utf8) } ?? .english
    }

    /// The web app's names of the settings and of the devices in them.
    var pathToDevices: [[UInt8]] { [text(AppText.settings).bytes, text(AppText.devices).bytes] }
}
