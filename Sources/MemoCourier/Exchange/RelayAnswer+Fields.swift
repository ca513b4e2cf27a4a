import MemoCore

extension RelayAnswer {
    /// Makes an answer of the header fields that an HTTP client has received.
    ///
    /// - Parameter field: The value of the field of a name; `nil` for a field that the answer does not have.
    init(status: Int, body: [UInt8] = [], field: (String) -> String?) {
        func bytes(_ name: StaticString) -> [UInt8] { Array((field("\(name)") ?? "").utf8) }
        self.init(
            status: status,
            contentType: bytes(RelayHeader.contentType),
            retryAfter: bytes(RelayHeader.retryAfter),
            rateLimit: bytes(RelayHeader.rateLimit),
            date: bytes(RelayHeader.date),
            relayTime: bytes(RelayHeader.relayTime),
            relayVersion: bytes(RelayHeader.relayVersion),
            body: body
        )
    }
}
