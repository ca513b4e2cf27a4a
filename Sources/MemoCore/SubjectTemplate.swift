public import MemoTexts
import WireCore

/// The form of the subjects that a person has chosen.
///
/// The syntax, all of it:
///
/// | in the template | in the subject |
/// |---|---|
/// | `{line}` | the memo's first line that is not blank, cut where it is too long; at most once |
/// | `{date}` | the day on which the memo is sent, as `2026-11-21` |
/// | `{id}` | the last six characters of the memo's identifier: two memos hardly ever have the same, so that mail clients do not merge them into one conversation |
/// | `{{`, `}}` | a brace |
/// | anything else | itself; controls are spaces, directional overrides are left out |
///
/// `[memo] {line}` makes `[memo] Buy milk`. A template without a visible character is the standard
/// one, `{line}`.
public struct SubjectTemplate: Hashable, Sendable {
    /// The longest template, in bytes of UTF-8.
    public static let maximumLength = 200
    /// How much of a subject may be fixed, dates and identifiers included: in code points, and in
    /// bytes. The rest is the line's.
    static let maximumFixed = (scalars: 48, bytes: 160)

    /// The memo's first line and nothing else.
    public static let standard = SubjectTemplate(parts: [.line])

    enum Part: Hashable, Sendable {
        case literal([UInt8])
        case line
        case date
        case id
    }

    let parts: [Part]

    private init(parts: [Part]) {
        self.parts = parts
    }

    /// Reads a template.
    ///
    /// - Parameter source: UTF-8.
    /// - Throws: ``SubjectTemplateError``.
    /// - Complexity: O(length), and no more than a little over ``maximumLength`` bytes are read.
    public init(_ source: some Sequence<UInt8>) throws(SubjectTemplateError) {
        var bytes: [UInt8] = []
        for byte in source {
            bytes.append(byte)
            if bytes.count > Self.maximumLength { throw .tooLong }
        }
        var parts: [Part] = []
        var literal: [UInt8] = []
        func endLiteral() {
            let cleaned = SubjectRule.cleaned(literal)
            if !cleaned.isEmpty { parts.append(.literal(cleaned)) }
            literal = []
        }
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            let isBrace = byte == 0x7B || byte == 0x7D
            if isBrace, index + 1 < bytes.count, bytes[index + 1] == byte {
                literal.append(byte)
                index += 2
            } else if byte == 0x7D {
                throw .brace
            } else if byte == 0x7B {
                guard let end = bytes[index...].firstIndex(of: 0x7D) else { throw .brace }
                guard let part = Self.placeholder(bytes[(index + 1)..<end]),
                    part != .line || !parts.contains(.line)
                else { throw .placeholder }
                endLiteral()
                parts.append(part)
                index = end + 1
            } else {
                literal.append(byte)
                index += 1
            }
        }
        endLiteral()
        if parts.allSatisfy({ $0 == .literal([0x20]) }) { parts = [.line] }
        self.init(parts: parts)
        let fixed = self.fixed
        guard fixed.scalars <= Self.maximumFixed.scalars, fixed.bytes <= Self.maximumFixed.bytes
        else { throw .tooLong }
    }

    /// Whether a subject shows the day. Where it does not, the caller may pass any day.
    public var showsDay: Bool { parts.contains(.date) }

    /// The length of a subject without the line.
    var fixed: (scalars: Int, bytes: Int) {
        var fixed = (scalars: 0, bytes: 0)
        for part in parts {
            switch part {
            case .literal(let literal):
                fixed.scalars += SubjectRule.scalarCount(of: literal)
                fixed.bytes += literal.count
            case .line: break
            case .date:
                fixed.scalars += CalendarDay.textLength
                fixed.bytes += CalendarDay.textLength
            case .id:
                fixed.scalars += SubjectRule.idLength
                fixed.bytes += SubjectRule.idLength
            }
        }
        return fixed
    }

    private static func placeholder(_ name: ArraySlice<UInt8>) -> Part? {
        if name.isEqual(to: "line") { return .line }
        if name.isEqual(to: "date") { return .date }
        if name.isEqual(to: "id") { return .id }
        return nil
    }
}

/// The reason for which a text is not a ``SubjectTemplate``.
@nonexhaustive public enum SubjectTemplateError: Error, Hashable, Sendable {
    /// There are braces around something else than `line`, `date` or `id`, or `{line}` twice.
    case placeholder
    /// A brace has no counterpart.
    case brace
    /// It is too long, or leaves too little room for the line.
    case tooLong

    /// The sentence that a person reads.
    public var text: AppText {
        switch self {
        case .placeholder: .templatePlaceholder
        case .brace: .templateBrace
        case .tooLong: .templateTooLong
        }
    }
}
