/// The texts of the mail that brings a verification code, in ten languages.
public enum MailText: UInt8, CaseIterable, Sendable {
    /// The mail's subject.
    case subject
    /// Stands above the code.
    case introduction
    /// Stands below the code. `{1}` is a number of minutes.
    case validity
}
