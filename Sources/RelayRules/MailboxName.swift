/// The name under which limits count a mail address: equal for the spellings that lead to one
/// mailbox, so that no spelling circumvents a limit.
///
/// 1. Limits go by mailbox, and so does the memory of accepted memos: a memo that is repeated under
///    another spelling is recognised.
/// 2. Identity goes by address (``MailAddress/identity``): an account, its devices, its history, its
///    settings and its erasure. Only the mailbox's own server knows which spellings are the same. Where
///    it means two people by two spellings, those two share their limits, and nothing else.
///
/// - Case does not count.
/// - What follows a `+` in the local part does not count
///   ([RFC 5233](https://www.rfc-editor.org/rfc/rfc5233)).
/// - Dots in the local part do not count at Gmail, which ignores them. `googlemail.com` is another
///   name of `gmail.com`. At other providers a dot makes another mailbox.
package struct MailboxName: Hashable, Sendable {
    private let localPart: String
    /// The mail domain, by one of its names.
    package let domain: String

    package init(_ address: MailAddress) {
        domain = address.domain == "googlemail.com" ? "gmail.com" : address.domain
        var local = Substring(address.localPart.lowercased())
        // A tag follows something: "+" alone is a name.
        if let plus = local.dropFirst().firstIndex(of: "+") { local = local[..<plus] }
        localPart = domain == "gmail.com" ? local.filter { $0 != "." } : String(local)
    }

    /// `local-part@domain`.
    package var text: String { localPart + "@" + domain }
}
