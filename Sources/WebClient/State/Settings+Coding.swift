import MemoCore
import MemoTexts
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
