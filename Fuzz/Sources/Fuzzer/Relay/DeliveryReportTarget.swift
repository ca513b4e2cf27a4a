import OutboxCore

@testable import RelayServer

/// A bounce mail: the input as it is, which anybody may have written, and as the material of a report
/// (https://www.rfc-editor.org/rfc/rfc3464) whose verdict is known.
func fuzzDeliveryReport(_ input: [UInt8]) {
    let hostile = DeliveryReport(input)
    agree("addresses are few", hostile.addresses.count <= 16, true)
    switch hostile.verdict {
    case .bounced(let reason): agree("permanent", reason.description.hasPrefix("dsn.5."), true)
    case .expired(let reason): agree("temporary", reason.description.hasPrefix("dsn.4."), true)
    case .open, nil: break
    }
    var material = Material(input)
    let model = ReportModel(from: &material)
    let report = DeliveryReport(model.written())
    agree("verdict", report.verdict, model.verdict)
    agree("addresses", report.addresses, model.addresses.map { Array($0.utf8) })
}

private struct ReportModel {
    struct Group {
        var action: String?
        var status: String?
    }

    var addresses: [String] = []
    var groups: [Group] = []
    private let boundary: String
    private let isQuoted: Bool
    private let lineEnd: String
    private let hasPostmark: Bool
    private let textParts: Int

    init(from material: inout Material) {
        func choice(_ count: Int) -> Int { Int(material.integer(UInt8.self)) % count }
        func pick(_ texts: [String]) -> String { texts[choice(texts.count)] }
        lineEnd = pick(["\n", "\r\n"])
        hasPostmark = choice(2) == 1
        boundary = pick(["b", "b/1", "=_:(),?", String(repeating: "x", count: 70), "--", "b b"])
        isQuoted = boundary.contains { " :(),?=/".contains($0) } || choice(2) == 1
        textParts = choice(3)
        for _ in 0..<choice(4) {
            addresses.append(pick(["a@b.example", "bounce+x@relay.example", "", "x"]))
        }
        for _ in 0..<choice(5) {
            var group = Group()
            if choice(4) > 0 {
                group.action = pick(["failed", "FAILED", "delayed", "delivered", "relayed", "x"])
            }
            if choice(4) > 0 {
                group.status = pick([
                    "5.1.1", "4.4.7", "2.0.0", "5.999.999", "5.1", "5..1", "6.1.1",
                ])
            }
            groups.append(group)
        }
    }

    /// Of several recipients, one that has the mail decides, and else the first failure for good.
    var verdict: DeliveryReport.Verdict? {
        let told = groups.filter { $0.action != nil }
        if told.isEmpty { return nil }
        if told.contains(where: { ["delivered", "relayed"].contains($0.action) }) { return .open }
        for group in told where group.action?.lowercased() == "failed" {
            switch group.status {
            case "5.1.1", "5.999.999":
                return .bounced(ReasonCode(utf8: Array("dsn.\(group.status!)".utf8)))
            case "4.4.7": return .expired("dsn.4.4.7")
            default: continue
            }
        }
        return .open
    }

    func written() -> [UInt8] {
        var lines = hasPostmark ? ["From MAILER-DAEMON Mon Nov 23 13:00:00 2026"] : []
        lines += addresses.map { "Delivered-To: <\($0)>" }
        lines += [
            "Content-Type: multipart/report;", "\tboundary=\(isQuoted ? quoted : boundary)", "",
        ]
        for number in 0..<textParts {
            lines += [
                "--\(boundary)", "Content-Type: text/plain", "", "Action: failed \(number)", "",
            ]
        }
        lines += ["--\(boundary)", "Content-Type: message/delivery-status", ""]
        lines += ["Reporting-MTA: dns; mx.example", ""]
        for group in groups {
            lines.append("Final-Recipient: rfc822; a@b.example")
            if let action = group.action { lines.append("Action: \(action)") }
            if let status = group.status { lines.append("Status: \(status) (words)") }
            lines.append("")
        }
        lines += ["--\(boundary)", "Content-Type: message/rfc822", "", "Action: delivered", ""]
        lines += ["--\(boundary)--", ""]
        return Array(lines.joined(separator: lineEnd).utf8)
    }

    private var quoted: String { "\"\(boundary)\"" }
}
