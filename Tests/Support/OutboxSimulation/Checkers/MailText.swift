/// Reads a mail as its reader's program does.
enum MailText {
    /// The text of a mail in quoted-printable: what is behind the header, decoded.
    static func text(of message: [UInt8]) -> String {
        guard var place = body(of: message) else { return "" }
        let escape = UInt8(ascii: "=")
        var text: [UInt8] = []
        while place < message.count {
            let byte = message[place]
            place += 1
            guard byte == escape else {
                text.append(byte)
                continue
            }
            let code = message[place..<min(place + 2, message.count)]
            place += code.count
            if code.elementsEqual([13, 10]) { continue }
            text += UInt8(String(decoding: code, as: UTF8.self), radix: 16).map { [$0] } ?? []
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Where the blank line behind the header ends.
    private static func body(of message: [UInt8]) -> Int? {
        var end = 4
        while end <= message.count {
            if message[end - 4] == 13, message[end - 3] == 10, message[end - 2] == 13,
                message[end - 1] == 10
            {
                return end
            }
            end += 1
        }
        return nil
    }
}
