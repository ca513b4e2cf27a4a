import Foundation
import HTTPTypes
import NIOCore

@testable import RelayServer

/// A JSON value that a test looks into.
enum JSONValue: Decodable, Hashable {
    case null
    case bool(Bool)
    case number(Int)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let bool = try? container.decode(Bool.self) {
            self = .bool(bool)
        } else if let number = try? container.decode(Int.self) {
            self = .number(number)
        } else if let string = try? container.decode(String.self) {
            self = .string(string)
        } else if let array = try? container.decode([JSONValue].self) {
            self = .array(array)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    subscript(name: String) -> JSONValue? { members[name] }

    var members: [String: JSONValue] {
        if case .object(let members) = self { members } else { [:] }
    }

    var elements: [JSONValue] {
        if case .array(let elements) = self { elements } else { [] }
    }

    var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    var number: Int? {
        if case .number(let number) = self { number } else { nil }
    }
}

/// The OpenAPI document, read as its users read it: from its bytes alone.
struct ServedDescription: Sendable {
    static let own: ServedDescription = {
        do {
            return try ServedDescription(OpenAPIDocument.bytes)
        } catch {
            fatalError("the document is no JSON")
        }
    }()

    let root: JSONValue

    init(_ bytes: [UInt8]) throws {
        root = try JSONDecoder().decode(JSONValue.self, from: Data(bytes))
    }

    /// Everything that the document says can be answered: `operation status`, with a problem's code
    /// or with `: field`.
    var promises: Set<String> {
        var promises: Set<String> = []
        for (_, methods) in root["paths"]?.members ?? [:] {
            for operation in methods.members.values {
                let name = operation["operationId"]?.text ?? "?"
                for (status, response) in operation["responses"]?.members ?? [:] {
                    promises.insert("\(name) \(status)")
                    for code in codes(of: response) { promises.insert("\(name) \(status) \(code)") }
                    for field in response["headers"]?.members.keys ?? [:].keys {
                        promises.insert("\(name) \(status): \(field.lowercased())")
                    }
                }
            }
        }
        return promises
    }

    /// Compares an answer with the document.
    ///
    /// - Returns: The promises that the answer keeps, and what the document does not say.
    func compare(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ answer: ApplicationAnswer
    ) -> (kept: Set<String>, faults: [String]) {
        let status = answer.status.code
        let methods = methods(at: path)
        let isOfAPI = path.split(separator: "/").first == "v1"
        guard !methods.isEmpty || isOfAPI else { return ([], []) }
        let body = Array(answer.body.readableBytesView)
        let code = (try? JSONDecoder().decode(JSONValue.self, from: Data(body)))?["code"]?.text
        let place = "\(method.rawValue) of \(methods.isEmpty ? "an unknown path" : path), \(status)"
        if isOfAPI, answer["RateLimit-Policy"] == nil {
            return ([], ["\(place) has no limits"])
        }
        if isOfAPI, answer["Relay-Time"].flatMap({ Int64($0) }) == nil {
            return ([], ["\(place) does not tell the relay's time"])
        }
        let described = methods[method == .head ? "get" : method.rawValue.lowercased()]
        guard let described else {
            // No method of a path, or no path: what the document says of all paths.
            let expected: [(Int, String)] =
                methods.isEmpty ? [(404, "not-found")] : [(405, "method-not-allowed")]
            let isExpected = (expected + [(403, "cross-origin")]).contains {
                $0 == status && (method == .head || $1 == code)
            }
            let allowed = methods.keys.flatMap {
                $0 == "get" ? ["GET", "HEAD"] : [$0.uppercased()]
            }
            let names = answer["Allow"]?.split(separator: ",").map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            guard status == 421 || isExpected else { return ([], ["\(place) \(code ?? "")"]) }
            let isRight = status != 405 || Set(names ?? []) == Set(allowed)
            return ([], isRight ? [] : ["\(place) allows \(names ?? [])"])
        }
        let name = described["operationId"]?.text ?? "?"
        guard let response = described["responses"]?["\(status)"] else {
            return ([], ["\(name) \(status) \(code ?? "") is not described"])
        }
        var kept: Set = ["\(name) \(status)"]
        var faults: [String] = []
        let type = answer.headers[.contentType]
        if let media = response["content"]?.members.first {
            if type != media.key { faults.append("\(name) \(status) has the type \(type ?? "")") }
            if method != .head {
                let text = String(decoding: body, as: UTF8.self)
                let value = media.key.hasPrefix("text/") ? JSONValue.string(text) : json(body)
                faults += SchemaCheck(root: root).faults(of: value, as: media.value["schema"])
                    .map { "\(name) \(status): \($0)" }
                if let code, status >= 400 { kept.insert("\(name) \(status) \(code)") }
            }
        } else if !body.isEmpty {
            faults.append("\(name) \(status) has a body")
        }
        let fields = response["headers"]?.members ?? [:]
        for (field, reference) in fields {
            let component = SchemaCheck(root: root).resolve(reference)
            if let value = answer[field] {
                kept.insert("\(name) \(status): \(field.lowercased())")
                let isNumber = component["schema"]?["type"] == .string("integer")
                let read: JSONValue =
                    isNumber ? Int(value).map { .number($0) } ?? .null : .string(value)
                faults += SchemaCheck(root: root).faults(of: read, as: component["schema"])
                    .map { "\(name) \(status) \(field): \($0)" }
            } else if component["required"] == .bool(true) {
                faults.append("\(name) \(status) has no \(field)")
            }
        }
        let known = Set(fields.keys.map { $0.lowercased() }).union(Self.ordinary)
        for field in answer.headers where !known.contains(field.name.canonicalName) {
            faults.append("\(name) \(status) has the field \(field.name)")
        }
        return (kept, faults)
    }

    /// Fields that every answer may have: those of HTTP itself, and those for browsers.
    private static let ordinary: Set<String> = [
        "content-type", "content-length", "cache-control", "connection", "date", "server",
        "transfer-encoding", "content-security-policy", "cross-origin-opener-policy",
        "cross-origin-resource-policy", "permissions-policy", "referrer-policy",
        "x-content-type-options", "x-frame-options", "strict-transport-security",
    ]

    /// The described methods of a path, the literal template first.
    private func methods(at path: String) -> [String: JSONValue] {
        let path = path.prefix { $0 != "?" && $0 != "#" }
        let segments = path.split(separator: "/")
        let here = (root["paths"]?.members ?? [:]).filter { template, _ in
            let parts = template.split(separator: "/")
            return parts.count == segments.count
                && zip(parts, segments).allSatisfy { $0 == $1 || $0.hasPrefix("{") }
        }
        let literal = here.first { !$0.key.contains("{") }
        return (literal ?? here.first)?.value.members ?? [:]
    }

    private func codes(of response: JSONValue) -> [String] {
        let schema = response["content"]?.members.values.first?["schema"]
        return (schema?["allOf"]?.elements ?? []).flatMap {
            $0["properties"]?["code"]?["enum"]?.elements.compactMap(\.text) ?? []
        }
    }

    private func json(_ bytes: [UInt8]) -> JSONValue {
        (try? JSONDecoder().decode(JSONValue.self, from: Data(bytes))) ?? .null
    }
}

/// The part of JSON Schema that the document uses. A keyword that is not checked is a fault.
private struct SchemaCheck {
    let root: JSONValue

    func resolve(_ schema: JSONValue) -> JSONValue {
        guard let reference = schema["$ref"]?.text else { return schema }
        return reference.split(separator: "/").dropFirst().reduce(root) { $0[String($1)] ?? .null }
    }

    /// - Parameter isPart: Whether another schema describes the other members.
    func faults(of value: JSONValue, as schema: JSONValue?, isPart: Bool = false) -> [String] {
        guard let schema else { return ["no schema"] }
        let resolved = resolve(schema)
        var faults: [String] = []
        for (keyword, rule) in resolved.members {
            switch keyword {
            case "description", "examples": break
            case "type":
                let types = rule.text.map { [$0] } ?? rule.elements.compactMap(\.text)
                if !types.contains(type(of: value)) { faults.append("not \(types)") }
            case "const":
                if value != rule { faults.append("\(value) is not \(rule)") }
            case "enum":
                if !rule.elements.contains(value) { faults.append("\(value) is not of \(rule)") }
            case "minLength":
                if let text = value.text, text.unicodeScalars.count < rule.number ?? .max {
                    faults.append("too short")
                }
            case "maxLength":
                if let text = value.text, text.unicodeScalars.count > rule.number ?? 0 {
                    faults.append("too long")
                }
            case "minimum":
                if let number = value.number, number < rule.number ?? .max { faults.append("less") }
            case "maximum":
                if let number = value.number, number > rule.number ?? 0 { faults.append("more") }
            case "minItems":
                if value.elements.count < rule.number ?? .max { faults.append("too few") }
            case "maxItems":
                if value.elements.count > rule.number ?? 0 { faults.append("too many") }
            case "format":
                if let text = value.text, rule == .string("uuid"), UUID(uuidString: text) == nil {
                    faults.append("no UUID")
                }
            case "required":
                faults += rule.elements.compactMap(\.text).filter { value[$0] == nil }
                    .map { "\($0) is missing" }
            case "properties":
                for (name, member) in value.members {
                    if let rule = rule[name] {
                        faults += self.faults(of: member, as: rule).map { "\(name): \($0)" }
                    } else if !isPart, resolved["additionalProperties"] == nil {
                        faults.append("\(name) is not described")
                    }
                }
            case "additionalProperties":
                for (name, member) in value.members
                where resolved["properties"]?[name] == nil {
                    faults += self.faults(of: member, as: rule).map { "\(name): \($0)" }
                }
            case "pattern":
                if let text = value.text, let pattern = rule.text,
                    try! Regex(pattern).firstMatch(in: text) == nil
                {
                    faults.append("another pattern")
                }
            case "items":
                faults += value.elements.flatMap { self.faults(of: $0, as: rule) }
            case "allOf":
                for (index, part) in rule.elements.enumerated() {
                    faults += self.faults(of: value, as: part, isPart: index > 0)
                }
            default: faults.append("the keyword \(keyword) is not checked")
            }
        }
        return faults
    }

    private func type(of value: JSONValue) -> String {
        switch value {
        case .null: "null"
        case .bool: "boolean"
        case .number: "integer"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }
}

extension ApplicationAnswer {
    subscript(field: String) -> String? {
        HTTPField.Name(field).flatMap { headers[$0] }
    }
}
