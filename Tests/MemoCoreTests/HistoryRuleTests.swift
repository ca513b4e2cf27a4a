import MemoCore
import OutboxCore
import Testing

@Suite("The rule of the history")
struct HistoryRuleTests {
    static let standings: [OperationStanding] = [
        .queued, .accepted, .parked(nil), .parked(.unauthorized), .parked(.noHandler),
        .parked("relay.too-large"), .quarantined("quarantine.record"), .deleted,
    ]

    @Test("a queued memo's status is the state of its operation")
    func queued() {
        let statuses = Self.standings.map { HistoryStatus.queued.following($0) }
        #expect(
            statuses == [
                .queued, .sent, .queued, .queued, .queued, .refused("relay.too-large"),
                .quarantined("quarantine.record"), .deleted,
            ]
        )
    }

    @Test("an operation that can be attempted again makes its memo queued again")
    func again() {
        for status: HistoryStatus in [.refused("x"), .quarantined("y"), .queued] {
            #expect(status.following(.queued) == .queued)
            #expect(status.following(.accepted) == .sent)
        }
    }

    @Test("what the relay said is never undone by the rest of the operation", arguments: standings)
    func relayFirst(standing: OperationStanding) {
        let told: [HistoryStatus] = [
            .sent, .delivered, .bounced("smtp.550"), .expired("expired"), .unknown([0x61]),
        ]
        for status in told { #expect(status.following(standing) == status) }
    }

    @Test("a memo that arrived although a person deleted it is sent")
    func deletedTooLate() {
        #expect(HistoryStatus.deleted.following(.accepted) == .sent)
    }

    @Test("the relay tells the words of a relay, and a word of a later build is kept")
    func told() {
        func status(_ name: StaticString, _ reason: String? = nil) -> HistoryStatus? {
            HistoryStatus(told: name.bytes, reason: reason.map { Array($0.utf8) })
        }
        #expect(status("accepted") == .sent)
        #expect(status("delivered") == .delivered)
        #expect(status("bounced", "smtp.550") == .bounced("smtp.550"))
        #expect(status("expired", "smtp.450") == .expired("smtp.450"))
        #expect(status("refused", "quarantine.record") == .refused("quarantine.record"))
        #expect(status("archived") == .unknown("archived".utf8.map { $0 }))
        for word: StaticString in ["queued", "quarantined", "deleted", "", "two words", "\u{1B}c"] {
            #expect(status(word) == nil)
        }
        #expect(status("bounced", "a\nb") == nil)
        #expect(status("bounced", String(repeating: "x", count: 65)) == nil)
    }
}
