import MemoCore
import OutboxCore
import Testing
import WireCore

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

    @Test("news of a memo are awaited while the relay or a mail server may still tell its end")
    func news() {
        let sentAt = WallTime(millisecondsSinceEpoch: 1_000_000)
        func isAwaited(_ status: HistoryStatus, afterDays days: Int64) -> Bool {
            status.awaitsNews(sentAt: sentAt, now: sentAt.advanced(by: .seconds(days * 86_400)))
        }
        #expect(isAwaited(.sent, afterDays: 29) && !isAwaited(.sent, afterDays: 30))
        #expect(isAwaited(.delivered, afterDays: 13) && !isAwaited(.delivered, afterDays: 14))
        // A clock that was set back ends nothing.
        #expect(isAwaited(.delivered, afterDays: -400))
        let ends: [HistoryStatus] = [
            .queued, .bounced("x"), .expired("x"), .refused("x"), .deleted,
        ]
        for status in ends { #expect(!isAwaited(status, afterDays: 0)) }
    }

    @Test("a memo is tried again in the outbox, or sent again as another one, or neither")
    func inOutbox() {
        let held: [HistoryStatus] = [.queued, .quarantined("x"), .refused("relay.too-large")]
        for status in held {
            #expect(status.isInOutbox)
            #expect(!status.isReplacedByResending)
        }
        let gone: [HistoryStatus] = [
            .sent, .delivered, .bounced("x"), .expired("x"), .refused("quarantine.record"),
            .deleted, .resent, .unknown([0x61]),
        ]
        for status in gone { #expect(!status.isInOutbox) }
    }

    @Test("a memo that did not arrive is sent again once, whatever the relay or the outbox tells")
    func resent() {
        for status: HistoryStatus in [.bounced("x"), .expired("x"), .refused("quarantine.record")] {
            #expect(status.isReplacedByResending)
            #expect(status.following(told: .delivered) == .delivered)
        }
        // A memo that the outbox holds leaves from there, and a memo on its way may arrive.
        let others: [HistoryStatus] = [
            .queued, .quarantined("x"), .sent, .delivered, .refused("relay.too-large"), .deleted,
            .resent, .unknown([0x61]),
        ]
        for status in others { #expect(!status.isReplacedByResending) }
        #expect(HistoryStatus.resent.following(told: .bounced("x")) == .resent)
        for standing in Self.standings {
            #expect(HistoryStatus.resent.following(standing) == .resent)
        }
        #expect(HistoryStatus(told: Array("resent".utf8), reason: nil) == nil)
        #expect(HistoryStatus(name: HistoryStatus.resent.name) == .resent)
    }
}
