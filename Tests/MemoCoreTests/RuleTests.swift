import MemoCore
import MemoTexts
import OutboxCore
import Testing

private func day(_ number: Int64) -> WallTime {
    WallTime(millisecondsSinceEpoch: 1_700_000_000_000 + number * 86_400_000)
}

/// `#expect` for what a mutating method answers.
private func expect(
    _ answer: Bool,
    _ expected: Bool,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(answer == expected, sourceLocation: sourceLocation)
}

@Suite("Asking for a rating")
struct RatingTests {
    @Test("begins with the hundredth memo")
    func first() {
        for sent in Int64(0)...250 {
            var rule = RatingRule()
            expect(rule.isDue(sent: sent, now: day(0)), sent >= 100)
        }
    }

    @Test("needs a hundred memos more, 14 days after a showing and 30 after a dismissal")
    func conditions() {
        for more in [Int64(0), 1, 99, 100, 101] {
            for afterShowing in [Int64(0), 1, 13, 14, 15, 29, 30, 31] {
                for isDismissed in [false, true] {
                    var rule = RatingRule()
                    rule.shown(sent: 137, now: day(0))
                    if isDismissed { rule.dismissed(now: day(0)) }
                    let isDue = rule.isDue(sent: 137 + more, now: day(afterShowing))
                    let pause: Int64 = isDismissed ? 30 : 14
                    #expect(isDue == (more >= 100 && afterShowing >= pause))
                }
            }
        }
    }

    @Test("a pause ends to the millisecond")
    func edge() {
        var rule = RatingRule(sentAtShowing: 0, shownAt: day(0))
        let end = day(0).advanced(by: RatingRule.pause)
        expect(rule.isDue(sent: 100, now: end.advanced(by: Milliseconds(-1))), false)
        expect(rule.isDue(sent: 100, now: end), true)
    }

    @Test("a clock that was years ahead delays it by no more than a pause")
    func clock() {
        var rule = RatingRule()
        rule.shown(sent: 100, now: day(4000))
        rule.dismissed(now: day(4000))
        expect(rule.isDue(sent: 200, now: day(0)), false)
        expect(rule.isDue(sent: 200, now: day(29)), false)
        expect(rule.isDue(sent: 200, now: day(30)), true)
    }

    @Test("a count that begins anew, after a wipe, does not silence it for ever")
    func wipe() {
        var rule = RatingRule(sentAtShowing: 5000)
        expect(rule.isDue(sent: 3, now: day(0)), false)
        expect(rule.isDue(sent: 102, now: day(0)), false)
        expect(rule.isDue(sent: 103, now: day(0)), true)
    }

    @Test("whatever was persisted, it can be asked and silences itself for no longer than a pause")
    func extremes() {
        let ends = [Int64.min, -1, 0, .max]
        for count in ends {
            for moment in ends {
                let time = WallTime(millisecondsSinceEpoch: moment)
                var rule = RatingRule(sentAtShowing: count, shownAt: time, dismissedAt: time)
                _ = rule.isDue(sent: 5, now: day(0))
                _ = rule.isDue(sent: .max, now: day(30))
                rule.shown(sent: 5, now: day(30))
                expect(rule.isDue(sent: 105, now: day(60)), true)
            }
        }
    }

    @Test("five stars lead to the review page where there is one, all else to a quiet thank-you")
    func answers() {
        for stars in 1...5 {
            let answer = RatingRule.answer(to: stars, hasReviewPage: true)
            #expect(answer == (stars == 5 ? .review : .thanks), "\(stars)")
            #expect(RatingRule.answer(to: stars, hasReviewPage: false) == .thanks, "\(stars)")
        }
    }
}

@Suite("Warning of something that waits")
struct WaitingTests {
    private let start = day(0)
    private func after(_ milliseconds: Int64) -> WallTime {
        start.advanced(by: Milliseconds(milliseconds))
    }

    @Test("comes after one hour, once, and again only for something else")
    func once() {
        var rule = WaitingRule()
        expect(rule.looked(oldest: nil, now: start), false)
        expect(rule.looked(oldest: start, now: after(3_599_999)), false)
        expect(rule.looked(oldest: start, now: after(3_600_000)), true)
        expect(rule.looked(oldest: start, now: after(7_200_000)), false)
        #expect(rule.hasWarned)
        expect(rule.looked(oldest: nil, now: after(7_200_000)), false)
        #expect(!rule.hasWarned)
        expect(rule.looked(oldest: start, now: after(7_200_001)), true)
    }

    @Test("a clock set back warns of nothing, and never delays the next look beyond an hour")
    func clock() {
        var rule = WaitingRule()
        expect(rule.looked(oldest: after(86_400_000), now: start), false)
        #expect(rule.nextLook(oldest: after(86_400_000), now: start) == WaitingRule.patience)
        #expect(rule.nextLook(oldest: start, now: after(3_000_000)) == Milliseconds(600_000))
        #expect(rule.nextLook(oldest: start, now: after(9_000_000)) == Milliseconds(0))
        #expect(rule.nextLook(oldest: nil, now: start) == nil)
        _ = rule.looked(oldest: start, now: after(3_600_000))
        #expect(rule.nextLook(oldest: start, now: after(3_600_000)) == nil)
    }

    @Test("what the clock can do at its ends overflows nothing")
    func ends() {
        let ends = [WallTime(millisecondsSinceEpoch: .min), WallTime(millisecondsSinceEpoch: .max)]
        for first in ends {
            for second in ends {
                _ = WaitingRule.isLate(since: first, now: second)
                let wait = WaitingRule().nextLook(oldest: first, now: second)
                #expect(wait.map { (0...3_600_000).contains($0.count) } == true)
            }
        }
    }
}

@Suite("A memo's status")
struct HistoryStatusTests {
    static let all: [(HistoryStatus, String)] = [
        (.queued, "queued"), (.sent, "sent"), (.delivered, "delivered"),
        (.bounced("smtp.550"), "bounced"), (.expired("expired"), "expired"),
        (.refused("relay.too-large"), "refused"), (.deleted, "deleted"),
        (.quarantined("quarantine.record"), "quarantined"),
        (.unknown(Array("archived".utf8)), "archived"),
    ]

    @Test("survives storage by its name and reason", arguments: all)
    func roundTrip(status: HistoryStatus, name: String) {
        #expect(status.name == Array(name.utf8))
        #expect(HistoryStatus(name: status.name, reason: status.reason) == status)
    }

    @Test("the relay's accepted is sent")
    func accepted() {
        #expect(HistoryStatus(name: Array("accepted".utf8)) == .sent)
    }

    @Test("only one that did not arrive needs an explanation, which has its reason")
    func explanation() {
        for (status, _) in Self.all {
            #expect((status.explanation == nil) == (status.reason == nil))
        }
    }
}

@Suite("Timings")
struct TimingTests {
    @Test("the budgets are half a second and 150 ms")
    func budgets() {
        #expect(TimingKind.timeToText.budget == Milliseconds(500))
        #expect(TimingKind.sendToReset.budget == Milliseconds(150))
    }

    @Test("a summary has the middle one and the latest")
    func summary() {
        #expect(TimingSummary([]) == nil)
        let summary = TimingSummary([5, 1, 9, 2])
        #expect(summary?.median == 5 && summary?.latest == 5 && summary?.count == 4)
        #expect(TimingSummary([7])?.median == 7)
    }

    @Test(
        "milliseconds have one decimal",
        arguments: [(0, "0.0"), (99, "0.0"), (100, "0.1"), (12_345, "12.3"), (1_000_000, "1000.0")]
    )
    func milliseconds(microseconds: Int64, text: String) {
        let bytes = TimingSummary.milliseconds(microseconds, in: .english)
        #expect(String(decoding: bytes, as: UTF8.self) == text)
    }

    @Test("five languages write a comma before the tenths", arguments: Language.allCases)
    func decimalMark(language: Language) {
        let bytes = TimingSummary.milliseconds(12_345, in: language)
        let hasComma = [.spanish, .french, .german, .italian, .portuguese].contains(language)
        #expect(String(decoding: bytes, as: UTF8.self) == (hasComma ? "12,3" : "12.3"))
    }
}

@Suite("A signature")
struct SignatureTests {
    private func body(_ memo: String, _ signature: String) throws -> String {
        let signature = try Signature(signature.utf8)
        return String(decoding: signature.appended(to: Array(memo.utf8)), as: UTF8.self)
    }

    @Test("stands below the memo, behind the line that mail programs know")
    func below() throws {
        #expect(try body("Buy milk", "Ann") == "Buy milk\n-- \nAnn")
        #expect(try body("Buy milk\n", "Ann\nRome\n ") == "Buy milk\n-- \nAnn\nRome")
    }

    @Test("an empty one leaves the memo as it is, to the byte", arguments: ["", " \n\t", "\0"])
    func empty(signature: String) throws {
        #expect(try body(" memo \r\n\n", signature) == " memo \r\n\n")
    }

    @Test("one of 2,000 bytes is taken, one more is refused")
    func limit() throws {
        #expect(try Signature([UInt8](repeating: 0x61, count: 2000)).text.count == 2000)
        #expect(throws: SignatureTooLong.self) {
            try Signature([UInt8](repeating: 0x61, count: 2001))
        }
    }
}
