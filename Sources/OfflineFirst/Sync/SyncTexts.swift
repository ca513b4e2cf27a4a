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

extension ShownRecord {
    /// The value of a field as text, ill-formed UTF-8 repaired; `nil` if the record has no such field.
    ///
    /// - Complexity: O(*n*) for *n* fields.
    public func text(_ name: String) -> String? {
        fields[Array(name.utf8)].map { String(decoding: $0.value, as: UTF8.self) }
    }

    /// The bytes of a field; `nil` if the record has no such field.
    ///
    /// - Complexity: O(*n*) for *n* fields.
    public func bytes(_ name: String) -> [UInt8]? { fields[Array(name.utf8)]?.value }
}
