/// Reads a mail as its reader's program does.
enum MailText {
    /// The text of a mail in quoted-printable: what is behind the header, decoded.
    static func text(of message: [UInt8]) -> String {
        let blank: [UInt8] = [13, 10, 13, 10]
        guard
            let end = message.indices.first(where: {
                message[$0] == 13 && message[$0...].starts(with: blank)
            })
        else { return "" }
        var text: [UInt8] = []
        var rest = message[(end + blank.count)...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "=") else {
                text.append(byte)
                continue
            }
            let code = rest.prefix(2)
            rest = rest.dropFirst(2)
            if code.elementsEqual([13, 10]) { continue }
            text += UInt8(String(decoding: code, as: UTF8.self), radix: 16).map { [$0] } ?? []
        }
        return String(decoding: text, as: UTF8.self)
    }
}
