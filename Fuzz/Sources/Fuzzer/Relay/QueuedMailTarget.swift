@testable import RelayServer

/// A mail in the relay's queue: the input as its stored form, and as the material of a mail.
func fuzzQueuedMail(_ input: [UInt8]) {
    let product = QueuedMail(decoding: input)
    agree("read", product.map(QueuedMailModel.init), QueuedMailModel(reading: input))
    if let product { agree("written again", product.encoded(), input) }
    var material = Material(input)
    let names = (0..<3).map { _ in String(decoding: material.name(longest: 300), as: UTF8.self) }
    let mail = QueuedMail(
        sender: names[0],
        recipient: names[1],
        messageID: names[2],
        message: material.remainder()
    )
    agree("read again", QueuedMail(decoding: mail.encoded()), mail)
    agree("read again", QueuedMailModel(reading: mail.encoded()), QueuedMailModel(mail))
}

private struct QueuedMailModel: Equatable {
    let names: [String]
    let message: [UInt8]

    init(_ mail: QueuedMail) {
        names = [mail.sender, mail.recipient, mail.messageID]
        message = mail.message
    }

    init?(reading bytes: [UInt8]) {
        if bytes.first != 1 { return nil }
        var place = 1
        var names: [String] = []
        while names.count < 3 {
            if bytes.count < place + 2 { return nil }
            let end = place + 2 + Int(bytes[place]) * 256 + Int(bytes[place + 1])
            if bytes.count < end { return nil }
            guard let name = String(validating: bytes[(place + 2)..<end], as: UTF8.self) else {
                return nil
            }
            names.append(name)
            place = end
        }
        self.names = names
        message = Array(bytes[place...])
    }
}
