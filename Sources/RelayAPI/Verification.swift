/// Asks for a verification code by mail. The answer is the same whether or not the address is
/// known.
public struct VerificationRequest: Codable, Hashable, Sendable {
    /// An ASCII address such as `somebody@example.org`.
    public var address: String
    /// The language of the mail, a BCP 47 tag such as `pt-BR`. The mail is in English without a
    /// tag, and for a language that the relay does not have. The relay keeps the language with the
    /// code, for the mail about the new device, and drops it with the code.
    public var language: String?
    /// Whether the client takes a code in the answer (``VerificationAcceptance/code``).
    public var takesCode: Bool?

    public init(address: String, language: String? = nil, takesCode: Bool? = nil) {
        self.address = address
        self.language = language
        self.takesCode = takesCode
    }
}

/// The answer to a ``VerificationRequest``. It does not tell whether the address has an account.
public struct VerificationAcceptance: Codable, Hashable, Sendable {
    /// The number of the code's digits.
    public var digits: Int
    /// Opaque and unguessable. Only who shows the handle can try the code.
    public var handle: String
    /// `true` where no digits were mailed for this request, because the mailbox or the service has had
    /// its codes: the long code of the latest mail in the inbox signs in. Else `nil`.
    public var longCode: Bool?
    /// The code itself, where a proxy that the relay trusts vouches for the address, and the request takes
    /// one. Then nothing is mailed, and the client confirms this code at once. Else `nil`.
    public var code: String?

    public init(digits: Int, handle: String, longCode: Bool? = nil, code: String? = nil) {
        self.digits = digits
        self.handle = handle
        self.longCode = longCode
        self.code = code
    }
}

/// Trades a verification code for a token.
public struct ConfirmationRequest: Codable, Hashable, Sendable {
    /// The address as it was given in the ``VerificationRequest``.
    public var address: String
    /// As many ASCII digits as ``VerificationAcceptance/digits`` says; or the long code of a mail, which
    /// lives for a day and works once (``/MemoCore/LongCode/read(_:)``).
    public var code: String
    /// The device's name, for the list of devices.
    public var device: String
    /// The handle of the ``VerificationAcceptance``. Clients of former relays send none: they are
    /// refused. A long code needs no handle.
    public var handle: String?

    public init(address: String, code: String, device: String, handle: String?) {
        self.address = address
        self.code = code
        self.device = device
        self.handle = handle
    }
}

/// Erases the account of the request's token, with a code that was mailed to its address.
public struct ErasureRequest: Codable, Hashable, Sendable {
    /// As in ``ConfirmationRequest/code``.
    public var code: String
    /// As in ``ConfirmationRequest/handle``.
    public var handle: String?

    /// Makes a request.
    public init(code: String, handle: String?) {
        self.code = code
        self.handle = handle
    }
}

/// A device's right to send mail to its owner, and to nobody else.
public struct TokenGrant: Codable, Hashable, Sendable {
    /// The opaque token. The relay stores only a hash, and cannot repeat the token.
    public var token: String

    public init(token: String) {
        self.token = token
    }
}

/// One device that holds a token.
public struct Device: Codable, Hashable, Sendable {
    /// An opaque identifier, used in ``/MemoCore/RelayPath/devices`` and nowhere else.
    public var id: String
    public var name: String
    /// When the token was granted: milliseconds since 1970-01-01T00:00:00Z.
    public var createdAt: Int64
    /// When the token was used last, to the hour: milliseconds since 1970-01-01T00:00:00Z. `nil` for
    /// a token that was not used.
    public var usedAt: Int64?
    /// Whether this device sent the request.
    public var current: Bool

    public init(
        id: String,
        name: String,
        createdAt: Int64,
        usedAt: Int64? = nil,
        current: Bool
    ) {
        self.id = id
        self.name = name
        self.createdAt = createdAt
        self.usedAt = usedAt
        self.current = current
    }
}

/// The devices of one person, the newest first.
public struct DeviceList: Codable, Hashable, Sendable {
    public var devices: [Device]

    public init(devices: [Device]) {
        self.devices = devices
    }
}
