import MemoCore
import MemoSyncCore
import MemoTexts
import SyncCore
import WireCore

extension Settings {
    /// Reads stored settings. A missing or unknown setting gets its default.
    init(decoding bytes: [UInt8]) {
        guard let json = JSON(decoding: bytes) else { return }
        language = json[string: "language"].flatMap { Language(tag: $0) }
        subject = json[string: "subject"] ?? []
        signature = json[string: "signature"] ?? []
        hasOverlay = json[bool: "overlay"] ?? true
    }

    func encoded() -> [UInt8] {
        JSON.object([
            ("language", language.map { .string(utf8($0.tag)) } ?? .null),
            ("overlay", .bool(hasOverlay)),
            ("signature", .string(signature)),
            ("subject", .string(subject)),
        ]).encoded()
    }

    /// The settings with those that the account has. A setting that the account has not stays, and one of
    /// a later build is passed over.
    func following(_ fields: [Field]) -> Settings {
        var settings = self
        for field in fields {
            switch SharedSetting(name: field.name) {
            case .language: settings.language = Language(tag: field.value)
            case .subject: settings.subject = field.value
            case .signature: settings.signature = field.value
            case .overlay: settings.hasOverlay = !(field.value == "off")
            case nil: break
            }
        }
        return settings
    }

    /// The fields by which these settings differ from others.
    func fields(unlike other: Settings) -> [Field] {
        let (mine, theirs) = (values, other.values)
        var fields: [Field] = []
        for setting in SharedSetting.allCases {
            let value = mine[Int(setting.rawValue)]
            if value != theirs[Int(setting.rawValue)] { fields.append(setting.field(value)) }
        }
        return fields
    }

    /// The values as all devices share them, in the order of `SharedSetting`.
    private var values: [[UInt8]] {
        [language.map { utf8($0.tag) } ?? [], subject, signature, utf8(hasOverlay ? "on" : "off")]
    }

    /// The subject's rule. The template of a newer build that cannot be read counts as none.
    var subjectRule: SubjectRule {
        guard let template = try? SubjectTemplate(subject) else { return SubjectRule() }
        return SubjectRule(template: template)
    }

    /// The mail's text: the memo with the signature below it.
    func mailed(_ memo: [UInt8]) -> [UInt8] {
        guard let signature = try? Signature(signature) else { return memo }
        return signature.appended(to: memo)
    }
}

extension Timings {
    init(decoding bytes: [UInt8]) {
        guard let json = JSON(decoding: bytes) else { return }
        func list(_ name: StaticString) -> [Int64] {
            json[name]?.array?.compactMap { $0.number } ?? []
        }
        timeToText = list("timeToText")
        sendToReset = list("sendToReset")
    }

    func encoded() -> [UInt8] {
        func list(_ values: [Int64]) -> JSON { .array(values.map { .number($0) }) }
        return JSON.object([
            ("sendToReset", list(sendToReset)), ("timeToText", list(timeToText)),
        ]).encoded()
    }
}
