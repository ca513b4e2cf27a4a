public import OutboxCore
public import RelayRules

/// The mailbox of one address, which gets all mails to that address where the relay appends by IMAP.
///
/// Stored form, which a store seals:
/// `version 1 | (length, 2 bytes, big-endian | bytes) of address, user, password, folder`. An empty folder
/// stands for none.
public struct OwnMailbox: Hashable, Sendable {
    /// The address whose mails the mailbox gets.
    public let address: MailAddress
    /// The user's name and password on the server of all mailboxes.
    let credentials: MailServer.Credentials
    /// The folder; `nil` for the one that the relay's settings name.
    public let folder: String?

    /// The greatest length of a user's name, and of a password, in bytes.
    public static let longestSecret = 1_000

    /// - Parameters:
    ///   - address: The address.
    ///   - user: The user's name on the server.
    ///   - password: The password.
    ///   - folder: The folder as the server names it; `nil` for the one that the relay's settings name.
    /// - Returns: `nil` for a user's name or a password that is empty, is longer than ``longestSecret`` or
    ///   has a control character, and for a folder that ``IMAPMailbox`` does not take.
    public init?(address: MailAddress, user: String, password: String, folder: String? = nil) {
        guard [user, password].allSatisfy(Self.isSecret),
            folder.map(IMAPMailbox.isFolder) ?? true
        else { return nil }
        self.address = address
        credentials = MailServer.Credentials(user: user, password: password)
        self.folder = folder
    }

    private static func isSecret(_ text: String) -> Bool {
        (1...longestSecret).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }

    /// The stored form.
    package func encoded() -> [UInt8] {
        [address.text, credentials.user, credentials.password, folder ?? ""]
            .reduce(into: [1]) { bytes, text in
                bytes += bigEndian(UInt16(text.utf8.count)) + Array(text.utf8)
            }
    }

    /// Reads the stored form.
    ///
    /// - Returns: `nil` for bytes that are not a stored form.
    package init?(decoding bytes: [UInt8]) {
        guard bytes.first == 1 else { return nil }
        var rest = bytes.dropFirst()
        var texts: [String] = []
        while !rest.isEmpty {
            guard rest.count >= 2 else { return nil }
            let length = Int(number(bigEndian: rest.prefix(2)))
            rest = rest.dropFirst(2)
            guard rest.count >= length,
                let text = String(validating: rest.prefix(length), as: UTF8.self)
            else { return nil }
            texts.append(text)
            rest = rest.dropFirst(length)
        }
        guard texts.count == 4, let address = MailAddress(texts[0]) else { return nil }
        self.init(
            address: address,
            user: texts[1],
            password: texts[2],
            folder: texts[3].isEmpty ? nil : texts[3]
        )
    }
}

/// A mailbox of one address in a list for the operator: without user and password.
public struct ListedMailbox: Hashable, Sendable {
    /// The address; `nil` where the row cannot be opened.
    public let address: MailAddress?
    /// The folder; `nil` for the one that the relay's settings name.
    public let folder: String?
    /// The time at which the mailbox was added or changed last.
    public let changedAt: WallTime

    package init(address: MailAddress?, folder: String?, changedAt: WallTime) {
        self.address = address
        self.folder = folder
        self.changedAt = changedAt
    }

    /// - Parameter mailbox: `nil` for a row that cannot be opened.
    package init(_ mailbox: OwnMailbox?, changedAt: WallTime) {
        self.init(address: mailbox?.address, folder: mailbox?.folder, changedAt: changedAt)
    }
}
