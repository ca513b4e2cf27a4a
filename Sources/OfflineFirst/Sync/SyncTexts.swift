public import SyncCore

// Names, identifiers and values are bytes. An app whose bytes are texts writes them as texts.

extension RecordKey {
    /// The name of a record, from texts in UTF-8.
    public convenience init(kind: String, id: String) {
        self.init(kind: Array(kind.utf8), id: Array(id.utf8))
    }
}

extension Field {
    /// A value to write, from texts in UTF-8.
    public convenience init(_ name: String, _ text: String) {
        self.init(name: Array(name.utf8), value: Array(text.utf8))
    }

    /// A reference to write: the identifier of another record, which may be a temporary one. See
    /// `SyncRules.reference(of:in:)`.
    public convenience init(_ name: String, to record: RecordKey) {
        self.init(name: Array(name.utf8), value: record.id)
    }
}

extension [Field] {
    /// The value of a field as text, ill-formed UTF-8 repaired; `nil` if there is no such field.
    ///
    /// - Complexity: O(*n*) for *n* fields.
    public func text(_ name: String) -> String? {
        bytes(name).map { value in String(decoding: value, as: UTF8.self) }
    }

    /// The bytes of a field; `nil` if there is no such field.
    ///
    /// - Complexity: O(*n*) for *n* fields.
    public func bytes(_ name: String) -> [UInt8]? {
        let field: Field? = self[[UInt8](name.utf8)]
        return field?.value
    }
}

extension ShownRecord {
    /// The value of a field as text, ill-formed UTF-8 repaired; `nil` if the record has no such field.
    ///
    /// - Complexity: O(*n*) for *n* fields.
    public func text(_ name: String) -> String? { fields.text(name) }

    /// The bytes of a field; `nil` if the record has no such field.
    ///
    /// - Complexity: O(*n*) for *n* fields.
    public func bytes(_ name: String) -> [UInt8]? { fields.bytes(name) }
}

extension RefusalReason: CustomStringConvertible {
    /// The code, ill-formed UTF-8 repaired.
    public var description: String { String(decoding: code, as: UTF8.self) }
}

extension RecordKey: CustomStringConvertible {
    /// The kind, and the identifier: as text where it is printable ASCII, otherwise in hexadecimal digits.
    public var description: String { "\(Self.text(kind)) \(Self.text(id))" }

    private static func text(_ bytes: [UInt8]) -> String {
        if bytes.allSatisfy({ (0x21...0x7E).contains($0) }) {
            return String(decoding: bytes, as: UTF8.self)
        }
        return bytes.map { byte in
            let digits = String(byte, radix: 16)
            return byte < 16 ? "0\(digits)" : digits
        }.joined()
    }
}
