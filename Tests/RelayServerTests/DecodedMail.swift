import Foundation

/// A mail read back by rules written down a second time, without the renderer's code.
struct DecodedMail {
    let headers: [(name: String, value: String)]
    let body: [UInt8]

    struct Malformed: Error {}

    init(_ message: [UInt8]) throws {
        let lines = message.split(separator: 0x0A, omittingEmptySubsequences: false).map { line in
            Array(line.last == 0x0D ? line.dropLast() : line)
        }
        guard let end = lines.firstIndex(of: []) else { throw Malformed() }
        var headers: [(name: String, value: String)] = []
        for line in lines[..<end] {
            let text = String(decoding: line, as: UTF8.self)
            if text.hasPrefix(" ") {
                guard !headers.isEmpty else { throw Malformed() }
                headers[headers.count - 1].value += text
            } else {
                let parts = text.split(separator: ": ", maxSplits: 1).map(String.init)
                guard parts.count == 2 else { throw Malformed() }
                headers.append((parts[0], parts[1]))
            }
        }
        self.headers = headers
        let encoding = headers.first { $0.name == "Content-Transfer-Encoding" }?.value
        if encoding == "base64" {
            let text = lines[(end + 1)...].map { String(decoding: $0, as: UTF8.self) }.joined()
            guard let data = Data(base64Encoded: text) else { throw Malformed() }
            body = Array(data)
        } else {
            body = try Self.quotedPrintable(lines[(end + 1)...])
        }
    }

    func header(_ name: String) -> String? {
        headers.first { $0.name == name }?.value
    }

    var text: String { String(decoding: body, as: UTF8.self) }

    /// The subject with its encoded words decoded.
    var subject: String {
        (header("Subject") ?? "").split(separator: " ").reduce(("", false)) { result, word in
            if word.hasPrefix("=?utf-8?B?"), word.hasSuffix("?=") {
                let base64 = String(word.dropFirst(10).dropLast(2))
                let text = Data(base64Encoded: base64).map { String(decoding: $0, as: UTF8.self) }
                return (result.0 + (text ?? "?"), true)
            }
            return (result.0 + (result.0.isEmpty ? "" : " ") + word, false)
        }.0
    }

    private static func quotedPrintable(_ lines: ArraySlice<[UInt8]>) throws -> [UInt8] {
        var bytes: [UInt8] = []
        for (index, line) in lines.enumerated() {
            var rest = line[...]
            var isSoft = false
            while let byte = rest.popFirst() {
                guard byte == UInt8(ascii: "=") else {
                    bytes.append(byte)
                    continue
                }
                if rest.isEmpty {
                    isSoft = true
                } else {
                    let digits = String(decoding: rest.prefix(2), as: UTF8.self)
                    guard let value = UInt8(digits, radix: 16) else { throw Malformed() }
                    bytes.append(value)
                    rest = rest.dropFirst(2)
                }
            }
            if !isSoft, index < lines.count - 1 { bytes.append(0x0A) }
        }
        return bytes
    }
}
