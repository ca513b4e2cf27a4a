import Foundation
import RelayAPI
import WireCore

/// A request's body, as the relay reads it, against Foundation's other reader of JSON.
///
/// The relay's reader is the more lenient one: it does not look into texts that no type asks for. So
/// the two are compared where the other one reads the body.
func fuzzAPIBody(_ input: [UInt8]) {
    guard let value = value(ofJSON: input) else { return }
    let model = value as? [String: Any]
    agree(
        "memo",
        (try? RelayJSON.decode(MemoRequest.self, from: input)).map { [$0.text, $0.subject] },
        model?.texts(["text"], optional: ["subject"])
    )
    agree(
        "request for a code",
        (try? RelayJSON.decode(VerificationRequest.self, from: input)).map {
            [$0.address, $0.language]
        },
        model?.texts(["address"], optional: ["language"])
    )
    agree(
        "confirmation",
        (try? RelayJSON.decode(ConfirmationRequest.self, from: input)).map {
            [$0.address, $0.code, $0.device, $0.handle]
        },
        model?.texts(["address", "code", "device"], optional: ["handle"])
    )
}

/// - Returns: `nil` for bytes that are no JSON, and for those that the standard leaves to each reader:
///   with NUL, by which readers look for other encodings than UTF-8, and with two members of one
///   name. The web app's reader, which keeps both members, tells them.
func value(ofJSON bytes: [UInt8]) -> Any? {
    guard !bytes.contains(0), let known = JSON(decoding: bytes), !known.hasTwins else { return nil }
    return try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
}

extension JSON {
    /// Whether members of one object, at any depth, have one name.
    fileprivate var hasTwins: Bool {
        switch self {
        case .object(let members):
            Set(members.map(\.name)).count < members.count || members.contains { $0.value.hasTwins }
        case .array(let elements): elements.contains(where: \.hasTwins)
        default: false
        }
    }
}

extension [String: Any] {
    /// - Returns: `nil` where a text is missing, or a member is none.
    fileprivate func texts(_ required: [String], optional: [String]) -> [String?]? {
        var texts: [String?] = []
        for name in required {
            guard let text = self[name] as? String else { return nil }
            texts.append(text)
        }
        for name in optional {
            switch self[name] {
            case nil, is NSNull: texts.append(nil)
            case let text as String: texts.append(text)
            default: return nil
            }
        }
        return texts
    }
}
