public import MemoCore
import Outbox
public import OutboxCore

/// A person's settings for the mails of their memos.
public struct MemoSettings: Hashable, Sendable {
    /// The template of the subjects.
    public private(set) var subjectTemplate = SubjectTemplate.standard
    /// The template as the person wrote it; `nil` for the standard one.
    public private(set) var templateSource: String?
    /// The text below each memo.
    public private(set) var signature = Signature.none

    /// The standard settings.
    public init() {}

    /// Sets the template. An empty text stands for the standard template.
    ///
    /// - Throws: ``MemoError/badTemplate(_:)``; the settings are as they were.
    public mutating func setSubjectTemplate(_ source: String) throws(MemoError) {
        do {
            subjectTemplate = try SubjectTemplate(source.utf8)
        } catch {
            throw .badTemplate(error)
        }
        templateSource = subjectTemplate == .standard ? nil : source
    }

    /// Sets the signature. An empty text stands for no signature.
    ///
    /// - Throws: ``MemoError/signatureTooLong``; the settings are as they were.
    public mutating func setSignature(_ text: String) throws(MemoError) {
        do {
            signature = try Signature(text.utf8)
        } catch {
            throw .signatureTooLong
        }
    }

    /// The subject that a memo would get, sent at this time. Each call makes another identifier.
    public func subject(of text: String, at time: WallTime) -> String {
        SubjectRule(template: subjectTemplate).subject(
            of: text,
            day: CalendarDay(local: time),
            id: .random(at: time)
        )
    }

    /// The memo with the signature below it.
    func body(of text: String) -> String {
        guard signature != .none else { return text }
        return String(decoding: signature.appended(to: Array(text.utf8)), as: UTF8.self)
    }
}
