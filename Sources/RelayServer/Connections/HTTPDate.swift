import OutboxCore

/// A moment as an answer's `Date` says it
/// ([RFC 9110, section 5.6.7](https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7)).
enum HTTPDate {
    /// The date as text, such as `Sat, 21 Nov 2026 04:49:58 GMT`.
    static func text(_ time: WallTime) -> String {
        MailDate.text(time).dropLast("+0000".count) + "GMT"
    }
}
