// Takes the place of `Utilities/Foundation.swift` of swift-argument-parser in the static `memo`:
// the two functions of that file, without Foundation's essentials. See scripts/lib/static.sh.

extension Error {
    func describe() -> String { String(describing: self) }
}

/// Writes what the parser says of itself for `--experimental-dump-help`.
enum JSONEncoder {
    /// The value as JSON with sorted keys; empty for a value that does not encode itself.
    static func encode<T: Encodable>(_ value: T) -> String {
        let root = JSONValue()
        do {
            try root.take(value, at: [])
        } catch {
            return ""
        }
        return root.text(indent: "")
    }
}

/// A value that is being encoded.
private final class JSONValue {
    private enum Content {
        case literal(String)
        case array([JSONValue])
        case object([String: JSONValue])
    }

    private var content = Content.literal("null")

    func take<T: Encodable>(_ value: T, at path: [any CodingKey]) throws {
        switch value {
        case let text as String: content = .literal(Self.quoted(text))
        case let bool as Bool: content = .literal("\(bool)")
        case let number as any BinaryInteger: content = .literal("\(number)")
        case let number as any BinaryFloatingPoint: content = .literal("\(number)")
        default: try value.encode(to: JSONValueEncoder(value: self, codingPath: path))
        }
    }

    func becomeArray() {
        if case .array = content { return }
        content = .array([])
    }

    func becomeObject() {
        if case .object = content { return }
        content = .object([:])
    }

    var count: Int {
        if case .array(let elements) = content { elements.count } else { 0 }
    }

    func element() -> JSONValue {
        let element = JSONValue()
        if case .array(let elements) = content { content = .array(elements + [element]) }
        return element
    }

    func member(_ name: String) -> JSONValue {
        let member = JSONValue()
        if case .object(var members) = content {
            members[name] = member
            content = .object(members)
        }
        return member
    }

    func text(indent: String) -> String {
        let inner = indent + "  "
        switch content {
        case .literal(let text): return text
        case .array(let elements):
            if elements.isEmpty { return "[\n\n\(indent)]" }
            let lines = elements.map { inner + $0.text(indent: inner) }
            return "[\n" + lines.joined(separator: ",\n") + "\n\(indent)]"
        case .object(let members):
            if members.isEmpty { return "{\n\n\(indent)}" }
            let lines = members.sorted { $0.key < $1.key }.map { name, member in
                inner + Self.quoted(name) + " : " + member.text(indent: inner)
            }
            return "{\n" + lines.joined(separator: ",\n") + "\n\(indent)}"
        }
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\", "/": quoted += "\\\(scalar)"
            case "\n": quoted += "\\n"
            case "\t": quoted += "\\t"
            default:
                if scalar.value < 0x20 {
                    let digits = String(scalar.value, radix: 16)
                    quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                } else {
                    quoted.unicodeScalars.append(scalar)
                }
            }
        }
        return quoted + "\""
    }
}

private struct JSONValueEncoder: Encoder {
    let value: JSONValue
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        value.becomeObject()
        return KeyedEncodingContainer(Members(value: value, codingPath: codingPath))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        value.becomeArray()
        return Elements(value: value, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        Single(value: value, codingPath: codingPath)
    }
}

private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let value: JSONValue
    let codingPath: [any CodingKey]

    func encodeNil(forKey key: Key) { _ = value.member(key.stringValue) }

    func encode<T: Encodable>(_ member: T, forKey key: Key) throws {
        try value.member(key.stringValue).take(member, at: codingPath + [key])
    }

    func nestedContainer<Inner: CodingKey>(
        keyedBy type: Inner.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<Inner> {
        JSONValueEncoder(value: value.member(key.stringValue), codingPath: codingPath + [key])
            .container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        JSONValueEncoder(value: value.member(key.stringValue), codingPath: codingPath + [key])
            .unkeyedContainer()
    }

    func superEncoder() -> any Encoder {
        JSONValueEncoder(value: value.member("super"), codingPath: codingPath)
    }

    func superEncoder(forKey key: Key) -> any Encoder {
        JSONValueEncoder(value: value.member(key.stringValue), codingPath: codingPath + [key])
    }
}

private struct Elements: UnkeyedEncodingContainer {
    let value: JSONValue
    let codingPath: [any CodingKey]
    var count: Int { value.count }

    func encodeNil() { _ = value.element() }

    func encode<T: Encodable>(_ element: T) throws {
        try value.element().take(element, at: codingPath)
    }

    func nestedContainer<Inner: CodingKey>(
        keyedBy type: Inner.Type
    ) -> KeyedEncodingContainer<Inner> {
        JSONValueEncoder(value: value.element(), codingPath: codingPath).container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        JSONValueEncoder(value: value.element(), codingPath: codingPath).unkeyedContainer()
    }

    func superEncoder() -> any Encoder {
        JSONValueEncoder(value: value.element(), codingPath: codingPath)
    }
}

private struct Single: SingleValueEncodingContainer {
    let value: JSONValue
    let codingPath: [any CodingKey]

    func encodeNil() {}

    func encode<T: Encodable>(_ single: T) throws { try value.take(single, at: codingPath) }
}
