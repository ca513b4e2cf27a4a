/// The code of an error of the server: five letters or digits
/// (<https://www.postgresql.org/docs/15/errcodes-appendix.html>).
package struct SQLState: Hashable, Sendable, CustomStringConvertible {
    /// The five bytes.
    private let code: [UInt8]

    /// - Returns: `nil` for a text that is no code.
    package init?(_ text: String) {
        code = Array(text.utf8)
        let isCode = code.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
        guard code.count == 5, isCode else { return nil }
    }

    /// feature_not_supported
    static let notSupported = SQLState(known: "0A000")

    private init(known text: StaticString) { code = Array(text.description.utf8) }

    package var description: String { String(decoding: code, as: UTF8.self) }

    /// The first two bytes: the class of the error.
    var category: String { String(decoding: code.prefix(2), as: UTF8.self) }
}
