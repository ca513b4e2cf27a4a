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

    /// The changes of memos since `cursor`; all changes if it is empty.
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

    /// Whether the relay has a page for reviews.
    static var reviewOffer: RelayRequest {
        RelayRequest(method: "GET", path: utf8("/v1/review"))
    }
}
