import MemoCore
import OutboxCore

/// A request to the relay that served the page. Paths and bodies are those of
/// docs/wire-format.md.
struct RelayRequest {
    let method: StaticString
    let path: [UInt8]
    /// Empty for none.
    var token: [UInt8] = []
    var body: [UInt8] = []

    static func memo(_ id: OperationID, token: [UInt8], body: [UInt8]) -> RelayRequest {
        RelayRequest(method: "PUT", path: utf8("/v1/memos/") + id.text, token: token, body: body)
    }

    static func askCode(address: [UInt8], language: [UInt8]) -> RelayRequest {
        RelayRequest(
            method: "POST",
            path: utf8("/v1/verifications"),
            body: JSON.object([("address", .string(address)), ("language", .string(language))])
                .encoded()
        )
    }

    static func confirm(address: [UInt8], code: [UInt8], device: [UInt8]) -> RelayRequest {
        RelayRequest(
            method: "POST",
            path: utf8("/v1/verifications/confirm"),
            body: JSON.object([
                ("address", .string(address)), ("code", .string(code)), ("device", .string(device)),
            ]).encoded()
        )
    }

    static func signOut(token: [UInt8]) -> RelayRequest {
        RelayRequest(method: "DELETE", path: utf8("/v1/devices/current"), token: token)
    }

    static func revoke(_ device: [UInt8], token: [UInt8]) -> RelayRequest {
        RelayRequest(method: "DELETE", path: utf8("/v1/devices/") + device, token: token)
    }

    /// What became of memos since `cursor`; from the beginning without one.
    static func changes(after cursor: [UInt8], token: [UInt8]) -> RelayRequest {
        let query = cursor.isEmpty ? [] : utf8("?after=") + cursor
        return RelayRequest(
            method: "GET",
            path: utf8("/v1/memos/changes") + query,
            token: token
        )
    }

    static func devices(token: [UInt8]) -> RelayRequest {
        RelayRequest(method: "GET", path: utf8("/v1/devices"), token: token)
    }
}

/// An answer that arrived whole: from the relay, or from whatever sits in between.
struct RelayReply {
    let status: Int
    /// In lower case, without parameters.
    let mediaType: [UInt8]
    let retryAfter: [UInt8]
    let date: [UInt8]
    let body: [UInt8]

    init(_ reader: inout BorderReader) {
        status = Int(reader.number())
        mediaType = reader.block().prefix { $0 != 0x3B && $0 != 0x20 }.map {
            (0x41...0x5A).contains($0) ? $0 | 0x20 : $0
        }
        retryAfter = reader.block()
        date = reader.block()
        body = reader.block()
    }

    /// The body, when this is a success of our relay. A captive portal answers 200, too.
    var success: JSON? {
        guard (200..<300).contains(status), mediaType == "application/json" else { return nil }
        return JSON(decoding: body)
    }

    /// The problem that the relay states; `nil` for an answer that is not our relay's own.
    var problem: RelayProblem? {
        guard mediaType == "application/problem+json", let json = JSON(decoding: body),
            json["status"]?.number == Int64(status), let code = json["code"]?.string,
            let isRetryable = json["retryable"]?.bool
        else { return nil }
        return RelayProblem(code: code, isRetryable: isRetryable)
    }

    /// How long the relay asks to wait.
    func wait(now: WallTime) -> Milliseconds? {
        RetryAfter.parse(retryAfter, date: date, now: now)
    }
}
