import Crypto
import Essentials
import OutboxCore
import RelayRules

/// The secret with which Resend signs its events, in the way of
/// [Svix](https://docs.svix.com/receiving/verifying-payloads/how-manual). Printing the value does not
/// show the secret.
public struct ResendWebhookSecret: Hashable, Sendable, CustomStringConvertible {
    private let key: SymmetricKey

    /// - Parameter text: As Resend shows it: `whsec_` and base64 of 16 to 256 bytes.
    /// - Returns: `nil` for another text.
    public init?(_ text: String) {
        guard text.hasPrefix("whsec_"),
            let bytes = Data(base64Encoded: String(text.dropFirst("whsec_".count))),
            (16...256).contains(bytes.count)
        else { return nil }
        key = SymmetricKey(data: bytes)
    }

    public var description: String { "(secret)" }

    public func hash(into hasher: inout Hasher) { hasher.combine(key.bitCount) }

    /// Whether one of the signatures is of this secret.
    func signed(_ body: some Sequence<UInt8>, as signature: ResendSignature) -> Bool {
        var content = HMAC<SHA256>(key: key)
        content.update(data: Data("\(signature.id).\(signature.timestamp).".utf8))
        content.update(data: Data(body))
        let code = Array(content.finalize())
        return signature.codes.contains { areEqualInConstantTime($0, code) }
    }
}

/// The three header fields of a signed event. Pure.
struct ResendSignature: Hashable {
    /// The greatest distance of an event's time from the relay's clock, either way: who has read an
    /// event cannot bring it again later.
    static let window: Milliseconds = .seconds(300)
    /// More signatures than one come while a secret is being replaced.
    private static let mostCodes = 8
    static let idField = "svix-id"
    static let timestampField = "svix-timestamp"
    static let signatureField = "svix-signature"
    private static let longestID = 256

    let id: String
    /// Seconds since 1970, as they are signed.
    let timestamp: String
    let codes: [[UInt8]]

    /// - Returns: `nil` for fields that Resend does not write, and for a time outside the
    ///   ``window``.
    init?(id: String?, timestamp: String?, signature: String?, at now: WallTime) {
        guard let id, (1...Self.longestID).contains(id.utf8.count),
            let timestamp, timestamp.utf8.count <= 12,
            timestamp.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let seconds = Int64(timestamp), let signature
        else { return nil }
        let distance = WallTime(millisecondsSinceEpoch: seconds * 1000).since(now)
        guard Milliseconds(-Self.window.count)...Self.window ~= distance else { return nil }
        self.id = id
        self.timestamp = timestamp
        let parts = signature.split(separator: " ", maxSplits: Self.mostCodes)
        codes = parts.prefix(Self.mostCodes).compactMap { part in
            guard part.hasPrefix("v1,") else { return nil }
            return Data(base64Encoded: String(part.dropFirst("v1,".count))).map(Array.init)
        }
        guard !codes.isEmpty else { return nil }
    }
}
