public import OutboxCore
import WireCore

/// A request to the relay. Paths and bodies are those of docs/wire-format.md.
public struct RelayRequest: Sendable {
    /// The method of HTTP.
    public let method: StaticString
    /// The path, with a query.
    public let path: [UInt8]
    /// The token of the device; empty for none.
    public var token: [UInt8] = []
    /// JSON; empty for none.
    public var body: [UInt8] = []

    /// Hands over a memo.
    ///
    /// - Parameter body: As ``memoBody(text:subject:)`` makes it.
    public static func memo(_ id: OperationID, token: [UInt8], body: [UInt8]) -> RelayRequest {
        RelayRequest(
            method: "PUT",
            path: path(RelayPath.memos, below: id.text),
            token: token,
            body: body
        )
    }

    /// The body of a memo's request.
    public static func memoBody(text: [UInt8], subject: [UInt8]) -> [UInt8] {
        JSON.object([("subject", .string(subject)), ("text", .string(text))]).encoded()
    }

    /// The body of the request of a memo whose subject is its first line.
    public static func memoBody(text: [UInt8]) -> [UInt8] {
        JSON.object([("text", .string(text))]).encoded()
    }

    /// Asks for a code by mail.
    ///
    /// - Parameter language: The mail's language, a BCP 47 tag.
    public static func askCode(address: [UInt8], language: [UInt8]) -> RelayRequest {
        RelayRequest(
            method: "POST",
            path: RelayPath.verifications.bytes,
            body: JSON.object([("address", .string(address)), ("language", .string(language))])
                .encoded()
        )
    }

    /// Trades a code for a token.
    ///
    /// - Parameters:
    ///   - handle: The ``MailedCode/handle`` of the code.
    ///   - device: The device's name, for the list of devices.
    public static func confirm(
        address: [UInt8],
        code: [UInt8],
        handle: [UInt8],
        device: [UInt8]
    ) -> RelayRequest {
        var members: [(StaticString, JSON)] = [
            ("address", .string(address)), ("code", .string(code)), ("device", .string(device)),
        ]
        if !handle.isEmpty { members.append(("handle", .string(handle))) }
        return RelayRequest(
            method: "POST",
            path: RelayPath.confirmations.bytes,
            body: JSON.object(members).encoded()
        )
    }

    /// Revokes the token that the request carries.
    public static func signOut(token: [UInt8]) -> RelayRequest {
        RelayRequest(method: "DELETE", path: RelayPath.currentDevice.bytes, token: token)
    }

    /// Revokes the token of another device of the same person.
    public static func revoke(_ device: [UInt8], token: [UInt8]) -> RelayRequest {
        RelayRequest(
            method: "DELETE",
            path: path(RelayPath.devices, below: device),
            token: token
        )
    }

    /// Asks for the changes of memos after `cursor`; for all changes if there is none, or if the
    /// cursor cannot be part of a path.
    public static func changes(after cursor: [UInt8], token: [UInt8]) -> RelayRequest {
        let query = ChangesPage.isCursor(cursor) ? RelayPath.cursorQuery.bytes + cursor : []
        return RelayRequest(
            method: "GET",
            path: RelayPath.memoChanges.bytes + query,
            token: token
        )
    }

    /// Asks for the devices of the person.
    public static func devices(token: [UInt8]) -> RelayRequest {
        RelayRequest(method: "GET", path: RelayPath.devices.bytes, token: token)
    }

    /// Asks whether the relay has a page for reviews.
    public static var reviewOffer: RelayRequest {
        RelayRequest(method: "GET", path: RelayPath.reviewOffer.bytes)
    }

    private static func path(_ parent: StaticString, below name: [UInt8]) -> [UInt8] {
        parent.bytes + [0x2F] + name
    }
}
