import Foundation

@testable import RelayRules
@testable import RelayServer

/// An event of Resend, against Foundation's other reader of JSON, where that one reads it, as in
/// `fuzzAPIBody`.
func fuzzResendEvent(_ input: [UInt8]) {
    guard let value = value(ofJSON: input) else { return }
    let model = (value as? [String: Any]).flatMap(EventModel.init)
    let product = ResendEvent(input)
    agree("whether it is an event", product != nil, model != nil)
    agree("tag", product?.tag, model?.tag)
    agree("fate", product?.fate.map { "\($0)" }, model?.fate.map { "\($0)" })
}

private struct EventModel {
    var tag: String?
    var fate: MemoFate?

    init?(_ event: [String: Any]) {
        guard let type = event["type"] as? String else { return nil }
        if !type.hasPrefix("email.") { return }
        guard let data = event["data"] as? [String: Any] else { return nil }
        switch data["tags"] {
        case nil, is NSNull: break
        case let tags as [String: Any]:
            guard tags.values.allSatisfy({ $0 is String }) else { return nil }
            tag = tags["memo"] as? String
        case let tags as [Any]:
            for case let found in tags.reversed() {
                guard let found = found as? [String: Any], let name = found["name"] as? String,
                    let value = found["value"] as? String
                else { return nil }
                if name == "memo" { tag = value }
            }
        default: return nil
        }
        var cause: String?
        switch data["bounce"] {
        case nil, is NSNull: break
        case let bounce as [String: Any]:
            switch bounce["type"] {
            case nil, is NSNull: break
            case let text as String: cause = text
            default: return nil
            }
        default: return nil
        }
        fate =
            switch (type, cause) {
            case ("email.bounced", "Permanent"): .bounced("resend.bounced.permanent")
            case ("email.bounced", "Transient"): .expired("resend.bounced.transient")
            case ("email.bounced", _): .bounced("resend.bounced")
            case ("email.suppressed", _): .bounced("resend.suppressed")
            case ("email.failed", _): .bounced("resend.failed")
            default: nil
            }
    }
}
