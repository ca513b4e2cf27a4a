import ArgumentParser
import RelayRules

/// The mail address that a command is about.
struct AddressArgument: ParsableArguments {
    @Argument(help: "The address.")
    var address: String

    func validate() throws {
        _ = try mailAddress()
    }

    func mailAddress() throws -> MailAddress { try Self.mailAddress(address) }

    /// The address of an argument.
    ///
    /// - Throws: A mistake that does not quote the text.
    static func mailAddress(_ text: String) throws -> MailAddress {
        guard let address = MailAddress(text) else {
            throw ValidationError("the address must be one such as max@example.org.")
        }
        return address
    }
}
