import Foundation
import Testing

/// Each cell of the table is a day of a relay, with a clock that the test sets.
@Suite("The threat model's table")
struct ThreatTableTests {
    private static let page = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "docs/threat-model.md")

    /// The cells of the table's row for an attack, behind its name.
    private func cells(of attack: Attack) throws -> [String] {
        let text = try String(contentsOf: Self.page, encoding: .utf8)
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("| \(attack.rawValue) |") }
        try #require(rows.count == 1, "one row is about: \(attack.rawValue)")
        return rows[0].split(separator: "|").dropFirst().map {
            $0.trimmingCharacters(in: .whitespaces)
        }
    }

    @Test("is what days under attack come to, and keeps no owner out", arguments: Attack.allCases)
    func table(attack: Attack) async throws {
        let days = try await withThrowingTaskGroup(of: (Networks, DayUnderAttack).self) { group in
            for networks in Networks.allCases {
                group.addTask { (networks, try await StrangersDay.live(attack, networks)) }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        var computed: [String] = []
        for networks in Networks.allCases {
            let day = try #require(days[networks])
            computed.append("\(day.mails) mails, \(day.way.rawValue)")
            #expect(day.way != .none && day.sendsAll, "\(attack.rawValue), \(networks.rawValue)")
        }
        computed.append(days.values.allSatisfy(\.sendsAll) ? "yes" : "NO")
        let told = try cells(of: attack)
        #expect(told == computed)
    }
}
