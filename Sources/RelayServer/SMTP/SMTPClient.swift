/// The part of the relay that speaks SMTP.
public enum SMTPClient: String, Hashable, Sendable, CaseIterable {
    /// libcurl, with a thread for each mail: ``SMTPTransport``.
    case curl
    /// The relay's own, over SwiftNIO, with `PIPELINING`: ``NIOSMTPTransport``.
    case nio

    /// The client of a relay whose settings name none.
    public static let usual = SMTPClient.nio
}
