import WireCore

/// A part of the OpenAPI document. Literals make the document read as it is served.
struct DocumentNode: Sendable {
    let json: JSON

    /// A text that is made from constants.
    static func text(_ text: some CustomStringConvertible) -> DocumentNode {
        DocumentNode(json: .string(Array(text.description.utf8)))
    }

    static func number(_ number: Int) -> DocumentNode {
        DocumentNode(json: .number(Int64(number)))
    }

    static func list(_ nodes: some Sequence<DocumentNode>) -> DocumentNode {
        DocumentNode(json: .array(nodes.map(\.json)))
    }

    static func object(_ members: some Sequence<(String, DocumentNode)>) -> DocumentNode {
        DocumentNode(json: .object(members.map { (Array($0.utf8), $1.json) }))
    }

    /// A reference to a component of the document, such as `schemas/Problem`.
    static func reference(_ component: String) -> DocumentNode {
        ["$ref": .text("#/components/\(component)")]
    }
}

extension DocumentNode: ExpressibleByDictionaryLiteral {
    init(dictionaryLiteral members: (String, DocumentNode)...) {
        self = .object(members)
    }
}

extension DocumentNode: ExpressibleByArrayLiteral {
    init(arrayLiteral nodes: DocumentNode...) {
        self = .list(nodes)
    }
}

extension DocumentNode: ExpressibleByStringLiteral {
    init(stringLiteral text: String) {
        self = .text(text)
    }
}

extension DocumentNode: ExpressibleByBooleanLiteral {
    init(booleanLiteral bool: Bool) {
        json = .bool(bool)
    }
}

extension DocumentNode: ExpressibleByIntegerLiteral {
    init(integerLiteral number: Int) {
        self = .number(number)
    }
}
