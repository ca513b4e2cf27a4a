package import OutboxCore

/// A mail server's report on a mail's delivery
/// ([RFC 3464](https://www.rfc-editor.org/rfc/rfc3464)), as far as the relay uses it. Pure.
///
/// Anybody can send such a mail, in any shape. The reader goes once over its bytes, makes no copy
/// that grows with the number of recipients, and never fails: a mail that is no report has no
/// ``verdict``. It reads the report that the mail itself is, not one that is nested deeper. RFC 3464
/// forbids an encoding of the report's part, so an encoded part is none.
package struct DeliveryReport: Sendable {
    /// The fate of the mail, as the report tells it.
    package enum Verdict: Hashable, Sendable {
        /// The mail was refused for good and reached nobody; a reason such as `dsn.5.1.1`.
        case bounced(ReasonCode)
        /// The mail server has given up trying, and the mail reached nobody; a reason such as
        /// `dsn.4.4.1`. The cause was not permanent
        /// ([RFC 3464, section 2.3.3](https://www.rfc-editor.org/rfc/rfc3464#section-2.3.3): after
        /// `failed` no attempt follows, whatever the status).
        case expired(ReasonCode)
        /// The mail is delayed or was handed on, or the report does not say how it failed.
        case open
    }

    /// The fate; `nil` where the mail is no report.
    package let verdict: Verdict?
    /// The addresses to which the mail came, as its header tells them: at most
    /// ``greatestNumberOfAddresses``.
    package let addresses: [[UInt8]]

    /// The number of bytes at the beginning of a mail that are read. A report stands in front of the
    /// mail that it returns.
    package static let longestMail = 1 << 20
    static let greatestNumberOfAddresses = 16
    private static let longestHeader = 64 * 1024

    /// - Complexity: O(bytes), at most ``longestMail``.
    package init(_ mail: some Collection<UInt8>) {
        var lines = Lines(rest: Array(mail.prefix(Self.longestMail))[...])
        let header = Header(&lines, atMost: Self.longestHeader, skipsPostmark: true)
        addresses = header.addresses
        guard let type = header.type, type.name == "multipart/report",
            let boundary = type.boundary, (1...70).contains(boundary.count)
        else {
            verdict = nil
            return
        }
        verdict = Self.verdict(in: &lines, boundary: Array("--".utf8) + boundary)
    }

    private static func verdict(in lines: inout Lines, boundary: [UInt8]) -> Verdict? {
        while let line = lines.next() {
            switch delimiter(line, boundary) {
            case .none: continue
            case .end: return nil
            case .part: break
            }
            var part = lines
            let header = Header(&part, atMost: longestHeader, skipsPostmark: false)
            let name = header.type?.name
            guard name == "message/delivery-status" || name == "message/global-delivery-status"
            else { continue }
            return header.isEncoded ? nil : verdict(ofPart: &part, boundary: boundary)
        }
        return nil
    }

    /// Reads groups of fields, divided by empty lines. A group with an action is of one recipient.
    private static func verdict(ofPart lines: inout Lines, boundary: [UInt8]) -> Verdict? {
        var verdict: Verdict?
        var isHandedOn = false
        var group = Group()
        func finish() {
            defer { group = Group() }
            switch group.action {
            case nil: break
            case "failed":
                guard let found = group.failure else {
                    verdict = verdict ?? .open
                    return
                }
                if verdict == nil || verdict == .open { verdict = found }
            case "delivered", "relayed", "expanded":
                isHandedOn = true
            default: verdict = verdict ?? .open
            }
        }
        while let line = lines.next(), delimiter(line, boundary) == nil {
            if line.allSatisfy(isBlank) {
                finish()
            } else if let (name, value) = field(line) {
                group.note(name, value)
            }
        }
        finish()
        return isHandedOn ? .open : verdict
    }

    private struct Group {
        var action: String?
        /// An enhanced status code ([RFC 3463](https://www.rfc-editor.org/rfc/rfc3463)).
        var status: String?

        mutating func note(_ name: String, _ value: ArraySlice<UInt8>) {
            let word = value.prefix { !isBlank($0) && $0 != UInt8(ascii: "(") }.prefix(16)
            switch name {
            case "action" where action == nil: action = lowercase(word)
            case "status" where status == nil && Self.isStatus(word):
                status = String(decoding: word, as: UTF8.self)
            default: break
            }
        }

        /// `nil` where the status tells no failure.
        var failure: Verdict? {
            guard let status else { return nil }
            let reason = ReasonCode(utf8: Array("dsn.\(status)".utf8))
            return switch status.utf8.first {
            case UInt8(ascii: "4"): .expired(reason)
            case UInt8(ascii: "5"): .bounced(reason)
            default: nil
            }
        }

        private static func isStatus(_ word: ArraySlice<UInt8>) -> Bool {
            let parts = word.split(
                separator: UInt8(ascii: "."),
                omittingEmptySubsequences: false
            )
            return parts.count == 3 && parts[0].count == 1
                && parts.allSatisfy { part in
                    (1...3).contains(part.count)
                        && part.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
                }
        }
    }

    private enum Delimiter { case part, end }

    private static func delimiter(_ line: ArraySlice<UInt8>, _ boundary: [UInt8]) -> Delimiter? {
        guard line.starts(with: boundary) else { return nil }
        let tail = line.dropFirst(boundary.count)
        if tail.allSatisfy(isBlank) { return .part }
        return tail.starts(with: "--".utf8) && tail.dropFirst(2).allSatisfy(isBlank) ? .end : nil
    }
}

/// The lines of a mail, ended by LF or CR LF, without their ends.
private struct Lines {
    var rest: ArraySlice<UInt8>

    mutating func next() -> ArraySlice<UInt8>? {
        guard !rest.isEmpty else { return nil }
        let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
        let line = rest[..<end]
        rest = rest[min(end + 1, rest.endIndex)...]
        return line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    }
}

/// The fields of a header that the reader of a report needs.
private struct Header {
    var type: ContentType?
    var isEncoded = false
    var addresses: [[UInt8]] = []

    /// Reads to the end of the header. A header that is too long is read as far as allowed.
    init(_ lines: inout Lines, atMost limit: Int, skipsPostmark: Bool) {
        let start = lines.rest.startIndex
        var unfolded: [UInt8] = []
        var isFirst = skipsPostmark
        while lines.rest.startIndex - start < limit {
            let before = lines
            guard let line = lines.next(), !line.isEmpty, !line.starts(with: "--".utf8) else {
                if before.rest.starts(with: "--".utf8) { lines = before }
                break
            }
            defer { isFirst = false }
            if isFirst, line.starts(with: "From ".utf8) { continue }
            if let first = line.first, isBlank(first) {
                unfolded += line.prefix(limit)
            } else {
                note(unfolded[...])
                unfolded = Array(line.prefix(limit))
            }
        }
        note(unfolded[...])
    }

    private mutating func note(_ line: ArraySlice<UInt8>) {
        guard let (name, value) = field(line) else { return }
        switch name {
        case "content-type" where type == nil: type = ContentType(value)
        case "content-transfer-encoding":
            isEncoded = !["7bit", "8bit", "binary"].contains(lowercase(value.prefix(32)))
        case "x-original-to", "delivered-to", "to":
            guard addresses.count < DeliveryReport.greatestNumberOfAddresses else { return }
            let address = value.drop { $0 == UInt8(ascii: "<") }
            addresses.append(Array(address.prefix { $0 != UInt8(ascii: ">") }))
        default: break
        }
    }
}

/// The type and the boundary of a `Content-Type`
/// ([RFC 2045, section 5.1](https://www.rfc-editor.org/rfc/rfc2045#section-5.1)).
private struct ContentType {
    let name: String
    private(set) var boundary: [UInt8]?

    init(_ value: ArraySlice<UInt8>) {
        let semicolon = UInt8(ascii: ";")
        name = lowercase(trimmed(value.prefix { $0 != semicolon }).prefix(64))
        var rest = value.drop { $0 != semicolon }.dropFirst()
        while !rest.isEmpty, boundary == nil {
            let parameter = trimmed(rest.prefix { $0 != UInt8(ascii: "=") && $0 != semicolon })
            rest = rest.drop { $0 != UInt8(ascii: "=") && $0 != semicolon }
            guard rest.first == UInt8(ascii: "=") else {
                rest = rest.dropFirst()
                continue
            }
            rest = rest.dropFirst().drop(while: isBlank)
            var text: [UInt8] = []
            if rest.first == UInt8(ascii: "\"") {
                rest = rest.dropFirst()
                while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
                    text.append(byte == UInt8(ascii: "\\") ? rest.popFirst() ?? byte : byte)
                }
            } else {
                text = Array(rest.prefix { $0 != semicolon && !isBlank($0) })
            }
            rest = rest.drop { $0 != semicolon }.dropFirst()
            if lowercase(parameter.prefix(16)) == "boundary" { boundary = text }
        }
    }
}

/// A line's field: its name in lower case, and its value without blanks around it.
private func field(_ line: ArraySlice<UInt8>) -> (name: String, value: ArraySlice<UInt8>)? {
    let name = line.prefix(64).prefix { $0 != UInt8(ascii: ":") }
    guard !name.isEmpty, name.endIndex < line.endIndex, line[name.endIndex] == UInt8(ascii: ":")
    else { return nil }
    return (lowercase(trimmed(name)), trimmed(line[(name.endIndex + 1)...]))
}

private func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
}

private func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let last = bytes.lastIndex { !isBlank($0) }
    return bytes[..<(last.map { $0 + 1 } ?? bytes.startIndex)].drop(while: isBlank)
}

private func lowercase(_ bytes: ArraySlice<UInt8>) -> String {
    String(decoding: bytes, as: UTF8.self).lowercased()
}
