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
    /// The condition under which the relay does as asked; `nil` for none.
    public var precondition: Precondition?

    /// A condition on the version of a resource
    /// ([RFC 9110, section 13](https://www.rfc-editor.org/rfc/rfc9110#section-13)).
    public enum Precondition: Hashable, Sendable {
        /// The resource has this version.
        case version(UInt64)
        /// There is no such resource yet.
        case absent

        /// The header field that states the condition.
        public var field: (name: StaticString, value: [UInt8]) {
            switch self {
            case .version(let version):
                (RelayHeader.ifMatch, [0x22] + decimal(Int64(clamping: version)) + [0x22])
            case .absent: (RelayHeader.ifNoneMatch, [0x2A])
            }
        }
    }

    /// Makes a request.
    package init(
        method: StaticString,
        path: [UInt8],
        token: [UInt8] = [],
        body: [UInt8] = [],
        precondition: Precondition? = nil
    ) {
        self.method = method
        self.path = path
        self.token = token
        self.body = body
        self.precondition = precondition
    }

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
    /// - Parameters:
    ///   - language: The mail's language, a BCP 47 tag.
    ///   - takesCode: Whether the relay may answer with a code to sign in, in place of a mail, where a proxy
    ///     vouches for the address (``MailedCode/given``).
    public static func askCode(
        address: [UInt8],
        language: [UInt8],
        takesCode: Bool = false
    ) -> RelayRequest {
        var members: [(StaticString, JSON)] = [
            ("address", .string(address)), ("language", .string(language)),
        ]
        if takesCode { members.append(("takesCode", .bool(true))) }
        return RelayRequest(
            method: "POST",
            path: RelayPath.verifications.bytes,
            body: JSON.object(members).encoded()
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
        RelayRequest(method: "GET", path: path(RelayPath.memoChanges, after: cursor), token: token)
    }

    /// Asks for the changes of the account after `cursor`: of its memos, devices and settings. Asks for
    /// all of them if there is none, or if the cursor cannot be part of a path.
    public static func accountChanges(after cursor: [UInt8], token: [UInt8]) -> RelayRequest {
        RelayRequest(method: "GET", path: path(RelayPath.changes, after: cursor), token: token)
    }

    /// Erases the account of the token, with a code that was mailed to its address.
    ///
    /// - Parameters:
    ///   - code: The digits, or the ``LongCode``.
    ///   - handle: The ``MailedCode/handle`` of the code.
    ///   - token: The token of a device of the account.
    public static func eraseAccount(
        code: [UInt8],
        handle: [UInt8],
        token: [UInt8]
    ) -> RelayRequest {
        RelayRequest(
            method: "DELETE",
            path: RelayPath.account.bytes,
            token: token,
            body: JSON.object([("code", .string(code)), ("handle", .string(handle))]).encoded()
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

    private static func path(_ list: StaticString, after cursor: [UInt8]) -> [UInt8] {
        list.bytes + (ChangesPage.isCursor(cursor) ? RelayPath.cursorQuery.bytes + cursor : [])
    }

    private static func path(_ parent: StaticString, below name: [UInt8]) -> [UInt8] {
        parent.bytes + [0x2F] + name
    }
}
